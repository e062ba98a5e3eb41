"""Optimizer: the optimizer graph over a Module's state, as onnxruntime.training.api.Optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import executor, names
from ..errors import InvalidInputError
from ..kernels import Spec
from ..plan import bind
from .checkpoint_state import CheckpointState
from .model_source import ModelSource, load_model
from .module import Module

if TYPE_CHECKING:
    from .step_description import OptimizerDescription

_MOMENTS = (names.FIRST_ORDER_MOMENTS, names.SECOND_ORDER_MOMENTS)
_REQUIRED = (names.LEARNING_RATE, names.STEP, names.PARAMETERS, names.GRADIENTS)


class Optimizer:
    """Updates the trainable parameters of `module.state` from their gradients. Default learning rate 0.001."""

    state: CheckpointState

    def __init__(self, optimizer_uri: ModelSource, module: Module) -> None:
        """optimizer_uri: path or bytes of an .onnx or .ort file, or a graph.Model.

        The graph holds the rule and its settings and takes lists of parameters of any number and shape: nothing in it belongs to a model,
        so that one made beside another model serves as well.
        Raises FormatError, UnsupportedOpError, InvalidInputError for a graph with other inputs than an optimizer graph has."""
        if not isinstance(module, Module):
            raise InvalidInputError(f"module is a {type(module).__name__}, expected the Module whose parameters are to be changed.")
        graph = load_model(optimizer_uri).graph
        inputs = tuple(value.name for value in graph.inputs)
        moments = inputs[len(_REQUIRED) :]
        if inputs[: len(_REQUIRED)] != _REQUIRED or moments != _MOMENTS[: len(moments)] or not graph.outputs:
            raise InvalidInputError(
                f"An optimizer graph has the inputs {[*_REQUIRED, *_MOMENTS]} (the last two optional), got {list(inputs)}."
            )
        self._moment_inputs = dict(zip(moments, names.MOMENTUM_NAMES, strict=False))
        self._plan = bind(graph, [graph.outputs[0].name], inputs)
        self.state = module.state

    def describe(self) -> OptimizerDescription:
        """What a step does and how much memory it takes beside parameters, gradients and moments, before any is run; print it.

        Raises StateError on a nominal state.
        """
        from .step_description import OptimizerDescription

        arrays = [self.state.parameters[name].data for name in self.state.trainable_names]
        largest = max(arrays, key=lambda array: array.nbytes, default=np.empty(0, np.float32))
        lists = (names.PARAMETERS, names.GRADIENTS, *self._moment_inputs)
        step = self._plan.describe(given=dict.fromkeys(lists, Spec(largest.shape, largest.itemsize)))
        size = sum(array.nbytes for array in arrays)
        return OptimizerDescription(len(arrays), size, largest.shape, len(self._moment_inputs), step)

    def step(self) -> None:
        """One update in place; counts itself in the state. Does not reset gradients. Raises StateError on a nominal state."""
        state = self.state
        state.allocate_moments(tuple(self._moment_inputs.values()))
        parameters = [state.parameters[name] for name in state.trainable_names]
        feeds: dict[str, object] = {
            names.LEARNING_RATE: np.array([state.optimizer.learning_rate], np.float32),
            names.STEP: np.array([state.optimizer.step + 1], np.int64),
            names.PARAMETERS: [parameter.data for parameter in parameters],
            names.GRADIENTS: [parameter.grad for parameter in parameters],
        }
        for name, moment in self._moment_inputs.items():
            feeds[name] = [state.optimizer.momentums[parameter.name][moment] for parameter in parameters]
        (updated,) = executor.run(self._plan, feeds).values()
        if updated.all():
            state.optimizer.step += 1

    def get_learning_rate(self) -> float:
        """The rate of the next step, as float32 holds it."""
        return float(np.float32(self.state.optimizer.learning_rate))

    def set_learning_rate(self, learning_rate: float) -> None:
        """Sets the rate of the next steps; kept in the state. Raises InvalidInputError for one that float32 does not hold, NaN too."""
        if not abs(float(learning_rate)) <= float(np.finfo(np.float32).max):
            raise InvalidInputError(f"The learning rate is to be {learning_rate}; one step with it would ruin all parameters.")
        self.state.optimizer.learning_rate = float(np.float32(learning_rate))
