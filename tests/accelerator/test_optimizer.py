"""The accelerated AdamW step against its numpy twin: the same bits, in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pagetrain_accelerator.library import Library
from tests.accelerator.running import MS, pair, unaligned
from tests.cases.case import floats

SIZES = (0, 1, 3, 4, 130)


def tensors() -> list[list[np.ndarray]]:
    """Weights, gradients, first and second moments (not negative)."""
    lists = [[unaligned(floats(size, seed=part)) for size in SIZES] for part in range(4)]
    for second in lists[3]:
        np.abs(second, out=second)
    return lists


@pytest.mark.parametrize("attributes", [{}, {"adam_mode": 1}, {"correct_bias": 0}, {"alpha": 0.8, "beta": 0.9, "weight_decay": 0.0}])
def test_three_steps(library: Library, attributes: dict[str, Any]) -> None:
    """Both modes, with and without correction."""
    accelerated, twin = pair(library, "AdamWOptimizer", MS, **attributes)
    ours, theirs = tensors(), tensors()
    for step in (1, 2, 3):
        for run, lists in ((accelerated, ours), (twin, theirs)):
            updated, weights, *_ = run(np.float32([0.01]), np.int64([step]), *lists)
            assert updated.all()
            assert weights is lists[0]
    for mine, other in zip(ours, theirs, strict=True):
        for got, expected in zip(mine, other, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_weights_of_doubles_are_left_to_numpy(library: Library) -> None:
    """The side module reads float32."""
    accelerated, _ = pair(library, "AdamWOptimizer", MS)
    lists = [[np.ones(2)] for _ in range(4)]
    with pytest.raises(AssertionError, match="left to numpy"):
        accelerated(np.float32([0.01]), np.int64([1]), *lists)


def test_weights_that_may_not_be_written_are_left_to_numpy(library: Library) -> None:
    """numpy says that they are read-only; the side module would write them."""
    accelerated, _ = pair(library, "AdamWOptimizer", MS)
    lists = [[np.ones(2, np.float32)] for _ in range(4)]
    lists[0][0].flags.writeable = False
    with pytest.raises(AssertionError, match="left to numpy"):
        accelerated(np.float32([0.01]), np.int64([1]), *lists)
