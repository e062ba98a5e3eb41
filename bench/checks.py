"""A broken contestant does not count as fast: it must learn, and compute what the network computes."""

import json
from collections.abc import Sequence
from functools import cache

import numpy as np

from bench import stages

# Frozen weights stored as float16 change features by half a percent; another network's features have nothing in common with these.
TOLERANCE = 0.02


class BrokenError(Exception):
    """What a contestant did wrong."""


def learns(losses: Sequence[float]) -> None:
    """The last third of the losses is below the first third. Raises BrokenError."""
    third = max(1, len(losses) // 3)
    first, last = np.mean(losses[:third]), np.mean(losses[-third:])
    if not last < first:
        raise BrokenError(f"it does not learn: the loss went from {first:.3f} to {last:.3f}")


def same_network(features: Sequence[float] | None) -> None:
    """The first picture's features are onnxruntime's, where a contestant has features. Raises BrokenError."""
    if features is None:
        return
    expected = expected_features()
    difference = np.abs(np.array(features) - expected).max() / np.abs(expected).max()
    if not difference <= TOLERANCE:
        raise BrokenError(f"it computes something else: features differ by {difference:.1%} of the largest")


@cache
def expected_features() -> np.ndarray:
    return np.array(json.loads((stages.MODELS.output / "features.json").read_text(encoding="utf-8")))
