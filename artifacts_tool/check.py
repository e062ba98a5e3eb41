"""check: everything that stands in the way of training a model, at once and before anything is built; and what would be trained."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pagetrain import kernels
from pagetrain.cut import find_cut
from pagetrain.errors import PagetrainError
from pagetrain.graph import NUMPY_DTYPES, Graph, Model, Node, Shape

from .assembly import is_reserved
from .forward import lift_constants, prepare
from .generate import Artifacts, build
from .gradient.path import consumed, dependents, trace
from .gradient.registry import rule_of
from .layers import STATISTICS, matching, weights_of
from .logits import find_scored
from .loss import LossType, with_loss
from .mode import normalizes_by_batch
from .naming import Names
from .onnx_io import infer_types
from .unroll import is_recurrent
from .value_types import value_types


@dataclass(frozen=True, slots=True)
class Blocker:
    """One reason why training would fail. node, op: "" where it is not about one node."""

    node: str
    op: str
    why: str
    fix: str


@dataclass(frozen=True, slots=True)
class Cached:
    """A value at the end of the frozen prefix. elements, bytes: of one input; None where a size is open."""

    value: str
    shape: Shape | None
    elements: int | None
    bytes: int | None


@dataclass
class Report:
    """What check found. `trainable`: names and shapes of what would train, without what `notes` say was left out."""

    loss: str
    scored: str
    trainable: dict[str, Shape] = field(default_factory=dict)
    trainable_parameters: int = 0
    total_parameters: int = 0
    prefix: list[Cached] = field(default_factory=list)
    blockers: list[Blocker] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(model: Model, patterns: Sequence[str], loss: LossType, logits: str | None = None, fix: bool = False) -> Report:
    """The report on training what `patterns` mean (names, * and ?, last:N) with `loss` on `logits` (default: found from the outputs).

    fix: what can be left out safely is left out, with a note, instead of blocking.
    """
    lifted = lift_constants(model)
    scored, why = (logits, "") if logits is not None else find_scored(lifted.graph, loss)
    report = Report(loss.name, scored, notes=[*([f"{why}."] if why else []), *_notes_on_mode(lifted.graph)])
    checked = _Check(lifted, loss, report, fix)
    chosen = checked.chosen(patterns)
    chosen = checked.without_statistics(chosen)
    chosen = checked.along_the_path(chosen)
    checked.finish(chosen)
    return report


def _notes_on_mode(graph: Graph) -> Iterator[str]:
    moving = [node.name for node in graph.nodes if normalizes_by_batch(node)]
    if moving:
        yield f"BatchNormalization in training mode ({_listed(moving)}) goes by the batch and changes its running statistics in training."


class _Check:
    def __init__(self, model: Model, loss: LossType, report: Report, fix: bool) -> None:
        self.model, self.graph, self.loss, self.report, self.fix = model, model.graph, loss, report, fix
        self.sizes = {tensor.name: tensor.data for tensor in model.graph.initializers}

    def block(self, why: str, fix: str, node: Node | None = None) -> None:
        self.report.blockers.append(Blocker(node.name if node else "", node.op_type if node else "", why, fix))

    def chosen(self, patterns: Sequence[str]) -> list[str]:
        try:
            return matching(self.graph, patterns)
        except PagetrainError as error:
            self.block(str(error), "name weights that the model has; `inspect` lists them")
            return []

    def leave_out(self, names: Sequence[str], why: str, node: Node | None = None) -> None:
        """A blocker or, with fix, a note."""
        listed = ", ".join(map(repr, names))
        if names and self.fix:
            self.report.notes.append(f"{listed} left out: {why}.")
        elif names:
            self.block(f"{listed}: {why}", "take it out of --trainable, or let --fix leave it out", node)

    def without_statistics(self, chosen: list[str]) -> list[str]:
        """Running means and variances are no weights."""
        statistics: set[str] = set()
        for node in self.graph.nodes:
            read = [node.inputs[index] for index in STATISTICS.get(node.op_type, ()) if index < len(node.inputs)]
            found = [name for name in read if name in chosen]
            self.leave_out(found, f"statistics that {node.op_type} measures, which have no gradient", node)
            statistics.update(found)
        return [name for name in chosen if name not in statistics]

    def along_the_path(self, chosen: list[str]) -> list[str]:
        """Loss, names, kernels, gradients. Returns the weights that the loss depends on."""
        keep = {*weights_of(self.graph), *chosen}
        try:
            typed = infer_types(prepare(self.model, keep))
        except PagetrainError as error:
            self.block(str(error), "repair the model; onnx.checker says more")
            return []
        grown, loss = self._with_loss(typed)
        types = value_types(infer_types(grown).graph) if grown is not typed else value_types(typed.graph)
        self._names(grown.graph, chosen)
        self._kernels(grown.graph, loss)
        path = trace(grown.graph, types, chosen, loss)
        read = consumed(grown.graph)
        self.leave_out([name for name in chosen if name not in read], "no node uses it")
        cut_off = [name for name in chosen if name in read and name not in path.values]
        self.leave_out(cut_off, f"the loss on {self.report.scored!r} does not depend on it")
        for node in path.nodes:
            if rule_of(node) is None and not is_recurrent(node):
                above = [name for name in chosen if name in path.values and dependents(grown.graph, types, name) & set(node.outputs)]
                self.block(f"the op has no gradient, which cuts off {_listed(above)}", "train only what comes after it", node)
        return [name for name in chosen if name in path.values]

    def _with_loss(self, typed: Model) -> tuple[Model, str]:
        try:
            grown, outputs = with_loss(typed, self.loss, [self.report.scored], Names())
        except PagetrainError as error:
            self.block(str(error), "name the value that the loss is about with --logits, or take another --loss")
            return typed, self.report.scored
        return grown, outputs[0]

    def _names(self, graph: Graph, chosen: Sequence[str]) -> None:
        taken = [name for name in (*(value.name for value in graph.inputs), *chosen, self.report.scored) if is_reserved(name)]
        for name in dict.fromkeys(taken):
            self.block(f"the name {name!r} is one that the trainer keeps for gradients", "rename it")

    def _kernels(self, graph: Graph, loss: str) -> None:
        for node in _upstream(graph, loss):
            if kernels.find(node.domain, node.op_type, node.since_version) is None:
                op = kernels.op_id(node.domain, node.op_type, node.since_version)
                self.block(f"the trainer has no kernel for {op}", "write the model with other ops", node)

    def finish(self, chosen: list[str]) -> None:
        """What would train and, if nothing is in the way so far, the proof: the artifacts are built."""
        report = self.report
        report.trainable = {name: self.sizes[name].shape for name in chosen}
        report.trainable_parameters = sum(self.sizes[name].size for name in chosen)
        report.total_parameters = sum(self.sizes[name].size for name in weights_of(self.graph))
        if report.blockers:
            return
        frozen = [name for name in weights_of(self.graph) if name not in chosen]
        try:
            made = build(self.model, chosen, frozen, self.loss, None, [report.scored], [report.scored])
        except PagetrainError as error:
            self.block(str(error), "see the message")
            return
        report.prefix = _prefix(made, frozen)


def _upstream(graph: Graph, output: str) -> Iterator[Node]:
    """The nodes that a value depends on, in order."""
    needed, found = {output}, []
    for node in reversed(graph.nodes):
        if needed & set(node.outputs):
            needed |= set(node.inputs)
            found.append(node)
    return reversed(found)


def _prefix(made: Artifacts, frozen: Sequence[str]) -> list[Cached]:
    graph = made.eval_model.graph
    types = value_types(graph)
    data = {value.name for value in graph.inputs} - {parameter.name for parameter in made.parameters}
    first = next((value.name for value in graph.inputs if value.name in data), "")
    found = []
    for name in find_cut(graph, frozen, [first]):
        known = types.get(name)
        shape = known.shape if known else None
        sizes = [size for size in shape[1:] if isinstance(size, int)] if shape else []
        elements = math.prod(sizes) if shape and len(sizes) == len(shape) - 1 else None
        width = NUMPY_DTYPES[known.element].itemsize if known and known.element in NUMPY_DTYPES else None
        found.append(Cached(name, shape, elements, None if elements is None or width is None else elements * width))
    return found


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
