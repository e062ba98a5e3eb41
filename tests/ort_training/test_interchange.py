"""The columns of docs/interchange.md that need the real trainer: on our artifacts and on its own."""

from dataclasses import replace

import numpy as np
import pytest

from artifacts_tool import bind_num_classes
from artifacts_tool.generate import build, write
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import read
from artifacts_tool.optimizer import OptimType
from bench.interchange import TOLERANCE, cell, columns, difference, ours, theirs
from pagetrain.graph import ElementType, Tensor, TensorType, ValueInfo
from pagetrain.names import NUM_CLASSES
from tests.api.golden import TRACES
from tests.artifacts.conftest import Golden

pytestmark = pytest.mark.ort_training


@pytest.mark.parametrize("name", TRACES)
def test_the_real_trainer_trains_on_our_artifacts_as_on_its_own(ort_python, tmp_path, name):
    """Losses, gradients and parameters of every step equal those that were recorded, from .onnx and from .ort."""
    golden = Golden(name)
    write(golden.build(), tmp_path, ort_format=True)
    for column in columns(ort_python)[2:]:
        assert cell(golden, tmp_path, column) <= TOLERANCE, column.title


@pytest.mark.parametrize("suffix", ["onnx", "ort"])
def test_artifacts_with_an_open_number_of_classes_are_for_both_once_bound(ort_python, tmp_path, suffix):
    """Both trainers start from a head of zeros and come to the same numbers."""
    golden = Golden("mlp_ce_adamw_frozen")
    base, trained = read(golden.folder / "base.onnx"), golden.meta["requires_grad"]
    sizes = {tensor.name: tensor.data.shape for tensor in base.graph.initializers}
    head = {name: (NUM_CLASSES, *sizes[name][1:]) for name in ("fc2.weight", "fc2.bias")}
    artifacts = build(
        opened(base, head), trained, golden.meta["frozen"], LossType.CrossEntropyLoss, OptimType.AdamW, ["logits"], None, head
    )
    write(artifacts, tmp_path, ort_format=True)
    bind_num_classes(tmp_path, sizes["fc2.bias"][0])
    found = [train(tmp_path, golden.folder, suffix) for train in (ours, theirs(ort_python))]
    assert found[0]["loss"][-1] != found[0]["loss"][0]
    assert difference(found[1], found[0]) <= TOLERANCE


def opened(model, head):
    """The model without rows in its head, as the zoo makes it, and with an output of as many values."""
    empty = {name: Tensor(name, np.zeros((0, *shape[1:]), np.float32)) for name, shape in head.items()}
    graph = model.graph
    outputs = tuple(ValueInfo(value.name, TensorType(ElementType.FLOAT, (value.type.shape[0], NUM_CLASSES))) for value in graph.outputs)
    return replace(
        model, graph=replace(graph, outputs=outputs, initializers=tuple(empty.get(tensor.name, tensor) for tensor in graph.initializers))
    )
