"""generate_artifacts: a forward model in; training, eval and optimizer graphs and checkpoints out.

Source: onnxruntime.training.artifacts.generate_artifacts (ORT 1.19), whose parameters and file names these are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pagetrain.errors import InvalidInputError
from pagetrain.graph import Graph, Model, Shape, ValueInfo
from pagetrain.names import ACCUMULATION_BUFFER_SUFFIX, ACCUMULATION_OUTPUT_SUFFIX, GRADIENT_SUFFIX, LAZY_RESET_GRAD
from pagetrain.ortformat.checkpoint import dump_offline

from .file_set import write_files
from .forward import prepare, with_parameters_as_inputs
from .loss import Block, LossType, add_loss
from .naming import Names
from .onnx_io import ModelSource, infer_types, read, to_bytes
from .optimizer import AdamW, OptimType, optimizer_model
from .ort_writer import to_ort
from .parameters import Parameter, choose_parameters
from .training_graph import training_model
from .value_types import value_types

OLDEST_OPSET = 12  # the first with SoftmaxCrossEntropyLoss and GreaterOrEqual
RESERVED_SUFFIXES = (GRADIENT_SUFFIX, ACCUMULATION_BUFFER_SUFFIX, ACCUMULATION_OUTPUT_SUFFIX)


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The three graphs, and the parameters in the order of the training graph's inputs."""

    training_model: Model
    eval_model: Model
    optimizer_model: Model | None
    parameters: tuple[Parameter, ...]

    def models(self) -> dict[str, Model]:
        """{file stem: model}."""
        found = {"training_model": self.training_model, "eval_model": self.eval_model, "optimizer_model": self.optimizer_model}
        return {stem: model for stem, model in found.items() if model is not None}

    def checkpoint(self, nominal: bool = False) -> bytes:
        """The offline checkpoint; nominal: names and types alone."""
        trainable = {parameter.name: parameter.tensor.data for parameter in self.parameters if parameter.trainable}
        frozen = {parameter.name: parameter.tensor.data for parameter in self.parameters if not parameter.trainable}
        return dump_offline(trainable, frozen, nominal=nominal)


def generate_artifacts(
    model: ModelSource,
    requires_grad: Sequence[str] | None = None,
    frozen_params: Sequence[str] | None = None,
    loss: LossType | None = None,
    optimizer: OptimType | AdamW | None = None,
    artifact_directory: str | os.PathLike[str] | None = None,
    prefix: str = "",
    ort_format: bool = False,
    custom_op_library: str | os.PathLike[str] | None = None,
    additional_output_names: Sequence[str] | None = None,
    nominal_checkpoint: bool = False,
    loss_input_names: Sequence[str] | None = None,
) -> None:
    """Writes <prefix>training_model.onnx, eval_model.onnx, checkpoint; if asked, optimizer_model.onnx, nominal_checkpoint and .ort forms.

    model: a ModelProto, its bytes or its path. requires_grad, frozen_params: initializers that become parameters; others stay inside
    the graphs. loss None takes the model's first output as the (scalar) loss. additional_output_names: values to return beside the loss.
    Nothing is written when anything is wrong. Raises InvalidInputError for names the model has not, for parameters the loss does not
    depend on, and for what cannot be built; UnsupportedOpError naming all ops without a gradient.
    """
    if custom_op_library is not None:
        raise InvalidInputError(f"custom_op_library={os.fspath(custom_op_library)!r}: native code cannot be loaded; leave it out.")
    outputs = additional_output_names or ()
    artifacts = build(read(model), requires_grad or (), frozen_params or (), loss, optimizer, outputs, loss_input_names)
    write(artifacts, Path(artifact_directory or "."), prefix, ort_format, nominal_checkpoint)


def build(
    model: Model,
    requires_grad: Sequence[str],
    frozen_params: Sequence[str],
    loss: LossType | None,
    optimizer: OptimType | AdamW | None,
    additional_output_names: Sequence[str] = (),
    loss_input_names: Sequence[str] | None = None,
    parameter_shapes: Mapping[str, Shape] | None = None,
) -> Artifacts:
    """generate_artifacts without files. parameter_shapes: shapes with a symbolic size, for parameters whose values have 0 there."""
    if (opset := model.opset_import.get("", 1)) < OLDEST_OPSET:
        raise InvalidInputError(f"The model has opset {opset}, training needs {OLDEST_OPSET} or newer; export it again.")
    names, model = Names(), prepare(model)
    parameters = choose_parameters(model.graph, requires_grad, frozen_params, parameter_shapes or {})
    model = infer_types(replace(model, graph=with_parameters_as_inputs(model.graph, parameters)))
    evaluation = _eval_model(model, parameters, loss, additional_output_names, loss_input_names, names)
    training = training_model(evaluation, parameters)
    update = None if optimizer is None else optimizer_model(optimizer, opset, names)
    return Artifacts(training, evaluation, update, parameters)


def _eval_model(
    model: Model,
    parameters: Sequence[Parameter],
    loss: LossType | None,
    additional_output_names: Sequence[str],
    loss_input_names: Sequence[str] | None,
    names: Names,
) -> Model:
    """The forward model with the loss as its first output, then the additional outputs, and the loss's inputs before the parameters."""
    graph = model.graph
    block = Block((), (), graph.outputs[0].name) if loss is None else add_loss(model, loss, loss_input_names, names)
    user_inputs = (*graph.inputs[: len(graph.inputs) - len(parameters)], *block.inputs)
    held = [parameter.name for parameter in parameters]
    _refuse_reserved([*(value.name for value in user_inputs), *additional_output_names, *held])
    grown = replace(graph, nodes=(*graph.nodes, *block.nodes), inputs=(*user_inputs, *(parameter.value_info for parameter in parameters)))
    typed = infer_types(replace(model, graph=replace(grown, value_info=(*graph.value_info, *graph.outputs), outputs=())))
    return replace(typed, graph=_with_outputs(typed, [block.output, *additional_output_names]))


def _with_outputs(model: Model, names: Sequence[str]) -> Graph:
    types = value_types(model.graph)
    made = {name for node in model.graph.nodes for name in node.outputs}
    unknown = [name for name in names if name not in made or name not in types]
    if unknown:
        named = ", ".join(map(repr, unknown))
        raise InvalidInputError(f"The model computes no value {named}; additional_output_names must be outputs of its nodes.")
    return replace(
        model.graph,
        outputs=tuple(ValueInfo(name, types[name]) for name in names),
        value_info=tuple(value for value in model.graph.value_info if value.name not in names),
    )


def _refuse_reserved(names: Sequence[str]) -> None:
    reserved = [name for name in names if name == LAZY_RESET_GRAD or name.endswith(RESERVED_SUFFIXES)]
    if reserved:
        named = ", ".join(map(repr, reserved))
        raise InvalidInputError(f"The inputs, outputs or parameters {named} have names that the trainer keeps for gradients; rename them.")


def write(artifacts: Artifacts, directory: Path, prefix: str = "", ort_format: bool = False, nominal_checkpoint: bool = False) -> None:
    """Writes the files of `artifacts` into a folder, made if needed. Existing ones are replaced, all or none."""
    files = files_of(artifacts, ort_format, nominal_checkpoint)
    write_files(directory, {f"{prefix}{name}": data for name, data in files.items()})


def files_of(artifacts: Artifacts, ort_format: bool, nominal_checkpoint: bool) -> dict[str, bytes]:
    """{file name: content}: the graphs as .onnx and, if asked, .ort; checkpoint and, if asked, nominal_checkpoint."""
    files: dict[str, bytes] = {}
    for stem, model in artifacts.models().items():
        files[f"{stem}.onnx"] = to_bytes(model)
        if ort_format:
            files[f"{stem}.ort"] = to_ort(model)
    files["checkpoint"] = artifacts.checkpoint()
    if nominal_checkpoint:
        files["nominal_checkpoint"] = artifacts.checkpoint(nominal=True)
    return files
