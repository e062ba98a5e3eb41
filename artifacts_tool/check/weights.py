"""Weights that cannot be trained although they were named: statistics, unused ones, those that no gradient reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pagetrain.graph import Node, TensorType
from pagetrain.topology import reads

from ..gradient.path import FLOAT_TYPES, consumed, dependents
from ..gradient.registry import rule_of
from ..layers import STATISTICS, origins
from .report import Finding, finding, listed
from .subject import Subject

FIX = "take {} out of --trainable, or let --fix leave {} out"


def statistics(subject: Subject) -> Iterator[Finding]:
    """Running means and variances: they are measured, not learnt."""
    graph = subject.model.graph
    origin = origins(graph)
    for node in graph.nodes:
        named = [origin.get(node.inputs[index], "") for index in STATISTICS.get(node.op_type, ()) if index < len(node.inputs)]
        found = [name for name in named if name in subject.chosen]
        if found:
            yield _left_out(found, f"statistics that {node.op_type} measures, which have no gradient", node)


def unreached(subject: Subject) -> Iterator[Finding]:
    """Weights that no node reads, that the loss does not depend on, and that are cut off by an op without a usable gradient."""
    read = consumed(subject.graph)
    idle = [name for name in subject.chosen if name not in read]
    if idle:
        yield _left_out(idle, "no node uses " + _them(idle))
    needed = {name for node in subject.upstream for name in reads(node)}
    apart = [name for name in subject.chosen if name in read and name not in needed]
    if apart:
        yield _left_out(apart, f"the loss on {subject.scored!r} does not depend on {_them(apart)}", instead=_other_outputs(subject, apart))
    cuts: dict[int, tuple[Node, str, list[str]]] = {}
    for name in subject.chosen:
        if name in needed and name not in subject.path.values:
            node, reason = _cut(subject, name)
            cuts.setdefault(id(node), (node, reason, []))[2].append(name)
    for node, reason, names in cuts.values():
        whole = subject.in_model(node)
        inside = f" (in the body of {whole.op_type})" if whole is not node else ""
        yield _left_out(names, f"no gradient comes back to {_them(names)}: {reason}{inside}", whole)


def _other_outputs(subject: Subject, names: list[str]) -> str:
    """The model's outputs that do depend on one of the weights, as advice."""
    reached = dependents(subject.graph, subject.types, names)
    found = [value.name for value in subject.model.graph.outputs if value.name in reached]
    return f", or score {' or '.join(map(repr, found))} with --loss-input-names" if found else ""


def _cut(subject: Subject, name: str) -> tuple[Node, str]:
    """(the first node behind which the loss depends on the weight by no float value, why)."""
    reached = dependents(subject.graph, subject.types, [name])
    for node in subject.upstream:
        touched = [index for index, value in enumerate(reads(node)) if value in reached]
        if touched and not reached.intersection(node.outputs):
            return node, _reason(node, touched[0], subject.types)
    raise AssertionError("a weight that reaches the loss by float values alone is on the path")


def _reason(node: Node, index: int, types: Mapping[str, TensorType]) -> str:
    made = types.get(node.outputs[0])
    if made is not None and made.element not in FLOAT_TYPES:
        return f"{node.op_type} makes {made.element.name.lower()} numbers of it, which do not change by small steps"
    rule = rule_of(node)
    assert rule is not None, "what has no rule lets every float through"
    if index == 0:
        return f"{node.op_type} moves in steps, so its gradient is 0"
    return f"input {index} of {node.op_type} is a bound, a size or a choice, by which nothing is differentiated"


def _left_out(names: list[str], why: str, node: Node | None = None, instead: str = "") -> Finding:
    return finding(f"{listed(names)}: {why}", FIX.format(_them(names), _them(names)) + instead, node, names)


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
