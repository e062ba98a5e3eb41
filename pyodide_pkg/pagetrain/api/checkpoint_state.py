"""CheckpointState: parameters, gradients, moments, step and properties. The only mutable state of a training.

Reference: onnxruntime.training.api.CheckpointState (ORT 1.19 orttraining/orttraining/python/training/api/checkpoint_state.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..ortformat.checkpoint import CheckpointData, Property

DEFAULT_LEARNING_RATE = 0.001


class Parameter:
    """One parameter. `data` is writable in place; `grad` is its gradient buffer."""

    name: str
    requires_grad: bool
    dtype: np.dtype  # known in a nominal state too

    @property
    def is_nominal(self) -> bool:
        """True while only name and dtype are known."""
        raise NotImplementedError

    @property
    def data(self) -> np.ndarray:
        """The live values. Assigning copies into them: same shape and dtype, else ShapeMismatchError, InvalidInputError. StateError while nominal."""
        raise NotImplementedError

    @data.setter
    def data(self, array: np.ndarray) -> None:
        raise NotImplementedError

    @property
    def grad(self) -> np.ndarray | None:
        """The live gradient buffer, shaped as data; None for a frozen parameter, while nominal, and before allocate_gradients."""
        raise NotImplementedError


class Parameters:
    """Mapping of names to Parameter, sorted by name. As in ORT, iterating gives (name, parameter) pairs; assigning sets `data`."""

    def __getitem__(self, name: str) -> Parameter:
        """Raises KeyError for an unknown name."""
        raise NotImplementedError

    def __setitem__(self, name: str, array: np.ndarray) -> None:
        raise NotImplementedError

    def __contains__(self, name: object) -> bool:
        raise NotImplementedError

    def __iter__(self) -> Iterator[tuple[str, Parameter]]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


class Properties:
    """Mapping of names to int (64 bits), float (rounded to float32, as the file holds it) or str. Iterating gives (name, value) pairs, sorted."""

    def __getitem__(self, name: str) -> Property:
        raise NotImplementedError

    def __setitem__(self, name: str, value: Property) -> None:
        raise NotImplementedError

    def __contains__(self, name: object) -> bool:
        raise NotImplementedError

    def __iter__(self) -> Iterator[tuple[str, Property]]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


@dataclass
class OptimizerState:
    """Optimizer steps done, rates, and moments: parameter name -> {"momentum0": array, ...}, live and written in place. {} until allocate_moments.

    learning_rate is not saved: after a restore it is the default again, as in ORT. initial_lr is saved; a scheduler sets it.
    """

    step: int = 0
    learning_rate: float = DEFAULT_LEARNING_RATE
    initial_lr: float = DEFAULT_LEARNING_RATE
    momentums: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)


class CheckpointState:
    """Parameters (trainable and frozen), optimizer state and properties; Module and Optimizer hold a plan and a reference to one of these.

    state.parameters["fc.weight"].data, .grad; state.properties["epoch"] = 3; state.optimizer.step, .momentums.
    A state read from a nominal checkpoint knows its parameters by name and dtype; replace_parameter fills them, one by one and in any order.
    """

    parameters: Parameters
    properties: Properties
    optimizer: OptimizerState

    def __init__(self, checkpoint: CheckpointData) -> None:
        """A state of its own: arrays are copied."""
        raise NotImplementedError

    @classmethod
    def load_checkpoint(cls, checkpoint: str | os.PathLike[str] | bytes | bytearray | memoryview) -> CheckpointState:
        """The state in a checkpoint file (its path, or its bytes). Raises FormatError."""
        raise NotImplementedError

    @classmethod
    def save_checkpoint(cls, state: CheckpointState, path: str | os.PathLike[str], include_optimizer_state: bool = False) -> None:
        """Writes state.to_bytes(include_optimizer_state) to `path`."""
        raise NotImplementedError

    def to_bytes(self, include_optimizer_state: bool = False, trainable_only: bool = False) -> bytes:
        """The checkpoint file. A wholly nominal state gives a nominal file; a partly filled one raises StateError.

        trainable_only leaves the frozen parameters out: what is needed to carry a training over to a fresh state of the same artifacts.
        """
        raise NotImplementedError

    @property
    def is_nominal(self) -> bool:
        """True while any parameter has no values yet: steps are not possible."""
        raise NotImplementedError

    @property
    def nominal_names(self) -> tuple[str, ...]:
        """The parameters that have no values yet, in file order."""
        raise NotImplementedError

    @property
    def trainable_names(self) -> tuple[str, ...]:
        """Parameters with requires_grad, in file order."""
        raise NotImplementedError

    @property
    def frozen_names(self) -> tuple[str, ...]:
        """The other parameters, in file order."""
        raise NotImplementedError

    def replace_parameter(self, name: str, data: np.ndarray, momentums: Mapping[str, np.ndarray] | None = None) -> None:
        """Gives a parameter new values of any shape: fills a nominal one, or changes a head's rows between steps.

        data is copied; its dtype must be the parameter's. The gradient buffer becomes zeros of the new shape; so do the moments, unless
        `momentums` (name -> array of the new shape) gives them. Raises KeyError, InvalidInputError, ShapeMismatchError; then nothing is changed.
        """
        raise NotImplementedError

    def allocate_gradients(self) -> None:
        """From now on every trainable parameter has a gradient buffer, zeros at first (a nominal one when it is filled). Again: no effect."""
        raise NotImplementedError

    def allocate_moments(self, names: Sequence[str]) -> None:
        """Makes sure that every trainable parameter has the moments `names` (("momentum0", "momentum1") for AdamW, ("momentum0",) for SGD).

        Moments that a checkpoint brought are kept, otherwise they are zeros. Cheap when all is there. Raises StateError while nominal,
        or if the checkpoint brought other moments than these or not those of every trainable parameter.
        """
        raise NotImplementedError
