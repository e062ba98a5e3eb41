"""Gradients of pooling against differences; which output is computed; what is refused."""

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.kernels.average_pool import average_pool, average_pool_grad
from pagetrain.kernels.max_pool import max_pool, max_pool_grad
from tests.cases import average_pool as average_cases
from tests.cases import max_pool as max_cases
from tests.cases.case import floats
from tests.kernels.projection import check_gradient


@pytest.mark.parametrize("name", max_cases.GEOMETRIES)
def test_max_pool_grad_is_the_slope_of_max_pool(name: str) -> None:
    """For every attribute, from the Indices of the forward op, storage_order included."""
    shape, attributes = max_cases.GEOMETRIES[name]
    X = floats(*shape).astype(np.float64)
    Y, indices = max_pool(X, **attributes)
    dY = floats(*Y.shape, seed=4).astype(np.float64)
    (dX,) = max_pool_grad(dY, indices, output_shapes=(("N", *shape[1:]),), **attributes)
    check_gradient(lambda x: float((max_pool(x, **attributes)[0] * dY).sum()), X, dX)


@pytest.mark.parametrize("name", average_cases.GEOMETRIES)
def test_average_pool_grad_is_the_slope_of_average_pool(name: str) -> None:
    """For every attribute."""
    shape, attributes = average_cases.GEOMETRIES[name]
    X = floats(*shape).astype(np.float64)
    dY = floats(*average_pool(X, **attributes)[0].shape, seed=4).astype(np.float64)
    (dX,) = average_pool_grad(dY, output_shapes=(("N", *shape[1:]),), **attributes)
    check_gradient(lambda x: float((average_pool(x, **attributes)[0] * dY).sum()), X, dX)


@pytest.mark.parametrize("name", max_cases.GEOMETRIES)
def test_the_maximum_does_not_depend_on_whether_indices_are_wanted(name: str) -> None:
    """Without Indices there is one output, and it is the same."""
    shape, attributes = max_cases.GEOMETRIES[name]
    (alone,) = max_pool(floats(*shape), wanted=(0,), **attributes)
    np.testing.assert_array_equal(alone, max_pool(floats(*shape), **attributes)[0])


def test_indices_of_a_window_without_a_maximum_lie_in_the_input() -> None:
    """Where all pixels are -inf, the pads are not their better."""
    _, indices = max_pool(np.full((1, 1, 2, 2), -np.inf, np.float32), kernel_shape=[2, 2], pads=[1, 1, 1, 1])
    assert indices.min() >= 0
    assert indices.max() < 4


@pytest.mark.parametrize("declared", [None, ("N", 3, "H", 4)])
def test_a_gradient_of_undeclared_size_is_refused(declared: tuple[int | str, ...] | None) -> None:
    """The op alone does not tell it."""
    with pytest.raises(InvalidInputError, match="must declare the spatial sizes"):
        average_pool_grad(floats(1, 3, 2, 2), kernel_shape=[2, 2], output_shapes=(declared,))


def test_a_window_of_other_axes_is_refused() -> None:
    """One size per spatial axis."""
    with pytest.raises(ShapeMismatchError, match="needs as many axes"):
        max_pool(floats(1, 3, 4, 4), kernel_shape=[2])
