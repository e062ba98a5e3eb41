"""artifacts_tool.mode: BatchNormalization is trained in the mode in which it was exported, and evaluated by running statistics."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

from artifacts_tool import LossType
from artifacts_tool.cli import main
from artifacts_tool.generate import build
from artifacts_tool.mode import normalizes_by_batch
from artifacts_tool.proto_reader import model_of
from artifacts_tool.zoo import PREPROCESSING
from pagetrain import CheckpointState, Module
from pagetrain.errors import UnsupportedOpError

pytestmark = pytest.mark.oracle

RNG = np.random.default_rng(5)
STATISTICS = {"mean": RNG.normal(size=3), "var": RNG.uniform(0.5, 2, 3)}
VALUES = {"scale": RNG.normal(size=3), "bias": RNG.normal(size=3), **STATISTICS, "w": RNG.normal(size=(3, 2))}
X = np.asarray(RNG.normal(2, 3, size=(5, 3)), np.float32)
TRAINING = {7: ("y", "m", "v", "sm", "sv"), 9: ("y", "m", "v", "sm", "sv"), 14: ("y", "m", "v"), 15: ("y", "m", "v")}
CLOSE = {"rtol": 1e-5, "atol": 1e-5}  # float32 sums in another order


def proto(opset, outputs=("y",), more_outputs=(), **attributes):
    """x (N, 3) -> BatchNormalization -> MatMul -> logits (N, 2)."""
    nodes = [
        helper.make_node("BatchNormalization", ["x", "scale", "bias", "mean", "var"], list(outputs), "norm", momentum=0.7, **attributes),
        helper.make_node("MatMul", ["y", "w"], ["logits"]),
    ]
    values = [helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["N", 3]), ("logits", ["N", 2]))]
    more = [helper.make_tensor_value_info(name, 1, [3]) for name in more_outputs]
    weights = [onnx.numpy_helper.from_array(array.astype(np.float32), name) for name, array in VALUES.items()]
    graph = helper.make_graph(nodes, "g", values[:1], [values[1], *more], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def exported_in_training_mode(opset):
    return proto(opset, TRAINING[opset], **({"training_mode": 1} if opset >= 14 else {}))


def built(made, trainable=("w",), **options):
    frozen = [name for name in VALUES if name not in trainable]
    return build(model_of(made), trainable, frozen, LossType.CrossEntropyLoss, None, ["logits"], ["logits"], **options)


def trainer(artifacts):
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    return Module(artifacts.training_model, state, artifacts.eval_model), state


def by_onnxruntime(made, feeds):
    return onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feeds)


@pytest.mark.parametrize("opset", TRAINING)
@pytest.mark.parametrize("trainable", [("w",), ("scale", "bias", "w")], ids=["frozen", "trained"])
def test_exported_in_training_mode_it_goes_by_the_batch(opset, trainable):
    """Logits, and the running statistics that a step leaves in the checkpoint, are those of onnxruntime's op in training mode."""
    module, state = trainer(built(exported_in_training_mode(opset), trainable))
    _, ours = module(X, np.zeros(5, np.int64))
    logits, mean, var = by_onnxruntime(proto(15, ("y", "m", "v"), ("m", "v"), training_mode=1), {"x": X})
    np.testing.assert_allclose(ours, logits, **CLOSE)
    saved = CheckpointState.load_checkpoint(state.to_bytes())
    np.testing.assert_allclose(saved.parameters["mean"].data, mean, **CLOSE)
    np.testing.assert_allclose(saved.parameters["var"].data, var, **CLOSE)


@pytest.mark.parametrize("opset", TRAINING)
def test_the_eval_graph_goes_by_running_statistics(opset):
    """Those of the present checkpoint, which it does not change."""
    module, state = trainer(built(exported_in_training_mode(opset)))
    moved = {"mean": np.float32([1, 2, 3]), "var": np.float32([4, 5, 6])}
    for name, values in moved.items():
        state.replace_parameter(name, values)
    _, ours = module.eval()(X, np.zeros(5, np.int64))
    evaluated = proto(17)
    for tensor in evaluated.graph.initializer:
        if tensor.name in moved:
            tensor.CopyFrom(onnx.numpy_helper.from_array(moved[tensor.name], tensor.name))
    np.testing.assert_allclose(ours, *by_onnxruntime(evaluated, {"x": X}), **CLOSE)
    assert all(np.array_equal(state.parameters[name].data, values) for name, values in moved.items())


@pytest.mark.parametrize("opset", TRAINING)
@pytest.mark.parametrize("every", [False, True])
def test_exported_in_evaluation_mode_it_stays_so_unless_asked(opset, every):
    """batch_statistics=True trains it by the batch, as ORT does; by default logits are those of the model and the statistics stay."""
    module, state = trainer(built(proto(opset), batch_statistics=every))
    _, ours = module(X, np.zeros(5, np.int64))
    expected = by_onnxruntime(proto(15, ("y", "m", "v"), training_mode=1) if every else proto(opset), {"x": X})
    np.testing.assert_allclose(ours, *expected, **CLOSE)
    stays = np.array_equal(state.parameters["mean"].data, STATISTICS["mean"].astype(np.float32))
    assert stays != every


def test_a_switched_off_mode_with_statistics_named_is_evaluation():
    """From version 14 on the attribute alone says it."""
    assert not normalizes_by_batch(model_of(proto(17, ("y", "m", "v"))).graph.nodes[0])
    built(proto(17, ("y", "m", "v")))


def test_statistics_per_position_are_refused_in_training_mode():
    """As ONNX Runtime refuses them; in evaluation mode they are fine."""
    with pytest.raises(UnsupportedOpError, match=r"'norm'.*spatial=0"):
        built(proto(7, TRAINING[7], spatial=0))
    built(proto(7, spatial=0))


@pytest.mark.parametrize("flag", [(), ("--batch-statistics",)])
def test_the_command_line_has_a_flag(tmp_path, flag):
    """--batch-statistics is batch_statistics=True."""
    onnx.save(proto(17), tmp_path / "m.onnx")
    assert main(["generate", str(tmp_path / "m.onnx"), "--trainable", "w", "--out", str(tmp_path / "out"), *flag]) == 0
    ops = {node.op_type for node in onnx.load(tmp_path / "out" / "training_model.onnx").graph.node}
    assert ("BatchNormInternal" in ops) == bool(flag)


def test_page_models_do_not_measure_statistics(tmp_path, capsys):
    """A page would neither save nor export them: one line says so, and nothing is written."""
    onnx.save(exported_in_training_mode(15), tmp_path / "m.onnx")
    (tmp_path / "steps.json").write_text(json.dumps(PREPROCESSING))
    command = ["generate", str(tmp_path / "m.onnx"), "--trainable", "w", "--out", str(tmp_path / "out")]
    assert main([*command, "--preprocessing", str(tmp_path / "steps.json")]) == 1
    assert "'norm_BatchNormInternal' first, change their running statistics" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
