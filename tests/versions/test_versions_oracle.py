"""Every version of every op that has several, on random shapes, against onnxruntime; a case is one line of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from onnx import defs

from pagetrain import kernels
from tests.cases.case import Case
from tests.kernels.run_case import run_case
from tests.kernels.test_replay_oracle import by_onnxruntime
from tests.versions.draw import Draw, Line
from tests.versions.table import LINES, NOT_IN_ONNXRUNTIME, WITHOUT_LINE

pytestmark = pytest.mark.oracle
# float32 and double allow for sums in another order; half floats for onnxruntime's rounding after each step or at the end only.
TOLERANCES = {"float16": (4e-3, 4e-3), "float32": (1e-4, 1e-5), "float64": (1e-7, 1e-8)}
NO_KERNEL = "NOT_IMPLEMENTED"


def _versions(op_type: str) -> list[int]:
    """The op's schema versions that a model of opset 7 or newer can mean."""
    every = sorted(
        one.since_version for one in defs.get_all_schemas_with_history() if (one.domain, one.name, one.deprecated) == ("", op_type, False)
    )
    return [since for since, after in zip(every, [*every[1:], 99], strict=False) if after > 7]


PAIRS = [(line, since) for line in LINES for since in _versions(line.op_type) if line.since <= max(since, 7) <= line.until]


def _parameter(line: Line, since: int) -> Any:
    """Without a kernel in onnxruntime no example is left to compare."""
    lacking = [pytest.mark.xfail(raises=Unsatisfiable, strict=True)] if (line.op_type, since) in NOT_IN_ONNXRUNTIME else []
    return pytest.param(line, since, id=f"{line.op_type}-{since}", marks=lacking)


@pytest.mark.parametrize("line, since", [_parameter(*pair) for pair in PAIRS])
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_version_is_as_in_onnxruntime(line: Line, since: int, data: st.DataObject) -> None:
    """Element types, shapes and values of every output, for types that onnxruntime has a kernel for."""
    case = _case(Draw(data, line, since), line, since)
    try:
        expected = by_onnxruntime(case)
    except Exception as error:
        assume(NO_KERNEL not in str(error))
        raise
    for found, wanted in zip(run_case(case), expected, strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        rtol, atol = TOLERANCES.get(wanted.dtype.name, (0, 0))
        np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol)


def _case(draw: Draw, line: Line, since: int) -> Case:
    built = line.build(draw)
    inputs, attributes, outputs = (*built, 1)[:3] if isinstance(built, tuple) else (built, {}, 1)
    return Case("drawn", line.op_type, since, inputs, attributes, outputs=outputs)


def test_every_version_of_an_op_with_several_has_a_line() -> None:
    """Of those that the runtime has a kernel for."""
    served = {(line.op_type, since) for line, since in PAIRS}
    ops = {known.op_type for known in kernels.all_kernels() if known.domain == ""}
    several = {(op, since) for op in ops - WITHOUT_LINE if len(_versions(op)) > 1 for since in _versions(op)}
    assert sorted(pair for pair in several - served if kernels.find("", *pair)) == []
