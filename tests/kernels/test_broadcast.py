"""What undoes a broadcast, against shapes worked out by hand and a division written out."""

import numpy as np
import pytest

from pagetrain.kernels.broadcast import broadcast_gradient_args, div_grad
from tests.cases.case import floats

# two shapes, and for each the axes of their common shape along which it is stretched
STRETCHED = [
    ((2, 3), (2, 3), (), ()),
    ((2, 3), (3,), (), (0,)),
    ((), (2, 3), (1, 0), ()),
    ((2, 1, 4), (3, 1), (1,), (2, 0)),
    ((1, 3), (1, 1), (), (1,)),
    ((1,), (1, 1), (0,), ()),
]


@pytest.mark.parametrize("a, b, a_axes, b_axes", STRETCHED)
def test_stretched_axes_are_found(a: tuple[int, ...], b: tuple[int, ...], a_axes: tuple[int, ...], b_axes: tuple[int, ...]) -> None:
    """Axes that a shape lacks, and those of size 1 where the other has more."""
    found = broadcast_gradient_args(np.array(a, np.int64), np.array(b, np.int64))
    assert [tuple(axes.tolist()) for axes in found] == [a_axes, b_axes]
    assert {axes.dtype for axes in found} == {np.dtype(np.int64)}


def test_div_grad_is_its_formula_summed_over_what_was_stretched() -> None:
    """A row and a column: each gets the sum over the other's axis."""
    dY, A, B = floats(3, 4), floats(1, 4, seed=1), floats(3, 1, seed=2, low=1)
    dA, dB = div_grad(dY, A, B)
    np.testing.assert_allclose(dA, (dY / B).sum(axis=0, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(dB, (-dY * A / B**2).sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-6)
