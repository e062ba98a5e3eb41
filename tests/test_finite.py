"""One NaN or infinity anywhere is found; sums that overflow are not taken for it."""

import numpy as np
import pytest

from pagetrain.finite import is_finite

LARGE = np.float32(3e38)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 7, 128, 1299])
def test_one_is_found_wherever_it_is(wrong, place):
    """At both ends, in and between the runs of 8 and 128 that numpy adds up apart."""
    array = np.linspace(-1, 1, 1300, dtype=np.float32)
    assert is_finite(array)
    array[place] = wrong
    assert not is_finite(array)
    assert not is_finite(array.reshape(130, 10).T)


def test_infinities_that_cancel_are_found():
    """Their sum is NaN."""
    assert not is_finite(np.float32([np.inf, 1, -np.inf]))


@pytest.mark.parametrize("array", [np.full(1000, LARGE), np.full((3, 5), 6e4, np.float16), np.float32([LARGE, LARGE, -LARGE]), np.zeros(0)])
def test_numbers_too_large_to_be_added_up_are_finite(array):
    """The sum is infinite in their type, they are not; nothing is finite too."""
    assert is_finite(array)
