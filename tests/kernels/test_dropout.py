"""Dropout in training mode: chance, scale, gradient, and the same numbers for the same seed."""

import numpy as np
import pytest

from pagetrain.kernels.dropout import dropout, dropout_grad, set_seed
from tests.cases.case import floats, scalar

TRAIN = np.array(True)
X = floats(100, 100, low=1)


def test_a_share_is_dropped_and_the_rest_scaled() -> None:
    """So that the mean stays: kept values are data / (1 - ratio), the others 0, as the mask says."""
    output, mask = dropout(X, scalar(0.25), TRAIN)
    np.testing.assert_allclose(output, np.where(mask, X / 0.75, 0), rtol=1e-6)
    # 10000 draws with probability 3/4: the standard deviation of the share is 0.0043.
    assert abs(mask.mean() - 0.75) < 0.02


def test_the_gradient_passes_where_the_value_did() -> None:
    """The op is linear for a given mask: the gradient of the sum is the output's slope."""
    output, mask = dropout(X, scalar(0.25), TRAIN)
    (dX,) = dropout_grad(np.ones_like(X), mask, scalar(0.25), TRAIN)
    np.testing.assert_allclose(dX * X, output, rtol=1e-6)
    assert dropout_grad(X, mask, scalar(0.25), np.array(False))[0] is X


@pytest.mark.parametrize("seed", [None, 7])
def test_the_same_seed_gives_the_same_masks(seed: int | None) -> None:
    """One after the other, with and without a seed attribute; the next call gives others."""
    runs = []
    for _ in range(2):
        set_seed(1)
        runs.append([dropout(X, scalar(0.5), TRAIN, seed=seed)[1] for _ in range(2)])
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0][0] != runs[0][1]).any()


@pytest.mark.parametrize("seed, other", [(None, True), (7, False)])
def test_another_seed_gives_other_masks(seed: int | None, other: bool) -> None:
    """Unless the node has a seed of its own: then that one decides."""
    masks = []
    for common in (1, 2):
        set_seed(common)
        masks.append(dropout(X, scalar(0.5), TRAIN, seed=seed)[1])
    assert (masks[0] != masks[1]).any() == other


def test_everything_may_be_dropped() -> None:
    """A ratio of 1 gives zeros, not NaN."""
    assert not dropout(X, scalar(1), TRAIN)[0].any()
