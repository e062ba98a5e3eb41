"""The frozen prefix: where it ends, and how much of one example has to be kept there."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from pagetrain.cut import find_cut
from pagetrain.graph import NUMPY_DTYPES, Graph, Shape, TensorType

from ..more_types import is_said
from ..value_types import value_types
from .report import Cached


def prefix_of(graph: Graph, forward: Graph, frozen: Sequence[str], data: Collection[str]) -> list[Cached]:
    """The values at its end. graph, forward: the training and eval graphs; data: the model's own inputs, which start it."""
    types = value_types(graph)
    open_sizes = tuple(dict.fromkeys(str(size) for name in data for size in _after_batch(types.get(name)) if not isinstance(size, int)))
    own = {*data, *(name for node in forward.nodes for name in node.outputs)}
    found = [_cached(name, types.get(name), open_sizes) for name in find_cut(graph, frozen, data)]
    return [replace(one, for_gradients=one.value not in own) for one in found]


def _after_batch(known: TensorType | None) -> Shape:
    return known.shape[1:] if known and known.shape else ()


def _cached(name: str, known: TensorType | None, open_sizes: tuple[str, ...]) -> Cached:
    """open_sizes: those of the inputs; they stand for sizes of the value that have no name."""
    if known is None or known.shape is None:
        return Cached(name, None, None, None, open_sizes)
    shape = tuple(size if is_said(size) else None for size in known.shape)
    of_one = shape[1:]
    unknown = [size for size in of_one if not isinstance(size, int)]
    if unknown or not shape:
        named = tuple(dict.fromkeys(size for size in unknown if size is not None))
        return Cached(name, shape, None, None, named if len(named) == len(unknown) else open_sizes)
    elements = math.prod(size for size in of_one if isinstance(size, int))
    width = NUMPY_DTYPES[known.element].itemsize if known.element in NUMPY_DTYPES else None
    return Cached(name, shape, elements, None if width is None else elements * width)
