"""Ops that the trainer cannot run, and ops on the way of a gradient that have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import onnx
import onnx.defs

from pagetrain import kernels
from pagetrain.graph import ONNX_DOMAIN, Node

from ..custom_ops import is_known
from ..generate import OLDEST_OPSET
from ..gradient.path import dependents
from ..gradient.registry import rule_of
from ..gradient.trial import refusals
from ..op_schemas import exists
from ..recurrent import is_recurrent
from .report import Finding, finding, listed, told
from .subject import Subject

OTHER_OPS = "write the model with other ops"
SUBGRAPHS = {
    "If": "export the model for one case, so that its condition is a constant",
    "Loop": "export the model with a fixed number of steps, so that the loop is written out",
}


@dataclass
class _Lacking:
    """Nodes of one op, and what the trainer lacks for it."""

    lacks: str
    nodes: list[Node] = field(default_factory=list)


def opset(subject: Subject) -> Iterator[Finding]:
    """A model whose arithmetic is not that of today's ONNX, or of none that is known here."""
    newest = onnx.defs.onnx_opset_version()
    if subject.opset > newest:
        why = f"the model has opset {subject.opset}, but the installed onnx {onnx.__version__} knows {newest} at most"
        yield finding(why, "install a newer onnx, or export the model with an older opset")
    if subject.opset < OLDEST_OPSET:
        yield finding(f"the model has opset {subject.opset}, training needs {OLDEST_OPSET} or newer", "export it again with a newer opset")


def lacking(subject: Subject) -> Iterator[Finding]:
    """Ops without a kernel or a gradient, all nodes of one op in one finding."""
    differentiated = {id(node) for node in subject.path.nodes}
    groups: dict[tuple[str, str], _Lacking] = {}
    for node in subject.upstream:
        runs = _runs(node)
        trains = id(node) not in differentiated or rule_of(node) is not None or is_recurrent(node)
        if not exists(node.op_type, node.domain, subject.opset) and onnx.defs.has(node.op_type):
            why = f"opset {subject.opset}, which the model says it is written in, has no op {node.op_type}"
            yield finding(why, "export the model again, with a newer opset", subject.in_model(node))
        elif not (runs and trains):
            lacks = "no gradient" if runs else "no kernel" if trains else "neither kernel nor gradient"
            op = f"{node.domain}.{node.op_type}" if node.domain else f"{node.op_type}-{node.since_version}"
            groups.setdefault((op, lacks), _Lacking(lacks)).nodes.append(node)
    for (op, _), group in groups.items():
        yield _about(subject, op, group)


def _runs(node: Node) -> bool:
    return kernels.find(node.domain, node.op_type, node.since_version) is not None or is_recurrent(node)


def _about(subject: Subject, op: str, group: _Lacking) -> Finding:
    first, more = subject.in_model(group.nodes[0]), len(group.nodes) - 1
    others = f" (and {more} more such node{'s' if more > 1 else ''})" if more else ""
    cut = _cut_off(subject, group.nodes) if "gradient" in group.lacks else []
    unknown = "" if is_known(group.nodes[0]) else ", an op that ONNX does not know"
    why = f"the trainer has {group.lacks} for {op}{others}{unknown}{f', which cuts off {listed(cut)}' if cut else ''}"
    if unknown:
        return finding(why, "export the model with standard ops, or with the op as a function", first)
    instead = SUBGRAPHS.get(first.op_type, OTHER_OPS)
    if not cut:
        return finding(why, instead, first)
    rest = _rest(subject, cut)
    return finding(why, f"train only what comes after it, {rest}" if rest else f"{instead}, or train only what comes after it", first)


def _cut_off(subject: Subject, nodes: Sequence[Node]) -> list[str]:
    """The weights whose gradient would have to pass one of the nodes."""
    made = {name for node in nodes for name in node.outputs}
    names = (name for name in subject.chosen if name in subject.path.values)
    return [name for name in names if dependents(subject.graph, subject.types, [name]) & made]


def _rest(subject: Subject, cut: Sequence[str]) -> str:
    """The weights that can be trained all the same, "" if there are none."""
    return listed([name for name in subject.chosen if name in subject.path.values and name not in cut])


def refused(subject: Subject) -> Iterator[Finding]:
    """Nodes whose op has a gradient, but not for their attributes, types or open sizes; without those behind an op that nobody knows."""
    unknown = _behind_unknown(subject)
    for node, error in refusals(subject.graph, subject.types, subject.path, subject.grown.opset_import[ONNX_DOMAIN]):
        if unknown.isdisjoint(node.inputs):
            found = told(error, OTHER_OPS, subject.in_model(node))
            rest = _rest(subject, _cut_off(subject, [node]))
            less = f", or train only what comes after it{f', {rest}' if rest else ''}"
            yield replace(found, blocker=replace(found.blocker, fix=found.blocker.fix + less))


def _behind_unknown(subject: Subject) -> set[str]:
    """Values that depend on an op of unknown results."""
    found: set[str] = set()
    for node in subject.upstream:
        if not is_known(node) or not _runs(node) or not found.isdisjoint(node.inputs):
            found.update(node.outputs)
    return found - {""}
