"""shapes_of: every rule says what its kernel gives, for every case of the op."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain.kernels import FAILURES, Spec
from pagetrain.shape_rules import Sizes, rules, shapes_of
from tests.cases import ALL
from tests.cases.case import Case
from tests.kernels.run_case import run_case

RULED_CASES = [case for case in ALL if case.op_type in rules() and not any(isinstance(given, list) for given in case.inputs)]


def _told(case: Case, *, with_values: bool) -> list[Sizes | None]:
    arrays = [None if given is None else np.asarray(given) for given in case.inputs]
    specs = [None if array is None else Spec(array.shape, array.itemsize) for array in arrays]
    try:
        return shapes_of(case.op_type, specs, arrays if with_values else [None] * len(arrays), case.attributes)
    except FAILURES:  # "not known"
        return []


@pytest.mark.parametrize("case", RULED_CASES, ids=lambda case: case.id)
@pytest.mark.parametrize("with_values", [True, False])
def test_a_rule_gives_the_shapes_of_the_kernels_results(case: Case, with_values: bool) -> None:
    """With the values of shapes, axes and pads, and without, when it may only say that it does not know."""
    found = [np.shape(result) for result in run_case(case)]
    told = _told(case, with_values=with_values)
    assert told[: len(found)] == found[: len(told)]


def test_every_rule_is_reached() -> None:
    """Each op has a case in which its rule knows the shape; the folding of normalizations and the gradient of Clip are no ops of a file."""
    reached = {case.op_type for case in RULED_CASES if _told(case, with_values=True)}
    assert reached | {"ClipGradient", "FoldBatchNormalization"} == set(rules())
