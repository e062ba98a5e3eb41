"""The report of check. Its fields are the keys of `check --json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pagetrain.errors import PagetrainError
from pagetrain.graph import Node, Shape


@dataclass(frozen=True, slots=True)
class Blocker:
    """One reason why training would fail. node, op: of the first node it is about (without a name: its first output), "" if none."""

    node: str
    op: str
    why: str
    fix: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A blocker that goes away when the weights `leave_out` are not trained, if there are any: then `fix` may do that."""

    blocker: Blocker
    leave_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight that would train. node, op: the layer that it belongs to (without a name: its first output)."""

    name: str
    shape: Shape
    elements: int
    node: str
    op: str


@dataclass(frozen=True, slots=True)
class Cached:
    """A value at the end of the frozen prefix. elements, bytes: of one example; None where `open_sizes` are not fixed.

    for_gradients: it is no value of the model but of the backward pass, kept because the prefix determines it.
    """

    value: str
    shape: Shape | None
    elements: int | None
    bytes: int | None
    open_sizes: tuple[str, ...] = ()
    for_gradients: bool = False


@dataclass
class Report:
    """What check found. `ready`: nothing is in the way. checkpoint_bytes, download_bytes: None where something is in the way.

    scored: the value that the loss is about, scored_because: how it was found; labels: the input that the loss takes beside it ("" for
    none). download_bytes: what a page fetches, that is graphs, nominal checkpoint and values.
    """

    loss: str
    scored: str
    scored_because: str
    labels: str
    ready: bool = False
    trainable: list[Weight] = field(default_factory=list)
    trainable_parameters: int = 0
    total_parameters: int = 0
    prefix: list[Cached] = field(default_factory=list)
    checkpoint_bytes: int | None = None
    download_bytes: int | None = None
    blockers: list[Blocker] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def finding(why: str, fix: str, node: Node | None = None, leave_out: Sequence[str] = ()) -> Finding:
    """A finding about a node, or about none."""
    return Finding(Blocker(node.called if node else "", node.op_type if node else "", why, fix), tuple(leave_out))


def told(error: PagetrainError, fix: str, node: Node | None = None) -> Finding:
    """A finding made of an error, whose text is "<why>; <what to do>."; `fix` where it does not say what to do."""
    text = " ".join(str(error).split()).rstrip(".")
    why, _, advice = (text.removeprefix(f"{node.label}").lstrip(": ") if node else text).rpartition("; ")
    return finding(why, advice, node) if why else finding(advice, fix, node)


def listed(names: Sequence[str]) -> str:
    """'a', 'b' and 3 more."""
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
