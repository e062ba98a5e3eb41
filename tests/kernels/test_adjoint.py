"""Gradient kernels of ops that only move elements: each is the adjoint of its forward kernel, <dY, f(X)> = <df(dY), X>."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.gather import gather, gather_elements, gather_elements_grad, gather_grad, gather_nd, gather_nd_grad
from pagetrain.kernels.indices import sum_into, wrapped
from pagetrain.kernels.parts import concat, concat_training, slice_, slice_grad, split_13, split_training
from tests.cases import gather as gather_cases
from tests.cases import parts as parts_cases
from tests.cases.case import Case, floats, int64

PAIRS: dict[str, tuple[Callable[..., tuple[np.ndarray, ...]], Callable[..., np.ndarray]]] = {
    "Slice": (slice_, lambda dY, X, *bounds: slice_grad(dY, int64(*X.shape), *bounds)[0]),
    "Gather": (gather, lambda dY, X, indices, **axis: gather_grad(int64(*X.shape), indices, dY, **axis)[0]),
    "GatherElements": (gather_elements, lambda dY, X, indices, **axis: gather_elements_grad(dY, int64(*X.shape), indices, **axis)[0]),
    "GatherND": (gather_nd, lambda dY, X, indices, **batch: gather_nd_grad(int64(*X.shape), indices, dY, **batch)[0]),
}
CASES = [case for family in (gather_cases, parts_cases) for case in family.CASES if case.op_type in PAIRS and case.since >= 10]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_gradient_kernel_is_the_adjoint(case: Case) -> None:
    """Over all cases of the forward op: indices that repeat or are negative, every axis, steps in both directions."""
    forward, gradient = PAIRS[case.op_type]
    X, *others = case.inputs
    assert X is not None
    X = floats(*X.shape).astype(np.float64)
    (Y,) = forward(X, *others, **case.attributes)
    dY = floats(*Y.shape, seed=1).astype(np.float64)
    dX = gradient(dY, X, *others, **case.attributes)
    assert (dX.shape, dX.dtype) == (X.shape, X.dtype)
    np.testing.assert_allclose((dX * X).sum(), (dY * Y).sum(), rtol=1e-12)


def test_training_forms_of_concat_and_split_undo_each_other() -> None:
    """ConcatTraining says the sizes that SplitTraining takes; the results are those of Concat and Split."""
    parts = floats(2, 3), floats(2, 1), floats(2, 4)
    joined, sizes = concat_training(*parts, axis=-1)
    np.testing.assert_array_equal(joined, concat(*parts, axis=-1)[0])
    for part, again, split in zip(
        parts, split_training(joined, sizes, axis=-1), split_13(joined, sizes, axis=-1, output_count=3), strict=True
    ):
        np.testing.assert_array_equal(part, again)
        np.testing.assert_array_equal(part, split)


def test_nothing_is_summed_into_nothing() -> None:
    """No indices give zeros."""
    none = np.zeros(0, np.intp)
    np.testing.assert_array_equal(sum_into((3, 2), (none,), np.zeros((0, 2))), np.zeros((3, 2)))


@pytest.mark.parametrize("index", [-4, 3])
def test_an_index_beyond_the_ends_is_refused(index: int) -> None:
    """With the index and the number of elements."""
    with pytest.raises(InvalidInputError, match=f"index {index} is beyond 3 elements"):
        wrapped(np.array([0, index]), 3)


def test_parts_that_do_not_add_up_are_refused() -> None:
    """By Split with sizes and without."""
    with pytest.raises(InvalidInputError, match=r"The parts \[1, 1\] are not the 3 elements of axis 0"):
        split_13(floats(3), int64(1, 1), output_count=2)
    with pytest.raises(InvalidInputError, match="do not make 2 equal parts"):
        split_13(floats(3), output_count=2)
