"""check(model, request): the findings of all kinds put together, the safe ones put right, and at the end the proof: the artifacts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from pagetrain.errors import PagetrainError
from pagetrain.file_set import size_of
from pagetrain.graph import Model
from pagetrain.names import LABELS

from ..forward import lift_constants, prepare
from ..generate import Artifacts, build, files_of
from ..gradient.path import FLOAT_TYPES
from ..layers import layers_of, matching, parameters_of, weights_of
from ..logits import Scored, find_scored
from ..loss import LossType, with_loss
from ..mode import for_training
from ..naming import Names
from ..onnx_io import infer_types
from ..onnxblock.loss import TARGET
from ..value_types import value_types
from . import names, operators, remarks, scores, sizes, weights
from .prefix import prefix_of
from .report import Finding, Report, Weight, finding, told
from .request import Request
from .subject import Subject

CHECKPOINT, NOMINAL = "checkpoint", "nominal_checkpoint"  # names of files, behind which their data may have files of their own


@dataclass(frozen=True, slots=True)
class Checked:
    """The report and, if nothing is in the way, the artifacts that would be written."""

    report: Report
    artifacts: Artifacts | None


def check(model: Model, request: Request) -> Checked:
    """Everything that is in the way of `request`, and what it would train.

    Raises InvalidInputError for patterns that fit no weight, FormatError for a damaged model.
    """
    lifted = lift_constants(model)
    chosen = matching(lifted.graph, request.trainable)
    scored = _scored(lifted, request)
    report = Report(request.loss.name if request.loss else "", scored.value, scored.why, _labels(request))
    report.notes += [f"{scored.why}."] if scored.moved else []
    frozen = weights_of(lifted.graph) if request.frozen is None else matching(lifted.graph, request.frozen, "--frozen")
    subject = _subject(lifted, request, report, chosen, frozen)
    examination = _Examination(subject, report)
    for kind in (weights.statistics, weights.unreached):
        examination.take(kind)
    for kind in (operators.opset, operators.lacking, operators.refused, names.colliding):
        examination.take(kind)
    examination.describe()
    return Checked(report, examination.built())


def _scored(model: Model, request: Request) -> Scored:
    if request.loss_input_names:
        return Scored(request.loss_input_names[0], "named by --loss-input-names")
    return find_scored(model.graph, request.loss)


def _labels(request: Request) -> str:
    if request.loss is None:
        return ""
    if request.loss_input_names and len(request.loss_input_names) > 1:
        return request.loss_input_names[1]
    return LABELS if request.loss == LossType.CrossEntropyLoss else TARGET


def _subject(model: Model, request: Request, report: Report, chosen: list[str], frozen: list[str]) -> Subject:
    """The model with its loss. What is wrong with the loss is in the report then, and the loss is not there."""
    typed = infer_types(prepare(model, {*weights_of(model.graph), *chosen}))
    grown, loss = typed, report.scored
    report.notes += [f"{note}." for note in scores.remarks(typed.graph, request.loss, report.scored, report.labels)]
    if request.loss is not None:
        wrong = list(scores.misplaced(typed.graph, request.loss, report.scored, report.labels))
        if not wrong:
            report.notes += [f"{note}." for note in scores.squashed(typed.graph, request.loss, report.scored)]
            try:
                grown, outputs = with_loss(typed, request.loss, [report.scored, report.labels], Names())
                grown, loss = for_training(infer_types(grown), request.batch_statistics), outputs[0]
            except PagetrainError as error:
                wrong = [told(error, "name another value with --loss-input-names, or take another --loss")]
        report.blockers += [one.blocker for one in wrong]
        known = value_types(typed.graph).get(report.scored)
        if wrong and (
            known is None or known.element not in FLOAT_TYPES
        ):  # what else is in the way is asked of a value that could be scored
            loss = next(iter([*scores.scorable(typed.graph, request.loss), loss]))
    return Subject(model, grown, request, report.scored, report.labels, loss, tuple(chosen), tuple(n for n in frozen if n not in chosen))


class _Examination:
    """The findings, and the weights that are left to train."""

    def __init__(self, subject: Subject, report: Report) -> None:
        self.subject, self.report = subject, report

    def take(self, kind: Callable[[Subject], Iterable[Finding]]) -> None:
        """Adds the findings of a kind; weights that some of them are about are out of what is looked at afterwards."""
        gone: set[str] = set()
        for found in kind(self.subject):
            if found.leave_out and self.subject.request.fix:
                self.report.notes.append(f"left out of training: {found.blocker.why}.")
            else:
                self.report.blockers.append(found.blocker)
            gone.update(found.leave_out)
        if gone:
            self._leave_out(gone)

    def _leave_out(self, gone: set[str]) -> None:
        chosen = tuple(name for name in self.subject.chosen if name not in gone)
        frozen = (*self.subject.frozen, *(name for name in self.subject.chosen if name in gone))
        self.subject = replace(self.subject, chosen=chosen, frozen=frozen)
        if not chosen and self.subject.request.fix:
            self.report.blockers.append(finding("nothing is left to train", "name weights that the loss depends on").blocker)

    def describe(self) -> None:
        """What would train, and what is worth knowing."""
        report, graph = self.report, self.subject.model.graph
        tensors = {tensor.name: tensor.data for tensor in graph.initializers}
        owners = {name: layer.node for layer in layers_of(graph) for name in layer.weights}
        for name in self.subject.chosen:
            node, data = owners.get(name), tensors[name]
            report.trainable.append(Weight(name, data.shape, data.size, node.called if node else "", node.op_type if node else ""))
        report.trainable_parameters = sum(weight.elements for weight in report.trainable)
        report.total_parameters = sum(tensors[name].size for name in {*parameters_of(graph), *self.subject.chosen})
        for kind in (
            sizes.remarks,
            remarks.partial,
            remarks.shared,
            remarks.wrapped,
            remarks.dropping,
            remarks.normalizing,
            remarks.halves,
            remarks.not_numbers,
        ):
            report.notes += [f"{note}." for note in kind(self.subject)]

    def built(self) -> Artifacts | None:
        """The artifacts and their sizes; None when something is in the way, if only found now."""
        report, subject, request = self.report, self.subject, self.subject.request
        if report.blockers:
            return None
        outputs = list(dict.fromkeys([report.scored, *request.additional_output_names]))
        inputs = None if request.loss is None else [report.scored, report.labels]
        try:
            made = build(
                subject.model,
                subject.chosen,
                subject.frozen,
                request.loss,
                request.optimizer,
                outputs,
                inputs,
                batch_statistics=request.batch_statistics,
            )
            files = files_of(made, ort_format=True, nominal_checkpoint=True)
        except PagetrainError as error:
            report.blockers.append(told(error, "take a look at what the message names").blocker)
            return None
        report.ready = True
        self._measure(made, {name: size_of(content) for name, content in files.items()})
        return made

    def _measure(self, made: Artifacts, files: Mapping[str, int]) -> None:
        report = self.report
        report.checkpoint_bytes = sum(size for name, size in files.items() if name.startswith(CHECKPOINT))
        fetched = sum(size for name, size in files.items() if name.endswith(".ort") or name.startswith(NOMINAL))
        report.download_bytes = fetched + sum(parameter.tensor.data.nbytes for parameter in made.parameters)
        report.notes += [f"{note}." for note in remarks.elsewhere(made)]
        data = [value.name for value in self.subject.model.graph.inputs]
        report.prefix = prefix_of(made.training_model.graph, made.eval_model.graph, self.subject.frozen, data)
