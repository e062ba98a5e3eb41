"""pagetrain.kernels._half_precision: float16 is calculated in float32 and rounded once for each op."""

import numpy as np
import pytest

from pagetrain import executor, plan
from tests.graphs import graph, node, value

X = np.random.default_rng(1).normal(size=(6, 40)).astype(np.float16)
W = np.random.default_rng(2).normal(size=(40, 5)).astype(np.float16)


def run(op_type, inputs, feeds, since=13, **attributes):
    made = graph([node(op_type, inputs, "y", since, **attributes)], [value(name) for name in feeds], ["y"])
    return executor.run(plan.bind(made), feeds)["y"]


def test_a_product_is_rounded_once():
    """Within half a unit in the last place of the float64 product, and the error bound of a float32 sum of 40 (Higham 2002, 3.5)."""
    found, exact = run("MatMul", "x w", {"x": X, "w": W}), X.astype(np.float64) @ W.astype(np.float64)
    assert found.dtype == np.float16
    unit = np.spacing(np.abs(exact).astype(np.float16)).astype(np.float64)
    sums = np.abs(X).astype(np.float64) @ np.abs(W).astype(np.float64)
    assert (np.abs(found - exact) <= 0.5 * unit + 40 * 2.0**-24 * sums).all()


def test_what_is_too_large_becomes_infinity():
    """In silence, as everywhere in the runtime."""
    assert run("Add", "x x", {"x": np.array([40000], np.float16)}, 14).tolist() == [np.inf]


def test_one_number_without_axes_stays_half():
    """numpy's functions give such a result as a scalar, no array."""
    assert run("Exp", "x", {"x": np.array(1, np.float16)}).dtype == np.float16


def test_other_types_and_mixed_inputs():
    """float32 and integers pass by; whole numbers beside float16 stay whole."""
    assert run("MatMul", "x w", {"x": X.astype(np.float32), "w": W.astype(np.float32)}).dtype == np.float32
    found = run("Gather", "x i", {"x": X, "i": np.array([2, -1])})
    assert found.dtype == np.float16
    assert np.array_equal(found, X[[2, -1]])


@pytest.mark.parametrize("op,inputs,since", [("Reshape", "x s", 14), ("Transpose", "x", 13), ("Identity", "x", 14)])
def test_what_only_moves_is_not_converted(op, inputs, since):
    """The result is a view of the input."""
    found = run(op, inputs, {"x": X, "s": np.array([40, 6])} if "s" in inputs else {"x": X}, since)
    assert np.shares_memory(found, X)


def test_types_that_an_attribute_asks_for_are_kept():
    """EyeLike of a float16 matrix as float32 is float32."""
    assert run("EyeLike", "x", {"x": X}, 9, dtype=1).dtype == np.float32
