"""The real trainer on training graphs with Scan, which it can run although it cannot make them."""

import json

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from artifacts_tool.generate import build, write
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import read
from artifacts_tool.optimizer import OptimType
from bench.interchange import TOLERANCE, difference, ours, theirs

pytestmark = pytest.mark.ort_training
BATCH, SIZE, HIDDEN, CLASSES = 5, 3, 4, 3
LENGTHS = (7, 1, 30)  # steps of the batches
WEIGHTS = {
    "W": (2, 4 * HIDDEN, SIZE),
    "R": (2, 4 * HIDDEN, HIDDEN),
    "B": (2, 8 * HIDDEN),
    "P": (2, 3 * HIDDEN),
    "gru.W": (1, 3 * HIDDEN, 2 * HIDDEN),
    "gru.R": (1, 3 * HIDDEN, HIDDEN),
    "gru.B": (1, 6 * HIDDEN),
    "head": (HIDDEN, CLASSES),
}


def network(opset):
    """x (T, N, 3) and lengths (N) -> logits: an LSTM both ways with all that it can have, then a GRU from the end."""
    rng = np.random.default_rng(3)
    nodes = [
        helper.make_node(
            "LSTM", ["x", "W", "R", "B", "lengths", "", "", "P"], ["Y"], hidden_size=HIDDEN, direction="bidirectional", clip=1.5
        ),
        helper.make_node("Transpose", ["Y"], ["turned"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["turned", "rows"], ["steps"]),
        helper.make_node(
            "GRU",
            ["steps", "gru.W", "gru.R", "gru.B"],
            ["", "last"],
            hidden_size=HIDDEN,
            direction="reverse",
            linear_before_reset=1,
            activations=["HardSigmoid", "Tanh"],
        ),
        helper.make_node("Reshape", ["last", "states"], ["state"]),
        helper.make_node("MatMul", ["state", "head"], ["logits"]),
    ]
    constants = {"rows": np.array([0, 0, 2 * HIDDEN]), "states": np.array([-1, HIDDEN])}
    weights = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in WEIGHTS.items()}
    graph = helper.make_graph(
        nodes,
        "network",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["T", "N", SIZE]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["N"]),
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", CLASSES])],
        [numpy_helper.from_array(values, name) for name, values in {**weights, **constants}.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def recorded(folder):
    """What replay.py asks of a recording: the batches, and how they are gone through."""
    rng = np.random.default_rng(4)
    batches = {}
    for step, length in enumerate(LENGTHS):
        batches[f"in/{step}/x"] = rng.normal(size=(length, BATCH, SIZE)).astype(np.float32)
        batches[f"in/{step}/lengths"] = rng.integers(1, length + 1, BATCH).astype(np.int32)
        batches[f"in/{step}/labels"] = rng.integers(0, CLASSES, BATCH)
    meta = {"user_inputs": ["x", "lengths", "labels"], "outputs": ["onnx::loss::2"], "steps": len(LENGTHS), "accumulate": 1}
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
    np.savez(folder / "trace.npz", lr=np.full(len(LENGTHS), 0.01), **batches)
    return folder


@pytest.mark.parametrize("suffix", ["onnx", "ort"])
@pytest.mark.parametrize("opset", [8, 12, 14])
def test_recurrent_ops_are_trained_alike_by_both(ort_python, tmp_path, opset, suffix):
    """Losses, gradients and parameters, over batches of different length."""
    artifacts, recording = tmp_path / "artifacts", tmp_path / "recording"
    recording.mkdir()
    made = build(read(network(opset)), list(WEIGHTS), [], LossType.CrossEntropyLoss, OptimType.AdamW)
    write(made, artifacts, ort_format=True)
    found = [train(artifacts, recorded(recording), suffix) for train in (ours, theirs(ort_python))]
    assert any(key.startswith("grad_after_train_step/2/") for key in found[0])
    assert difference(found[1], found[0]) <= TOLERANCE
