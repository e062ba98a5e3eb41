"""Gradients against differences: <gradient, direction> is the slope of the function along the direction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Central differences in float64: the step leaves an error of about step^2 by curvature and 1e-16 / step by rounding.
STEP = 1e-5
RTOL, ATOL = 1e-6, 1e-8


def check_gradient(function: Callable[[np.ndarray], float], at: np.ndarray, gradient: np.ndarray, directions: int = 3) -> None:
    """`gradient` has the shape of `at` and, projected on random directions, is the slope of `function` there. at: float64."""
    assert (gradient.shape, gradient.dtype) == (at.shape, np.dtype(np.float64))
    generator = np.random.default_rng(at.size)
    for _ in range(directions):
        direction = generator.standard_normal(at.shape)
        slope = (function(at + STEP * direction) - function(at - STEP * direction)) / (2 * STEP)
        np.testing.assert_allclose((gradient * direction).sum(), slope, rtol=RTOL, atol=ATOL)
