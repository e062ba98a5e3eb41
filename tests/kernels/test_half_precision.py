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


NUMBERS = np.array([1000.5, 0.5], np.float32)
TWO, HALVES = np.array([2], np.float16), np.ones(2, np.float16)
MIXED = {
    "Pow: that of X": ("Pow", [NUMBERS, TWO], 15, {}, [[1001000.25, 0.25]]),
    "Pow: that of X, half": ("Pow", [TWO, TWO.astype(np.float32)], 15, {}, [np.float16([4])]),
    "Dropout: that of data": ("Dropout", [NUMBERS, np.float16(0.5)], 13, {}, [NUMBERS]),
    "OneHot: that of values": ("OneHot", [np.array([1]), TWO, NUMBERS], 11, {}, [NUMBERS[None]]),
    "RMSNormalization: that of scale": ("RMSNormalization", [np.float32([3, -3]), TWO], 23, {}, [np.float16([2, -2])]),
    "BatchNormalization: running values, that of theirs": (
        "BatchNormalization",
        [np.zeros((1, 2), np.float16), HALVES, HALVES, NUMBERS, NUMBERS],
        15,
        {"training_mode": 1, "momentum": 1.0},
        [np.float16([[1, 1]]), NUMBERS, NUMBERS],
    ),
}


@pytest.mark.parametrize("op_type,inputs,since,attributes,expected", MIXED.values(), ids=MIXED)
def test_a_result_has_the_type_that_the_op_says(op_type, inputs, since, attributes, expected):
    """Where float32 and float16 meet: what is float32 is not rounded, and does not become infinite."""
    names = [f"i{at}" for at in range(len(inputs))]
    outputs = [f"o{at}" for at in range(len(expected))]
    made = graph([node(op_type, " ".join(names), " ".join(outputs), since, **attributes)], [value(name) for name in names], outputs)
    found = executor.run(plan.bind(made), {name: np.asarray(given) for name, given in zip(names, inputs, strict=True)})
    for result, wanted in zip(found.values(), expected, strict=True):
        wanted = np.asarray(wanted, np.float32) if isinstance(wanted, list) else wanted
        assert result.dtype == wanted.dtype
        # epsilon is 1e-5: beside 9 it is below the steps of float16, beside 0.25 and 1000 nothing is computed with it
        np.testing.assert_array_equal(result, wanted)
