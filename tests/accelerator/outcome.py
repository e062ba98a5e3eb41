"""What comes of a graph on the side module, guarded, and in numpy: results, or an error of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pagetrain import backend, executor
from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph
from pagetrain.plan import bind
from pagetrain_accelerator.library import Library
from pagetrain_accelerator.ops import offers
from tests.accelerator.guarded import Guarded


@dataclass
class Refused:
    """By one of our own errors."""

    why: PagetrainError


Outcome = list[np.ndarray] | Refused


def in_both(library: Library, graph: Graph, feeds: Mapping[str, Any]) -> tuple[Outcome, Outcome]:
    """(on the guarded side module, in numpy). Any other error than one of ours is let through."""
    before = backend.name()
    backend.register("guarded", offers(Guarded(library)))
    try:
        return _outcome("guarded", graph, feeds), _outcome("numpy", graph, feeds)
    finally:
        backend.use(before)
        backend._OFFERS.pop("guarded")


def _outcome(name: str, graph: Graph, feeds: Mapping[str, Any]) -> Outcome:
    backend.use(name)
    given = {name: [_copy(one) for one in value] if isinstance(value, list) else _copy(value) for name, value in feeds.items()}
    try:
        return list(executor.run(bind(graph), given).values())
    except PagetrainError as error:
        return Refused(error)


def _copy(array: np.ndarray) -> np.ndarray:
    """Of the same values in the same layout. What is laid over itself is not copied: nobody may write it anyway."""
    return array if 0 in array.strides else np.copy(array, order="K")
