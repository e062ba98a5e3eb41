"""bind(graph) -> Plan: everything that can be done once before running. split(graph) -> frozen prefix and the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .graph import Graph


@dataclass(frozen=True, slots=True)
class Step:
    """One kernel call. `dead`: values that no later step and no fetch needs."""

    run: Callable[..., tuple[Any, ...]]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    dead: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A graph made ready to run: see executor.run. `inputs`: the feeds it needs; `fetches`: the values it returns."""

    name: str
    steps: tuple[Step, ...]
    initializers: Mapping[str, Any]
    inputs: tuple[str, ...]
    fetches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """A graph cut in two. `cut`: values the prefix makes and the suffix (or the graph's outputs) needs; they have one row per picture."""

    prefix: Graph
    suffix: Graph
    cut: tuple[str, ...]


def bind(graph: Graph, fetches: Sequence[str] | None = None) -> Plan:
    """The plan that computes `fetches` (default: the graph's outputs), with only the steps and inputs that this needs.

    Finds each node's kernel by (domain, op_type, since_version), decodes attributes, computes what depends on constants alone, and notes
    each value's last use. Raises UnsupportedOpError naming every op without a kernel at once, InvalidInputError for a fetch the graph has not.
    """
    raise NotImplementedError


def split(graph: Graph, frozen: Collection[str], data_inputs: Collection[str]) -> Split:
    """Cuts the graph where the first value that depends on something else than `data_inputs`, `frozen` inputs and constants is made.

    The prefix is a function of one picture at a time (no trainable parameter, label, gradient buffer or flag reaches it), so `cut` can be
    computed once per picture and kept. Its outputs are `cut`; the suffix has `cut` as its first inputs in place of `data_inputs`.
    Names of values and of graph inputs stay. What depends on constants and frozen parameters alone, and what only tells a shape (it
    speaks of the batch, not of a picture), is never in `cut`: the suffix makes it again.
    """
    raise NotImplementedError
