"""What check says about the real trainer is so: what it is said not to load it does not load, what nothing is said of it does."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from artifacts_tool.check import Request, check
from artifacts_tool.generate import write
from artifacts_tool.proto_reader import model_of
from tests.artifacts.small_models import model

pytestmark = pytest.mark.ort_training

LOADS = Path(__file__).parent / "loads.py"
RELU = [helper.make_node("Relu", ["x"], ["h"])]
TRANSPOSED = [
    helper.make_node("Reshape", ["x", "square"], ["s"]),
    helper.make_node("ConvTranspose", ["s", "k"], ["c"], auto_pad="SAME_UPPER"),
    helper.make_node("Flatten", ["c"], ["h"]),
]


@pytest.mark.parametrize(
    "nodes,opset,ir_version,said,loaded",
    [
        (RELU, 21, 10, "", {"onnx": True, "ort": True}),
        (RELU, 22, 10, "opset 22", {"onnx": False, "ort": False}),
        (RELU, 13, 11, "the .onnx artifacts", {"onnx": False, "ort": True}),
        (TRANSPOSED, 13, 8, "no kernel for ConvTransposeGrad", {"onnx": False, "ort": False}),
    ],
)
def test_what_is_said_of_the_real_trainer(ort_python, tmp_path, nodes, opset, ir_version, said, loaded):
    """In both formats."""
    weights = {"w": (4, 3), "k": (1, 1, 1, 1), "square": np.array([-1, 1, 2, 2])}
    made = model([*nodes, helper.make_node("MatMul", ["h", "w"], ["logits"])], {"x": ["N", 4]}, [("logits", 1, ["N", 3])], weights, opset)
    made.ir_version = ir_version
    found = check(model_of(made), Request(["w", "k"] if nodes is TRANSPOSED else ["w"]))
    assert [said in note for note in found.report.notes if "ONNX Runtime" in note] == [True] * bool(said)
    write(found.artifacts, tmp_path, ort_format=True)
    for suffix, expected in loaded.items():
        finished = subprocess.run([ort_python, LOADS, tmp_path, suffix], capture_output=True, check=False)
        assert (finished.returncode == 0) == expected, suffix
