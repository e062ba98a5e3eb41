"""Module: training and evaluation graphs over a CheckpointState, as onnxruntime.training.api.Module."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..cut import find_cut
from ..errors import InvalidInputError, ShapeMismatchError, StateError
from ..file_set import place_of, write_files
from ..graph import ValueInfo
from .checkpoint_state import CheckpointState
from .inference_graph import inference_graph
from .model_source import ModelSource, load_model
from .step_graph import StepGraph, static_shape

if TYPE_CHECKING:
    from .step_description import ModuleDescription

NO_EVAL_MODEL = "This Module was made without an eval model; hand one in as eval_model_uri."


class Module:
    """Runs train and eval steps of ORT training artifacts on the parameters of `state`.

    train_model_uri, eval_model_uri: path or bytes of an .onnx or .ort file, or a graph.Model. The frozen prefix (everything before the
    first value that depends on a trainable parameter) is found from the graph: a step takes either the data inputs or the values of `cut`.
    Making a Module gives every trainable parameter of `state` a gradient buffer of zeros. A nominal state is fine here;
    steps and reads raise StateError until copy_buffer_to_parameters (or replace_parameter, one by one) has filled it.
    """

    training: bool
    state: CheckpointState
    cut: tuple[str, ...]  # the values at the end of the frozen prefix; the data inputs themselves where nothing is frozen before them

    def __init__(
        self,
        train_model_uri: ModelSource,
        state: CheckpointState,
        eval_model_uri: ModelSource | None = None,
        device: str = "cpu",
        session_options: object = None,
        *,
        data_inputs: Collection[str] | None = None,
    ) -> None:
        """device: "cpu" is the only one. session_options: of no effect, there is nothing to set. data_inputs: the user inputs that the
        prefix may depend on; default: the first user input.

        Raises FormatError, UnsupportedOpError, and InvalidInputError or ShapeMismatchError where graphs and state do not go together.
        """
        if device.partition(":")[0] != "cpu":
            raise InvalidInputError(f"The device is to be {device!r}; numpy computes on 'cpu' alone.")
        if not isinstance(state, CheckpointState):
            raise InvalidInputError(f"state is a {type(state).__name__}, expected what CheckpointState.load_checkpoint returns.")
        self.training, self.state = True, state
        self._train = StepGraph(load_model(train_model_uri), state)
        if state.trainable_names and not self._train.accumulates:
            raise InvalidInputError("train_model_uri is a graph that computes no gradients; hand in the training model, not another.")
        self._eval_model = None if eval_model_uri is None else load_model(eval_model_uri)
        self._eval = None if self._eval_model is None else StepGraph(self._eval_model, state)
        known = [value.name for value in self._train.user_inputs]
        data = known[:1] if data_inputs is None else data_inputs
        if not set(data).issubset(known):
            raise InvalidInputError(f"data_inputs are {sorted(data)}, but the training graph's user inputs are {known}.")
        frozen = [value.name for value in self._train.parameters if not state.parameters[value.name].requires_grad]
        self.cut = find_cut(self._train.graph, frozen, data)
        self._reset_gradients = False
        state.allocate_gradients()

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """One step in the present mode; inputs in the order of input_names(), or by name. One output -> array, several -> tuple."""
        if self._present is None:
            raise StateError(NO_EVAL_MODEL)
        expected = self.input_names()
        if len(inputs) > len(expected) or not named.keys().isdisjoint(expected[: len(inputs)]):
            raise InvalidInputError(f"The step takes {expected}, each once; got {len(inputs)} by position and {sorted(named)} by name.")
        feeds = {**dict(zip(expected, inputs, strict=False)), **named}
        outputs = tuple((self.train_step(feeds) if self.training else self.eval_step(feeds)).values())
        return outputs[0] if len(outputs) == 1 else outputs

    def train(self, mode: bool = True) -> Module:
        """Training mode: calls accumulate gradients. Returns self."""
        self.training = mode
        return self

    def eval(self) -> Module:
        """Evaluation mode: calls run the eval model. Returns self."""
        return self.train(False)

    def train_step(self, feeds: Mapping[str, Any], fetches: Sequence[str] = ()) -> dict[str, np.ndarray]:
        """One forward and backward pass; gradients are added into (after lazy_reset_grad: written over) the parameters' `grad`.

        feeds: {user input name: array}, where all values of `cut` may stand for the data inputs. fetches: any values of the training graph,
        beside its outputs. Returns {output or fetch: array}, loss first.
        """
        outputs = self._train.run(feeds, self.cut, reset_gradients=self._reset_gradients, beside=fetches)
        self._reset_gradients = False
        return outputs

    def eval_step(self, feeds: Mapping[str, Any], fetches: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """One pass of the eval model; changes nothing. feeds as in train_step; logits, say, need no labels.

        fetches: any values of the eval graph; default: its outputs. Raises StateError without an eval model.
        """
        if self._eval is None:
            raise StateError(NO_EVAL_MODEL)
        return self._eval.run(feeds, self.cut, fetches)

    def first_non_finite(self, feeds: Mapping[str, Any]) -> str | None:
        """Where NaN (without one: infinity) first appears in a train step on these feeds, in words, or None; changes nothing.

        Old gradients do not count: the step is looked at as after lazy_reset_grad.
        """
        return self._train.first_non_finite(feeds, self.cut)

    def run_prefix(self, feeds: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The values of `cut` for a batch of data inputs: {name: C-contiguous array, one row per picture}; needs no trainable parameter."""
        return {name: np.ascontiguousarray(value) for name, value in self._train.run(feeds, (), self.cut).items()}

    @property
    def parameters_after_cut(self) -> frozenset[str]:
        """Names of the parameters that steps read that are fed the values of `cut`: a nominal state needs no others for these."""
        graphs = [self._train] if self._eval is None else [self._train, self._eval]
        return frozenset().union(*(graph.parameters_from(self.cut) for graph in graphs))

    def lazy_reset_grad(self) -> None:
        """The next train step overwrites the gradients instead of adding to them; until then they stay visible."""
        self._reset_gradients = True

    def get_parameters_size(self, trainable_only: bool = True) -> int:
        """Number of elements of the (trainable) parameters. A nominal state is fine if the graph's shapes are static, else StateError."""
        return sum(int(np.prod(self._shape(value))) for value in self._parameters(trainable_only))

    def get_contiguous_parameters(self, trainable_only: bool = False) -> np.ndarray:
        """A copy of the (trainable) float32 parameters in one flat array, in the order of the training graph's inputs."""
        arrays = [self.state.parameters[value.name].data.reshape(-1) for value in self._parameters(trainable_only)]
        return np.concatenate([np.empty(0, np.float32), *arrays])

    def copy_buffer_to_parameters(self, buffer: Any, trainable_only: bool = True) -> None:
        """Sets the (trainable) parameters from one float32 array of any shape, in the order of get_contiguous_parameters.

        Fills a nominal state with trainable_only=False and all parameters. Raises ShapeMismatchError for another number of elements,
        InvalidInputError for another dtype, StateError for trainable_only on a nominal state; then nothing is changed.
        """
        if trainable_only and self.state.is_nominal:
            raise StateError("The checkpoint is nominal: hand in all parameters, with trainable_only=False.")
        flat, values = np.asarray(buffer).reshape(-1), self._parameters(trainable_only)
        shapes = [self._shape(value) for value in values]
        expected = sum(int(np.prod(shape)) for shape in shapes)
        if flat.dtype != np.float32:
            raise InvalidInputError(f"The buffer must be float32, got {flat.dtype}.")
        if flat.size != expected:
            raise ShapeMismatchError(f"The buffer must have {expected} elements ({len(values)} parameters), got {flat.size}.")
        start = 0
        for value, shape in zip(values, shapes, strict=True):
            size = int(np.prod(shape))
            self._set(value.name, flat[start : start + size].reshape(shape))
            start += size

    def export_model_for_inferencing(self, inference_model_uri: str | os.PathLike[str], graph_output_names: Sequence[str]) -> None:
        """Writes an .onnx file: the part of the eval graph that makes these values, its outputs, with the present parameters inside.

        Raises StateError without an eval model or while a needed parameter has no values, InvalidInputError for values it does not make.
        """
        if self._eval is None or self._eval_model is None:
            raise StateError("This Module was made without an eval model, of which an inference model is made; hand in eval_model_uri.")
        if isinstance(graph_output_names, str):
            raise InvalidInputError(f"graph_output_names must be a list of names, got the text {graph_output_names!r}.")
        values = {value.name: self.state.parameters[value.name].data for value in self._eval.parameters}
        graph = inference_graph(self._eval.graph, graph_output_names, values)
        from .. import onnxformat

        path = place_of(inference_model_uri)
        write_files(path.parent, {path.name: onnxformat.dump_pieces(replace(self._eval_model, graph=graph))}, label=path.name)

    def describe(
        self, batch: int = 8, sizes: Mapping[str, int] | None = None, shapes: Mapping[str, Sequence[int]] | None = None
    ) -> ModuleDescription:
        """What a training step on `batch` rows does and how much memory it takes, before any is run; print it.

        sizes: {name: size} of symbolic dimensions that are neither the batch nor known from the parameters; shapes: {user input: shape},
        where the graph does not even name the open dimensions. Raises InvalidInputError where the shape of an input stays open, and for
        less than one row.
        """
        if batch < 1:
            raise InvalidInputError(f"describe: batch is {batch}, expected a number of rows, at least 1.")
        from .step_description import ModuleDescription, ParameterSize

        sizes, shapes = sizes or {}, shapes or {}
        whole, data = self._train.describe(batch, sizes, shapes), {value.name for value in self._train.user_inputs}
        known = {value.name: whole.memory.specs.get(value.name) for value in self._train.parameters}
        parameters = {
            name: ParameterSize(spec.nbytes if spec else None, self.state.parameters[name].requires_grad) for name, spec in known.items()
        }
        if data.issuperset(self.cut):
            return ModuleDescription(batch, parameters, whole, {}, None)
        followed = {name: spec.shape for name in self.cut if (spec := whole.memory.specs.get(name))}
        rest = self._train.describe(batch, sizes, {**followed, **shapes}, self.cut)
        kept = {name: spec.nbytes // batch for name in self.cut if (spec := rest.memory.specs.get(name))}
        return ModuleDescription(batch, parameters, whole, kept, rest)

    def input_names(self) -> list[str]:
        """User inputs of the present mode's graph, in order; [] in eval mode without eval model."""
        return [value.name for value in self._present.user_inputs] if self._present else []

    def output_names(self) -> list[str]:
        """User outputs of the present mode's graph, in order, the loss first; [] in eval mode without eval model."""
        return list(self._present.user_outputs) if self._present else []

    @property
    def _present(self) -> StepGraph | None:
        return self._train if self.training else self._eval

    def _parameters(self, trainable_only: bool) -> list[ValueInfo]:
        """Of the training graph, in the order of its inputs. Raises InvalidInputError for one that is not float32."""
        parameters = self.state.parameters
        chosen = [value for value in self._train.parameters if parameters[value.name].requires_grad or not trainable_only]
        others = [value.name for value in chosen if parameters[value.name].dtype != np.float32]
        if others:
            raise InvalidInputError(f"Only float32 parameters go into one buffer; these are of other types: {others}.")
        return chosen

    def _shape(self, value: ValueInfo) -> tuple[int, ...]:
        """The state's where it has values (a symbolic dimension, such as num_classes, is only known there), else the graph's."""
        parameter = self.state.parameters[value.name]
        shape = static_shape(value) if parameter.is_nominal else parameter.data.shape
        if shape is None:
            raise StateError(f"The shape of {value.name!r} is not known yet: the graph leaves it open; use state.replace_parameter.")
        return shape

    def _set(self, name: str, data: np.ndarray) -> None:
        if self.state.parameters[name].is_nominal:
            self.state.replace_parameter(name, data)
        else:
            self.state.parameters[name].data = data
