"""The models that onnx ships with inputs and outputs: layers that torch exported in its early days, and whole networks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.runner import Runner

from artifacts_tool.onnx_io import read
from pagetrain import executor, plan
from pagetrain.errors import UnsupportedOpError

pytestmark = pytest.mark.oracle
SHIPPED = Path(onnx.__file__).parent / "backend/test/data"
LAYERS = sorted(path.parent for kind in ("pytorch-converted", "pytorch-operator") for path in (SHIPPED / kind).glob("*/model.onnx"))
NETWORKS = ("densenet121", "inception_v2", "resnet50", "shufflenet", "squeezenet")
OLDEST_OPSET = 7
TOLERANCE = {"rtol": 1e-3, "atol": 1e-6}  # onnx's runner's, and float32 rounding of sums around 0


def _tensors(paths: Iterator[Path]) -> list[np.ndarray]:
    return [numpy_helper.to_array(onnx.load_tensor(path)) for path in sorted(paths)]


def _bound(model: onnx.ModelProto) -> plan.Plan | tuple[str, ...]:
    """The plan, or the ops that have no kernel."""
    try:
        return plan.bind(read(model).graph)
    except UnsupportedOpError as error:
        return error.ops


@pytest.mark.parametrize("folder", LAYERS, ids=lambda folder: folder.name)
def test_layers_give_the_shipped_outputs(folder: Path) -> None:
    """Those of opset 6 too, unless an op of them is of another version in opset 7: these alone are refused."""
    model = onnx.load(folder / "model.onnx")
    bound = _bound(model)
    if not isinstance(bound, plan.Plan):
        assert max(int(op.rpartition(":")[2]) for op in bound) < OLDEST_OPSET
        return
    data = folder / "test_data_set_0"
    feeds = dict(zip((value.name for value in model.graph.input), _tensors(data.glob("input_*.pb")), strict=False))
    for found, expected in zip(executor.run(bound, feeds).values(), _tensors(data.glob("output_*.pb")), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, **TOLERANCE)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_give_the_shipped_outputs(name: str) -> None:
    """Of opset 9, with the inputs that onnx's runner makes."""
    model = onnx.load(SHIPPED / f"light/light_{name}.onnx")
    held = {tensor.name for tensor in model.graph.initializer}
    feeds = {value.name: Runner.generate_dummy_data(value) for value in model.graph.input if value.name not in held}
    (found,) = executor.run(plan.bind(read(model).graph), feeds).values()
    expected = numpy_helper.to_array(onnx.load_tensor(SHIPPED / f"light/light_{name}_output_0.pb"))
    np.testing.assert_allclose(found, expected, **TOLERANCE)
