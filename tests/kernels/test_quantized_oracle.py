"""QLinearAdd and QLinearMul of bytes beside onnxruntime, whose vector kernels multiply by quotients of scales made beforehand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from pagetrain.graph import MS_DOMAIN
from pagetrain_ops.quantized import qlinear_add, qlinear_mul
from tests.cases.case import scalar

pytestmark = pytest.mark.oracle
NAMES = ("A", "A_scale", "A_zero_point", "B", "B_scale", "B_zero_point", "C_scale", "C_zero_point")
COUNT = 1000
# In steps: numbers before rounding are made of terms below 425 (255 / 0.6), and the coarsest of all, the 22 bits that onnxruntime keeps of
# a quotient on Arm, are off by 2^-22 of them.
NEAR_A_HALF = 2e-4
OPS = pytest.mark.parametrize("op, kernel", [("QLinearAdd", qlinear_add), ("QLinearMul", qlinear_mul)], ids=["Add", "Mul"])


def session(op: str) -> onnxruntime.InferenceSession:
    """The op alone."""
    types = [(TensorProto.FLOAT, []) if "scale" in name else (TensorProto.UINT8, [] if "zero" in name else [COUNT]) for name in NAMES]
    inputs = [helper.make_tensor_value_info(name, *of) for name, of in zip(NAMES, types, strict=True)]
    node = helper.make_node(op, NAMES, ["C"], domain=MS_DOMAIN)
    graph = helper.make_graph([node], op, inputs, [helper.make_tensor_value_info("C", TensorProto.UINT8, [COUNT])])
    opsets = [helper.make_opsetid("", 14), helper.make_opsetid(MS_DOMAIN, 1)]
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def drawn(op: str, seed: int) -> list[np.ndarray]:
    """Inputs with a C_scale that lets most results fit into a byte."""
    rng = np.random.default_rng(seed)
    A, B = rng.integers(0, 256, (2, COUNT), np.uint8)
    scale_a, scale_b = rng.uniform(0.003, 0.03, 2)
    zero_a, zero_b, zero_c = (scalar(value, np.uint8) for value in rng.integers(100, 150, 3))
    scale = 0.6 * (scale_a + scale_b) if op == "QLinearAdd" else 128 * scale_a * scale_b
    return [A, scalar(scale_a), zero_a, B, scalar(scale_b), zero_b, scalar(scale), zero_c]


def unrounded(op: str, inputs: list[np.ndarray]) -> np.ndarray:
    """C by the formula of the op's schema, in float64, before it is rounded."""
    A, scale_a, zero_a, B, scale_b, zero_b, scale, zero = (array.astype(np.float64) for array in inputs)
    a, b = (A - zero_a) * scale_a, (B - zero_b) * scale_b
    C: np.ndarray = (a + b if op == "QLinearAdd" else a * b) / scale + zero
    return C


@OPS
def test_where_onnxruntime_differs_the_number_lies_at_a_half(op: str, kernel: Callable[..., tuple[np.ndarray]]) -> None:
    """And it differs by one step. So does the number rounded in float64."""
    oracle = session(op)
    for seed in range(200):
        inputs = drawn(op, seed)
        (found,), (theirs,), number = kernel(*inputs), oracle.run(None, dict(zip(NAMES, inputs, strict=True))), unrounded(op, inputs)
        for expected in (theirs, np.rint(number).clip(0, 255)):
            apart = np.abs(found - expected.astype(np.float64))
            assert apart.max() <= 1
            np.testing.assert_allclose(np.abs(number - np.rint(number))[apart > 0], 0.5, rtol=0, atol=NEAR_A_HALF)


def test_a_sum_just_below_a_half_is_rounded_down() -> None:
    """From a quantised encoder. onnxruntime 1.32 on x86-64 makes 148 of the 147.499998, and an output of the model moves by 2.3 percent."""
    A, B, zeros = np.uint8([138]), np.uint8([181]), [scalar(value, np.uint8) for value in (123, 126, 123)]
    inputs = [A, scalar(0.023264244), zeros[0], B, scalar(0.004994268), zeros[1], scalar(0.025455039), zeros[2]]
    (number,) = unrounded("QLinearAdd", inputs)
    assert 147.49999 < number < 147.5
    assert qlinear_add(*inputs)[0].item() == 147
