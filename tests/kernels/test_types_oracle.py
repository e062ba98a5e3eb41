"""Every kernel in half and double precision, as far as the op's schema allows them: types by the schema, values as in float32."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx import defs

from tests.cases import ALL
from tests.cases.case import Case
from tests.kernels.run_case import kernel_of, run_case

pytestmark = pytest.mark.oracle
NAMES = {"float16": "tensor(float16)", "float64": "tensor(double)"}
# Half has 11 bits, and sums of a few dozen terms in it lose some more; double only shows how inexact float32 is.
TOLERANCES = {"float16": (2e-2, 2e-2), "float64": (1e-3, 1e-4)}


def _schema(case: Case) -> Any:
    return defs.get_schema(case.op_type, max(case.since, 7))


def _variables(case: Case, dtype: str) -> set[str]:
    """The type variables of float32 inputs that may be of `dtype` instead."""
    schema = _schema(case)
    formal = [schema.inputs[min(place, len(schema.inputs) - 1)] for place in range(len(case.inputs))]
    given = {one.type_str for one, value in zip(formal, case.inputs, strict=True) if _is_float(value)}
    return {
        name
        for name in given
        for known in schema.type_constraints
        if known.type_param_str == name and NAMES[dtype] in known.allowed_type_strs
    }


def _is_float(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float32


def _is_told(case: Case) -> bool:
    """Whether the schema tells the output's type, and the input the output's values."""
    return bool(case.inputs) and case.op_type not in EXCEPT and case.id not in STEPS and not kernel_of(case).by_chance


def _standard(case: Case) -> bool:
    return case.domain == "" and defs.has(case.op_type, max(case.since, 7)) and _schema(case).since_version == case.since


EXCEPT = {
    **dict.fromkeys(("BitCast", "Loop"), "bits and bodies are those of float32"),
    **dict.fromkeys(
        ("DequantizeLinear", "EyeLike", "LinearAttention", "OptionalGetElement"), "the output's type has a variable of its own"
    ),
    "LayerNormalization": "the statistics of double are double, so that gradients may be, where stash_type says float32",
}
STEPS = (
    "RNN-14-activation_ThresholdedRelu",
    *(f"Cast-13-floats_beyond_{to}" for to in (2, 3, 4, 5)),
)  # a rounded input falls on another one

CASES = [(case, dtype) for case in ALL for dtype in NAMES if _standard(case) and _is_told(case) and _variables(case, dtype)]


@pytest.mark.parametrize("case, dtype", CASES, ids=[f"{case.id}-{dtype}" for case, dtype in CASES])
def test_half_and_double_give_what_float32_gives(case: Case, dtype: str) -> None:
    """Outputs have the type of the inputs with the same type variable, and the values of float32 to the precision of the coarser."""
    variables, schema = _variables(case, dtype), _schema(case)
    formal = [schema.inputs[min(place, len(schema.inputs) - 1)].type_str for place in range(len(case.inputs))]
    inputs = [
        value.astype(dtype) if _is_float(value) and name in variables else value for value, name in zip(case.inputs, formal, strict=True)
    ]
    rounded = [value.astype(np.float32) if value is not given else value for value, given in zip(inputs, case.inputs, strict=True)]
    with np.errstate(all="ignore"):  # as in executor.run
        expected, outputs = (run_case(replace(case, inputs=these)) for these in (rounded, inputs))
        _compare(
            outputs, expected, [dtype if _output(schema, place) in variables else "" for place in range(len(outputs))], TOLERANCES[dtype]
        )


def _output(schema: Any, place: int) -> str:
    return schema.outputs[min(place, len(schema.outputs) - 1)].type_str


def _compare(outputs: list[np.ndarray], expected: list[np.ndarray], dtypes: list[str], tolerance: tuple[float, float]) -> None:
    """dtypes: what each output is, "" for that of float32's."""
    for found, wanted, dtype in zip(outputs, expected, dtypes, strict=True):
        assert found.dtype == (dtype or wanted.dtype)
        wide, exact = found.astype(np.float64), wanted.astype(found.dtype).astype(np.float64)
        np.testing.assert_allclose(wide, exact, rtol=tolerance[0], atol=tolerance[1])
