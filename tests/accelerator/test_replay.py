"""Every case of an accelerated op comes out as from the numpy kernel: those that the side module takes, and those that it must pass on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from pagetrain.kernels import Kernel, reference_of
from pagetrain_accelerator.library import Library
from pagetrain_accelerator.ops import offers
from pagetrain_accelerator.registry import MAKERS
from tests.cases import ALL
from tests.cases.case import Case
from tests.kernels.run_case import run_case

CASES = [case for case in ALL if (case.domain, case.op_type) in MAKERS]


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_results_are_those_of_numpy(library: Library, case: Case, channels_last: bool) -> None:
    """With the filters known beforehand and not; both compute in float32, in another order of additions."""
    made = offers(library)

    def accelerated(constant: bool) -> Any:
        def runner_of(kernel: Kernel, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
            constants = {at: value for at, value in enumerate(inputs) if at and isinstance(value, np.ndarray)} if constant else {}
            return made[kernel.domain, kernel.op_type](kernel, constants, attributes) or reference_of(kernel)

        return runner_of

    expected = run_case(case, channels_last)
    for constant in (True, False):
        results = run_case(case, channels_last, accelerated(constant))
        for got, wanted in zip(results, expected, strict=True):
            assert got.dtype == wanted.dtype
            assert got.strides == wanted.strides or got.size < 2 or min(got.shape) < 2
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)  # sums of up to 54 products of numbers below 4
