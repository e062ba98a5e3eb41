"""The memory of every op is told before it runs: of each kernel's cases, made large, as plans of one step."""

from __future__ import annotations

from itertools import islice

import pytest

from pagetrain import kernels
from pagetrain.kernels import Kernel
from tests.cases import ALL
from tests.cases.case import Case
from tests.large_cases import Large, large_cases
from tests.memory_measured import peak_of

# Not in Pyodide, whose numpy without BLAS multiplies such arrays for minutes; what is asked is the same there.
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("on_numpy")]

# numpy buffers up to 8192 elements of each operand whose type or order differs, two of 8 bytes at once; and steps make Python objects.
SLACK = 140_000

# They go through their input in Python, element by element or step by step, which takes seconds for large ones.
STEP_BY_STEP = (
    *("DynamicQuantizeLSTM", "GRU", "LSTM", "LinearAttention", "MaxRoiPool", "NonMaxSuppression", "RNN", "RoiAlign"),
    *("Attention", "TfIdfVectorizer"),
)

# CausalConvWithState and Col2Im are counted by their input and output alone; Dropout is told as in training, where it does not hand its
# input on; numpy goes its own way through an Einsum; for the last two a quarter too much is told where the normalized axis is short.
NOT_TOLD = ("CausalConvWithState", "Col2Im", "Dropout", "Einsum", "SimplifiedLayerNormalization", "SkipLayerNormalization")


def _kernel_of(case: Case) -> Kernel:
    found = kernels.find(case.domain, case.op_type, case.since)
    assert found is not None
    return found


def _chosen() -> list[Case]:
    """Of each kernel the case with the most inputs."""
    found: dict[str, Case] = {}
    for case in ALL:
        if (
            case.op_type in (*STEP_BY_STEP, *NOT_TOLD)
            or "output_shapes" in case.attributes
            or any(isinstance(given, list) for given in case.inputs)
        ):
            continue
        known = found.setdefault(_kernel_of(case).op_id, case)
        if sum(given is not None for given in case.inputs) > sum(given is not None for given in known.inputs):
            found[_kernel_of(case).op_id] = case
    return list(found.values())


def _is_right(large: Large) -> None:
    told, measured = large.plan.describe(given=large.given), peak_of(large.run)
    shapes = {name: array.shape for name, array in large.run().items()}
    fits = all(told.memory.specs[name].shape == shape for name, shape in shapes.items())  # else the sizes do not belong together
    if fits and not told.memory.guessed:
        assert abs(told.peak - measured) <= 0.2 * measured + SLACK, large.name


@pytest.mark.parametrize("case", _chosen(), ids=lambda case: case.id)
def test_the_peak_of_each_op_is_right_within_20_percent(case: Case) -> None:
    """Whichever of two sizes is large."""
    for large in islice(large_cases(case), 2):
        _is_right(large)
