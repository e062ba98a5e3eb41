"""The real trainer on stored frozen parameters, and on models in float16: it reads them, and comes to our numbers."""

import numpy as np
import onnx
import pytest

from artifacts_tool.frozen_storage import stored_forms
from artifacts_tool.generate import build, write
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import read
from artifacts_tool.optimizer import OptimType
from artifacts_tool.stored_inputs import with_stored_inputs
from bench.interchange import TOLERANCE, difference, ours, theirs
from tests.artifacts.conftest import Golden
from tests.artifacts.half_models import halved

pytestmark = pytest.mark.ort_training

# The forward pass in float16 is rounded behind each of 5 ops, by 2^-11 of values up to 4.
ROUNDED = 5 * 2.0**-11 * 4


@pytest.fixture
def golden():
    return Golden("mlp_ce_adamw_frozen")


def trained_by_both(ort_python, golden, folder, model, storage, suffix):
    """The largest difference between what our trainer and the real one come to."""
    made = build(model, golden.meta["requires_grad"], golden.meta["frozen"], LossType.CrossEntropyLoss, OptimType.AdamW, ["logits"])
    write(with_stored_inputs(made, stored_forms(made.parameters, storage)), folder, ort_format=True)
    found = [train(folder, golden.folder, suffix) for train in (ours, theirs(ort_python))]
    assert found[0]["loss"][-1] != found[0]["loss"][0]
    return difference(found[1], found[0])


@pytest.mark.parametrize("suffix", ["onnx", "ort"])
@pytest.mark.parametrize("storage", ["float16", "int8"])
def test_stored_parameters(ort_python, golden, tmp_path, storage, suffix):
    """Widened in its graphs as in ours."""
    model = read(golden.folder / "base.onnx")
    assert trained_by_both(ort_python, golden, tmp_path, model, storage, suffix) <= TOLERANCE


@pytest.mark.parametrize("kind,limit", [("half weights", TOLERANCE), ("half inside", ROUNDED)])
def test_float16_models(ort_python, golden, tmp_path, kind, limit):
    """With frozen parameters stored as float16, because it reads no float16 from checkpoints."""
    model = read(halved(onnx.load(golden.folder / "base.onnx"), kind))
    assert trained_by_both(ort_python, golden, tmp_path, model, "float16", "onnx") <= limit


def test_float16_in_checkpoints_is_not_read(ort_python, golden, tmp_path, capfd):
    """Why float16 is stored as bits; if this fails, it is no longer needed."""
    model = read(halved(onnx.load(golden.folder / "base.onnx"), "half weights"))
    made = build(model, golden.meta["requires_grad"], golden.meta["frozen"], LossType.CrossEntropyLoss, OptimType.AdamW, ["logits"])
    assert {parameter.tensor.data.dtype for parameter in made.parameters} == {np.dtype(np.float32), np.dtype(np.float16)}
    write(made, tmp_path)
    assert theirs(ort_python)(tmp_path, golden.folder, "onnx") == {}
    assert "Unsupported data type: 10" in capfd.readouterr().err
