"""Kernels against what onnx's reference and onnxruntime computed; runs wherever numpy does."""

from pathlib import Path

import numpy as np
import pytest

from tests.cases import ALL, COMPARED, FAMILIES, file_of
from tests.cases.case import Case
from tests.kernels.run_case import run_case

STORED = Path(__file__).parent.parent / "data/oracle"
EXPECTED = {key: value for family in FAMILIES for key, value in np.load(STORED / file_of(family)).items()}


def by_id(case: Case) -> str:
    return case.id


@pytest.mark.parametrize("channels_last", [False, True], ids=["C", "channels_last"])
@pytest.mark.parametrize("case", COMPARED, ids=by_id)
def test_kernel_gives_the_stored_outputs_whatever_the_memory_order(case: Case, channels_last: bool) -> None:
    """Each output has the oracle's element type, shape and values, and no input is written."""
    for position, output in enumerate(run_case(case, channels_last)):
        expected = EXPECTED[f"{case.id}/{position}"]
        assert (output.dtype, output.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(output, expected, rtol=case.rtol, atol=case.atol)


@pytest.mark.parametrize("case", [case for case in ALL if case.oracle == "none"], ids=by_id)
def test_kernel_without_oracle_runs_and_keeps_its_inputs(case: Case) -> None:
    """Inputs that the kernel is not declared to mutate are read-only here."""
    for output in run_case(case):
        assert output.size


def test_cases_have_names_of_their_own() -> None:
    """Stored outputs are found by the case's id."""
    assert len({case.id for case in ALL}) == len(ALL)
