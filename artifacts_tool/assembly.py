"""assemble: from a forward graph that ends in a loss to the training and eval graphs and their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np
import onnx

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import Content
from pagetrain.graph import ONNX_DOMAIN, Graph, Model, Shape, Tensor, ValueInfo
from pagetrain.names import ACCUMULATION_BUFFER_SUFFIX, ACCUMULATION_OUTPUT_SUFFIX, GRADIENT_SUFFIX, LAZY_RESET_GRAD
from pagetrain.ortformat.checkpoint import dump_offline, offline_files
from pagetrain.ortformat.checkpoint_data import EXTERNAL_FROM

from .forward import with_parameters_as_inputs
from .half_precision import with_float32_masters
from .mode import for_evaluation, for_training
from .onnx_io import infer_types
from .parameters import Parameter, choose_parameters
from .proto_writer import tensor_proto
from .training_graph import training_model
from .value_types import value_types

RESERVED_SUFFIXES = (GRADIENT_SUFFIX, ACCUMULATION_BUFFER_SUFFIX, ACCUMULATION_OUTPUT_SUFFIX)


@dataclass(frozen=True, slots=True)
class Assembled:
    """The two graphs, and the parameters in the order of the training graph's inputs."""

    training_model: Model
    eval_model: Model
    parameters: tuple[Parameter, ...]

    def checkpoint(self, nominal: bool = False) -> bytes:
        """The offline checkpoint in one piece; nominal: names and types alone."""
        return dump_offline(*self._values(), nominal=nominal)

    def checkpoint_files(self, name: str, external_from: int = EXTERNAL_FROM) -> dict[str, Content]:
        """{file name: content} of the offline checkpoint: one file, or two from so many bytes on."""
        return dict(offline_files(name, *self._values(), external_from))

    def _values(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        trainable = {parameter.name: parameter.tensor.data for parameter in self.parameters if parameter.trainable}
        frozen = {parameter.name: parameter.tensor.data for parameter in self.parameters if not parameter.trainable}
        return trainable, frozen

    def tensors(self, with_large: bool = True) -> tuple[list[onnx.TensorProto], list[onnx.TensorProto]]:
        """(trainable, frozen) parameters as TensorProtos. with_large False: large ones without their values."""
        trained: list[onnx.TensorProto] = []
        frozen: list[onnx.TensorProto] = []
        for parameter in self.parameters:
            (trained if parameter.trainable else frozen).append(tensor_proto(parameter.tensor, with_large))
        return trained, frozen


def assemble(
    model: Model,
    output_names: Sequence[str],
    requires_grad: Sequence[str],
    frozen_params: Sequence[str],
    initializers: Sequence[Tensor] = (),
    parameter_shapes: Mapping[str, Shape] | None = None,
    batch_statistics: bool = False,
) -> Assembled:
    """The graphs of a typed forward model. output_names: the loss, then what else is returned.

    batch_statistics: whether every BatchNormalization of the training graph goes by the statistics of the batch, see for_training.
    initializers: those of the model without its loss, if some are inputs by now because parameter_shapes gives them a symbolic size.
    Raises InvalidInputError for names that the model has not or that the trainer keeps for itself, and what training_model raises.
    """
    before = {tensor.name for tensor in initializers}
    tensors = (*initializers, *(tensor for tensor in model.graph.initializers if tensor.name not in before))
    parameters = choose_parameters(tensors, requires_grad, frozen_params, parameter_shapes or {})
    graph, parameters = with_float32_masters(model.graph, parameters, model.opset_import[ONNX_DOMAIN])
    forward = _with_interface(replace(model, graph=graph), parameters, output_names)
    trained = training_model(for_training(forward, batch_statistics), parameters)
    return Assembled(trained, replace(forward, graph=for_evaluation(forward.graph)), parameters)


def _with_interface(model: Model, parameters: Sequence[Parameter], output_names: Sequence[str]) -> Model:
    """The model with the parameters as its last inputs and the named values as its outputs."""
    moved = with_parameters_as_inputs(model.graph, parameters)
    _refuse_reserved([*(value.name for value in moved.inputs), *output_names])
    made = {name for node in moved.nodes for name in node.outputs}
    known = tuple(value for value in (*moved.value_info, *moved.outputs) if value.name in made)
    typed = infer_types(replace(model, graph=replace(moved, value_info=known, outputs=())))
    return replace(typed, graph=_with_outputs(typed.graph, output_names))


def _with_outputs(graph: Graph, names: Sequence[str]) -> Graph:
    types = value_types(graph)
    made = {name for node in graph.nodes for name in node.outputs}
    unknown = [name for name in names if name not in made or name not in types]
    if unknown:
        named = ", ".join(map(repr, unknown))
        near = " or ".join(map(repr, get_close_matches(unknown[0], sorted(made & types.keys()), 3)))
        such = f", such as {near}" if near else ""
        raise InvalidInputError(f"The model computes no value {named}; name outputs of its nodes as additional outputs{such}.")
    return replace(
        graph,
        outputs=tuple(ValueInfo(name, types[name]) for name in names),
        value_info=tuple(value for value in graph.value_info if value.name not in names),
    )


def is_reserved(name: str) -> bool:
    """Whether the trainer would take a value of this name for a gradient."""
    return name == LAZY_RESET_GRAD or name.endswith(RESERVED_SUFFIXES)


def _refuse_reserved(names: Sequence[str]) -> None:
    reserved = [name for name in names if is_reserved(name)]
    if reserved:
        named = ", ".join(map(repr, reserved))
        raise InvalidInputError(f"The inputs, outputs or parameters {named} have names that the trainer keeps for gradients; rename them.")
