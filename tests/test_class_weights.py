"""How much a picture of each class counts in the loss."""

import numpy as np
import pytest

from pagetrain.class_weights import class_weights
from pagetrain.errors import InvalidInputError


def test_balanced_classes_count_the_same_in_sum():
    """Weights times counts are the same for all classes and sum to the number of pictures; a class without pictures has 1."""
    weights = class_weights("balanced", ["a", "b", "c", "d"], [1, 16, 0, 3])
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights[[0, 1, 3]] * [1, 16, 3], 20 / 3, rtol=1e-6)  # of float32
    assert weights[2] == 1


def test_numbers_by_name():
    """In the order of the classes; 1 for those left out."""
    assert class_weights({"c": 3, "a": 0.5}, ["a", "b", "c"], [1, 1, 1]).tolist() == [0.5, 1, 3]


@pytest.mark.parametrize(
    "wanted, message",
    [
        ("even", "'even'"),
        (2, "is 2, expected 'balanced' or a mapping"),
        ([1, 2], r"is \[1, 2\], expected 'balanced' or a mapping"),
        (np.ones(2), "expected 'balanced' or a mapping"),
        ({"x": 1}, r"the classes \['x'\]"),
        ({"x": 1, 2: 1}, r"the classes \['x', 2\]"),
        ({"a": 0}, "'a' is 0"),
        ({"a": float("nan")}, "nan"),
        ({"a": float("inf")}, "inf"),
        ({"a": "2"}, "'2'"),
        ({"a": True}, "True"),
    ],
)
def test_senseless_weights_are_refused(wanted, message):
    """With the class, and what was given."""
    with pytest.raises(InvalidInputError, match=message):
        class_weights(wanted, ["a", "b"], [1, 1])
