"""Dropout in training: chance, but not any chance."""

from __future__ import annotations

import numpy as np

from pagetrain.kernels.dropout import dropout_12
from tests.cases.case import scalar

ON = np.array(True)


def test_what_is_kept_is_scaled() -> None:
    """Each element is 0 or data / (1 - ratio), as the mask says; about a quarter goes, so the mean stays."""
    data = np.ones((100, 100), np.float32)
    output, mask = dropout_12(data, scalar(0.25), ON, seed=3)
    assert output.dtype == np.float32
    np.testing.assert_array_equal(output, np.where(mask, np.float32(1 / 0.75), 0))
    assert 0.23 < 1 - mask.mean() < 0.27  # 10 000 draws: a standard deviation is 0.0043


def test_a_seed_gives_the_same_mask() -> None:
    """Two calls with a seed agree, two without do not."""
    data = np.ones((50, 50), np.float32)
    first, second = (dropout_12(data, None, ON, seed=1)[1] for _ in range(2))
    assert np.array_equal(first, second)
    first, second = (dropout_12(data, None, ON)[1] for _ in range(2))
    assert not np.array_equal(first, second)
