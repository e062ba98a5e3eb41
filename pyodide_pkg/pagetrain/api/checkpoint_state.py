"""CheckpointState: parameters, gradients, moments, step and properties. The only mutable state of a training.

Reference: onnxruntime.training.api.CheckpointState (ORT 1.19 orttraining/orttraining/python/training/api/checkpoint_state.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import FormatError, InvalidInputError, ShapeMismatchError, StateError
from ..names import OPTIMIZER_GROUP
from ..ortformat import checkpoint as codec
from ..ortformat.checkpoint import CheckpointData, OptimizerGroup
from .properties import Properties

DEFAULT_LEARNING_RATE = 0.001
Moments = dict[str, np.ndarray]


class Parameter:
    """One parameter. `data` is writable in place; `grad` is its gradient buffer."""

    name: str
    requires_grad: bool
    dtype: np.dtype  # known in a nominal state too

    def __init__(self, name: str, requires_grad: bool, dtype: np.dtype) -> None:
        self.name, self.requires_grad, self.dtype = name, requires_grad, dtype
        self._data: np.ndarray | None = None
        self._grad: np.ndarray | None = None

    @property
    def is_nominal(self) -> bool:
        """True while only name and dtype are known."""
        return self._data is None

    @property
    def data(self) -> np.ndarray:
        """The live values; StateError while nominal.

        Assigning copies into them. Raises ShapeMismatchError for another shape, InvalidInputError for another dtype.
        """
        if self._data is None:
            raise StateError(f"Parameter {self.name!r} has no values yet: the checkpoint is nominal; fill it with replace_parameter first.")
        return self._data

    @data.setter
    def data(self, array: np.ndarray) -> None:
        present, new = self.data, self._checked(array)
        if new.shape != present.shape:
            raise ShapeMismatchError(
                f"Parameter {self.name!r} has shape {present.shape}, the new values have {new.shape}; replace_parameter changes shapes."
            )
        present[...] = new

    @property
    def grad(self) -> np.ndarray | None:
        """The live gradient buffer, shaped as data; None for a frozen parameter, while nominal, and before allocate_gradients."""
        return self._grad

    def __repr__(self) -> str:
        shape = "nominal" if self._data is None else self._data.shape
        return f"Parameter({self.name!r}, {self.dtype}, {shape}, requires_grad={self.requires_grad})"

    def _checked(self, array: np.ndarray) -> np.ndarray:
        new = np.asarray(array)
        if new.dtype != self.dtype:
            raise InvalidInputError(f"Parameter {self.name!r} is {self.dtype}, the new values are {new.dtype}; convert them with astype.")
        return new

    def _replace(self, data: np.ndarray, with_gradient: bool) -> None:
        self._data = np.array(data, self.dtype, order="C")
        self._grad = np.zeros_like(self._data) if with_gradient and self.requires_grad else None


class Parameters:
    """Mapping of names to Parameter, sorted by name. As in ORT, iterating gives (name, parameter) pairs; assigning sets `data`."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = {parameter.name: parameter for parameter in sorted(parameters, key=lambda parameter: parameter.name)}

    def __getitem__(self, name: str) -> Parameter:
        """Raises KeyError for an unknown name."""
        return self._parameters[name]

    def __setitem__(self, name: str, array: np.ndarray) -> None:
        self._parameters[name].data = array

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def __iter__(self) -> Iterator[tuple[str, Parameter]]:
        return iter(self._parameters.items())

    def __len__(self) -> int:
        return len(self._parameters)

    def __repr__(self) -> str:
        return f"Parameters({', '.join(map(repr, self._parameters.values()))})"


@dataclass
class OptimizerState:
    """Optimizer steps done, rates and moments.

    momentums: parameter name -> {"momentum0": array, ...}, live, written in place by the optimizer; {} until allocate_moments.
    learning_rate is not saved: after a restore it is the default again, as in ORT. initial_lr is saved; a scheduler sets it.
    """

    step: int = 0
    learning_rate: float = DEFAULT_LEARNING_RATE
    initial_lr: float = DEFAULT_LEARNING_RATE
    momentums: dict[str, Moments] = field(default_factory=dict)


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
        self.properties = Properties(checkpoint.properties)
        self.optimizer = _optimizer_state(checkpoint)
        self._with_gradients = False
        if not checkpoint.is_nominal:
            values = {**checkpoint.trainable, **checkpoint.frozen}
            for parameter in self._parameters:
                parameter._replace(values[parameter.name], with_gradient=False)

    @classmethod
    def load_checkpoint(cls, checkpoint: str | os.PathLike[str] | bytes | bytearray | memoryview) -> CheckpointState:
        """The state in a checkpoint file (its path, or its bytes). Raises FormatError."""
        if isinstance(checkpoint, bytes | bytearray | memoryview):
            return cls(codec.load(checkpoint))
        return cls(codec.load(Path(checkpoint).read_bytes()))

    @classmethod
    def save_checkpoint(cls, state: CheckpointState, path: str | os.PathLike[str], include_optimizer_state: bool = False) -> None:
        """Writes state.to_bytes(include_optimizer_state) to `path`."""
        Path(path).write_bytes(state.to_bytes(include_optimizer_state))

    def to_bytes(self, include_optimizer_state: bool = False, trainable_only: bool = False) -> bytes:
        """The checkpoint file. A wholly nominal state gives a nominal file; a partly filled one raises StateError.

        trainable_only leaves the frozen parameters out: what is needed to carry a training over to a fresh state of the same artifacts.
        """
        saved = [parameter for parameter in self._parameters if parameter.requires_grad or not trainable_only]
        nominal = [parameter.name for parameter in saved if parameter.is_nominal]
        if nominal and len(nominal) < len(saved):
            raise StateError(
                f"{len(nominal)} of {len(saved)} parameters have no values yet, {nominal[0]!r} first; fill them and save then."
            )
        trainable, frozen = (_arrays(saved, kind) for kind in (True, False))
        optimizer = self.optimizer
        with_group = include_optimizer_state and optimizer.momentums
        groups = {OPTIMIZER_GROUP: OptimizerGroup(optimizer.step, optimizer.initial_lr, optimizer.momentums)} if with_group else {}
        return codec.dump_state(CheckpointData(trainable, frozen, bool(nominal), groups, dict(self.properties)))

    @property
    def is_nominal(self) -> bool:
        """True while any parameter has no values yet: steps are not possible."""
        return any(parameter.is_nominal for parameter in self._parameters)

    @property
    def nominal_names(self) -> tuple[str, ...]:
        """The parameters that have no values yet, in file order."""
        return tuple(parameter.name for parameter in self._parameters if parameter.is_nominal)

    @property
    def trainable_names(self) -> tuple[str, ...]:
        """Parameters with requires_grad, in file order."""
        return tuple(parameter.name for parameter in self._parameters if parameter.requires_grad)

    @property
    def frozen_names(self) -> tuple[str, ...]:
        """The other parameters, in file order."""
        return tuple(parameter.name for parameter in self._parameters if not parameter.requires_grad)

    def replace_parameter(self, name: str, data: np.ndarray, momentums: Mapping[str, np.ndarray] | None = None) -> None:
        """Gives a parameter new values of any shape: fills a nominal one, or changes a head's rows between steps.

        data is copied; its dtype must be the parameter's. The gradient buffer becomes zeros of the new shape; so do the moments, unless
        `momentums` (name -> array of the new shape) gives them. Raises KeyError, InvalidInputError and ShapeMismatchError before any change.
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

        Moments that a checkpoint brought are kept, otherwise they are zeros. Cheap when all is there. Raises StateError while nominal,
        or if the checkpoint brought other moments than these or not those of every trainable parameter.
        """
        if self.is_nominal:
            raise StateError(f"There is no optimizer state yet: {self.nominal_names[0]!r} has no values; fill the nominal state first.")
        momentums = self.optimizer.momentums
        if not momentums:
            for parameter in self._parameters:
                if parameter.requires_grad:
                    momentums[parameter.name] = {key: np.zeros_like(parameter.data) for key in names}
        for name in self.trainable_names:
            if set(momentums.get(name, ())) != set(names):
                raise StateError(
                    f"The optimizer state has the moments {sorted(momentums.get(name, ()))} for {name!r}, this optimizer needs {sorted(names)}; "
                    "use the optimizer that it was saved with, or a checkpoint without optimizer state."
                )


def _arrays(parameters: Sequence[Parameter], trainable: bool) -> dict[str, np.ndarray]:
    chosen = (parameter for parameter in parameters if parameter.requires_grad == trainable)
    return {parameter.name: np.empty(0, parameter.dtype) if parameter._data is None else parameter._data for parameter in chosen}


def _optimizer_state(checkpoint: CheckpointData) -> OptimizerState:
    groups = checkpoint.optimizer_groups
    if not groups:
        return OptimizerState()
    if groups.keys() != {OPTIMIZER_GROUP}:
        raise FormatError(f"The checkpoint has the optimizer groups {sorted(groups)}; only {OPTIMIZER_GROUP!r} is known.")
    group = groups[OPTIMIZER_GROUP]
    for name, moments in group.momentums.items():
        _check_moments(name, moments, None if checkpoint.is_nominal else checkpoint.trainable.get(name))
    momentums = {name: {key: np.array(moment) for key, moment in moments.items()} for name, moments in group.momentums.items()}
    return OptimizerState(step=group.step, initial_lr=group.initial_learning_rate, momentums=momentums)


def _check_moments(name: str, moments: Mapping[str, np.ndarray], parameter: np.ndarray | None) -> None:
    if parameter is None:
        raise FormatError(f"The checkpoint has moments for {name!r}, which is no trainable parameter with values.")
    for key, moment in moments.items():
        if (moment.shape, moment.dtype) != (parameter.shape, parameter.dtype):
            raise FormatError(
                f"{key!r} of {name!r} is {moment.dtype} {moment.shape} in the checkpoint; the parameter is {parameter.dtype} {parameter.shape}."
            )
