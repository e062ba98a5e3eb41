"""Parameter and Parameters: what a CheckpointState has by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError, StateError


class Parameter:
    """One parameter. `data`, its values, is writable in place where it is trained; `grad` is its gradient buffer."""

    name: str
    dtype: np.dtype  # known in a nominal state too

    def __init__(self, name: str, requires_grad: bool, dtype: np.dtype) -> None:
        self.name, self._requires_grad, self.dtype = name, requires_grad, dtype
        self._data: np.ndarray | None = None
        self._version = 0  # counts changes of the values of a frozen one: plans keep what they made of them, see StepGraph
        self._grad: np.ndarray | None = None

    @property
    def requires_grad(self) -> bool:
        """Whether it is trained; as the checkpoint says, for good."""
        return self._requires_grad

    @property
    def is_nominal(self) -> bool:
        """True while only name and dtype are known."""
        return self._data is None

    @property
    def data(self) -> np.ndarray:
        """The live values; StateError while nominal. Those of a frozen parameter are read-only.

        Assigning copies into them, of a frozen one too. Raises ShapeMismatchError for another shape, InvalidInputError for another dtype.
        """
        if self.requires_grad:
            return self._live
        view = self._live.view()
        view.flags.writeable = False
        return view

    @data.setter
    def data(self, array: np.ndarray) -> None:
        present, new = self._live, self._checked(array)
        if new.shape != present.shape:
            raise ShapeMismatchError(
                f"Parameter {self.name!r} has shape {present.shape}, the new values have {new.shape}; replace_parameter changes shapes."
            )
        present[...] = new
        self._changed()

    @property
    def _live(self) -> np.ndarray:
        """The values themselves. Whoever writes into those of a frozen parameter calls _changed."""
        if self._data is None:
            raise StateError(f"Parameter {self.name!r} has no values yet: the checkpoint is nominal; fill it with replace_parameter first.")
        return self._data

    def _changed(self) -> None:
        self._version += 1

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
        self._changed()


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
