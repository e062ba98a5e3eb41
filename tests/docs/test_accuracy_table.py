"""The interval of the page on accuracy."""

import math

import pytest

from docs.accuracy_table import wilson


@pytest.mark.parametrize("right, count", [(0, 5), (5, 5), (7, 30), (61, 100)])
def test_the_ends_are_the_shares_from_which_the_count_is_1_96_deviations_away(right, count):
    """By the definition: |right / count - p| = z sqrt(p (1 - p) / count) at both ends p."""
    for end in wilson(right, count):
        away = 1.959963984540054 * math.sqrt(max(0.0, end * (1 - end)) / count)
        assert abs(right / count - end) == pytest.approx(away, abs=1e-8)  # float64, where p (1 - p) is nearly 0
