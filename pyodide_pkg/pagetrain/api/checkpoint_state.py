"""CheckpointState: parameters, gradients, moments, step and properties. The only mutable state of a training.

Reference: onnxruntime.training.api.CheckpointState (ORT 1.19 orttraining/orttraining/python/training/api/checkpoint_state.py).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError, StateError
from ..names import OPTIMIZER_GROUP
from ..ortformat import checkpoint as codec
from ..ortformat.checkpoint import CheckpointData, OptimizerGroup
from . import optimizer_state
from .model_source import in_one_piece
from .optimizer_state import Moments, OptimizerState
from .parameter import Parameter, Parameters
from .properties import Properties


class CheckpointState:
    """Parameters (trainable and frozen), optimizer state and properties; Module and Optimizer hold a plan and a reference to one of these.

    state.parameters["fc.weight"].data, .grad; state.properties["epoch"] = 3; state.optimizer.step, .momentums.
    A state read from a nominal checkpoint knows its parameters by name and dtype; replace_parameter fills them, one by one, in any order.
    """

    parameters: Parameters
    properties: Properties
    optimizer: OptimizerState

    def __init__(self, checkpoint: CheckpointData) -> None:
        """A state of its own: arrays are copied. Raises FormatError where optimizer state and parameters do not go together."""
        groups = ((True, checkpoint.trainable), (False, checkpoint.frozen))
        self._parameters = [Parameter(name, trainable, array.dtype) for trainable, group in groups for name, array in group.items()]
        self.parameters = Parameters(self._parameters)
        self._trainable_names = tuple(checkpoint.trainable)
        self._is_nominal = True  # until all have values; they keep them
        self.properties = Properties(checkpoint.properties)
        self.optimizer = optimizer_state.from_checkpoint(checkpoint)
        self._with_gradients = False
        self._has_external_data = checkpoint.has_external_data
        if not checkpoint.is_nominal:
            values = {**checkpoint.trainable, **checkpoint.frozen}
            for parameter in self._parameters:
                parameter._replace(values[parameter.name], with_gradient=False)

    @classmethod
    def load_checkpoint(cls, checkpoint_uri: str | os.PathLike[str] | bytes | bytearray | memoryview) -> CheckpointState:
        """The state in a checkpoint file, complete or nominal: its path, or its bytes. Raises FormatError."""
        if isinstance(checkpoint_uri, bytes | bytearray | memoryview):
            return cls(codec.load(in_one_piece(checkpoint_uri)))
        return cls(codec.load_file(checkpoint_uri))

    @classmethod
    def save_checkpoint(cls, state: CheckpointState, checkpoint_uri: str | os.PathLike[str], include_optimizer_state: bool = False) -> None:
        """Writes state.to_bytes(include_optimizer_state) to that path; the values of a large state, or one that came so, to <path>.data.

        A save that fails leaves the files from before; links are followed, modes kept, and who else saves there at once is waited for.
        """
        if not isinstance(state, CheckpointState):
            raise InvalidInputError(f"state is a {type(state).__name__}, expected a CheckpointState, then the path.")
        codec.save_files(state._saved(include_optimizer_state, False), checkpoint_uri)

    def to_bytes(self, include_optimizer_state: bool = False, trainable_only: bool = False) -> bytes:
        """The checkpoint file, complete in itself. A wholly nominal state gives a nominal file; a partly filled one raises StateError.

        trainable_only leaves the frozen parameters out: what is needed to carry a training over to a fresh state of the same artifacts.
        """
        return codec.dump_state(self._saved(include_optimizer_state, trainable_only))

    def _saved(self, include_optimizer_state: bool, trainable_only: bool) -> CheckpointData:
        saved = [parameter for parameter in self._parameters if parameter.requires_grad or not trainable_only]
        nominal = [parameter.name for parameter in saved if parameter.is_nominal]
        if nominal and len(nominal) < len(saved):
            raise StateError(f"{len(nominal)} of {len(saved)} parameters have no values yet, {nominal[0]!r} first; fill them, then save.")
        trainable, frozen = (_arrays(saved, kind) for kind in (True, False))
        optimizer = self.optimizer
        with_group = include_optimizer_state and optimizer.momentums
        groups = {OPTIMIZER_GROUP: OptimizerGroup(optimizer.step, optimizer.initial_lr, optimizer.momentums)} if with_group else {}
        return CheckpointData(trainable, frozen, bool(nominal), groups, dict(self.properties), self._has_external_data)

    @property
    def is_nominal(self) -> bool:
        """True while any parameter has no values yet: steps are not possible."""
        self._is_nominal = self._is_nominal and any(parameter.is_nominal for parameter in self._parameters)
        return self._is_nominal

    @property
    def nominal_names(self) -> tuple[str, ...]:
        """The parameters that have no values yet, in file order."""
        return tuple(parameter.name for parameter in self._parameters if parameter.is_nominal)

    @property
    def trainable_names(self) -> tuple[str, ...]:
        """Parameters with requires_grad, in file order."""
        return self._trainable_names

    @property
    def frozen_names(self) -> tuple[str, ...]:
        """The other parameters, in file order."""
        return tuple(parameter.name for parameter in self._parameters if not parameter.requires_grad)

    def replace_parameter(self, name: str, data: np.ndarray, momentums: Mapping[str, np.ndarray] | None = None) -> None:
        """Gives a parameter new values of any shape: fills a nominal one, or changes a head's rows between steps.

        data is copied; its dtype must be the parameter's. The gradient buffer becomes zeros of the new shape; so do the moments, unless
        `momentums` (name -> array of the new shape) gives them. Raises KeyError, InvalidInputError, ShapeMismatchError before any change.
        """
        parameter = self.parameters[name]
        new = parameter._checked(data)
        moments = self._moments(parameter, new, momentums)
        parameter._replace(new, self._with_gradients)
        if moments:
            self.optimizer.momentums[name] = moments

    def _moments(self, parameter: Parameter, data: np.ndarray, given: Mapping[str, np.ndarray] | None) -> Moments:
        """The moments that go with new data: those given, else zeros for those it has."""
        present = self.optimizer.momentums.get(parameter.name, {})
        if given is None:
            return {key: np.zeros(data.shape, data.dtype) for key in present}
        if not parameter.requires_grad or (present and given.keys() != present.keys()):
            raise InvalidInputError(f"Parameter {parameter.name!r} has the moments {sorted(present)}, not {sorted(given)}; give these.")
        for key, moment in given.items():
            if np.shape(moment) != data.shape:
                raise ShapeMismatchError(f"{key!r} of {parameter.name!r} has shape {np.shape(moment)}; the new values have {data.shape}.")
        return {key: np.array(moment, data.dtype, order="C") for key, moment in given.items()}

    def allocate_gradients(self) -> None:
        """From now on every trainable parameter has a gradient buffer, zeros at first; a nominal one gets it when it is filled."""
        self._with_gradients = True
        for parameter in self._parameters:
            if parameter.requires_grad and parameter._data is not None and parameter._grad is None:
                parameter._grad = np.zeros_like(parameter._data)

    def allocate_moments(self, names: Sequence[str]) -> None:
        """Makes sure that every trainable parameter has the moments `names` (("momentum0", "momentum1") for AdamW, ("momentum0",) for SGD).

        Moments that a checkpoint brought are kept, otherwise they are zeros. Cheap when all is there. Raises StateError while one of these
        parameters has no values, or if the checkpoint brought other moments than these or not those of every trainable parameter.
        """
        nominal = [name for name in self.trainable_names if self.parameters[name].is_nominal]
        if nominal:
            raise StateError(f"There is no optimizer state yet: {nominal[0]!r} has no values; fill the nominal state first.")
        momentums = self.optimizer.momentums
        if not momentums:
            for parameter in self._parameters:
                if parameter.requires_grad:
                    momentums[parameter.name] = {key: np.zeros_like(parameter.data) for key in names}
        for name in self.trainable_names:
            present = sorted(momentums.get(name, ()))
            if present != sorted(names):
                raise StateError(
                    f"The optimizer state of {name!r} has the moments {present}, this optimizer needs {list(names)}; "
                    "use the optimizer that it was saved with, or a checkpoint without optimizer state."
                )


def _arrays(parameters: Sequence[Parameter], trainable: bool) -> dict[str, np.ndarray]:
    chosen = (parameter for parameter in parameters if parameter.requires_grad == trainable)
    return {parameter.name: np.empty(0, parameter.dtype) if parameter._data is None else parameter._data for parameter in chosen}
