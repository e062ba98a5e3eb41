"""StepGraph: one graph of the training artifacts, its inputs told apart, its plans made when they are first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import executor, names
from ..description import Description
from ..errors import InvalidInputError
from ..graph import NUMPY_DTYPES, Graph, Model, TensorType, ValueInfo
from ..kernels import Spec
from ..plan import Plan, bind
from .checkpoint_state import CheckpointState
from .input_check import checked

_HIDDEN = (names.GRADIENT_SUFFIX, names.ACCUMULATION_BUFFER_SUFFIX, names.ACCUMULATION_OUTPUT_SUFFIX)


@dataclass(frozen=True, slots=True)
class _Ready:
    """A plan, its inputs told apart. `asked`: the caller hands them in; `own`: the state has them; `accepted`: what may be handed in."""

    plan: Plan
    asked: tuple[str, ...]
    own: tuple[str, ...]
    accepted: Set[str]


class StepGraph:
    """Runs a training or eval graph: parameters and gradient buffers come from `state`, the rest from the caller.

    As in ORT names decide: in the checkpoint = parameter; `lazy_reset_grad`; ending in "_grad", "_grad.accumulation.buffer" or
    "_grad.accumulation.out" = gradient; the rest is the user's.
    """

    def __init__(self, model: Model, state: CheckpointState) -> None:
        """Raises UnsupportedOpError for ops without kernels, InvalidInputError, ShapeMismatchError where graph and state do not fit."""
        self.graph: Graph = model.graph
        self._state = state
        own = [value for value in self.graph.inputs if not _is_hidden(value.name)]
        self.parameters: tuple[ValueInfo, ...] = tuple(value for value in own if value.name in state.parameters)
        self.user_inputs: tuple[ValueInfo, ...] = tuple(value for value in own if value.name not in state.parameters)
        self._outputs = tuple(value.name for value in self.graph.outputs)
        self.user_outputs: tuple[str, ...] = tuple(value.name for value in self.graph.outputs if not _is_hidden(value.name))
        inner = (*self.graph.value_info, *self.graph.outputs, *self.graph.inputs)
        self._types: dict[str, ValueInfo] = {value.name: value for value in inner}
        self._buffers = {names.accumulation_buffer_of(name): name for name in state.trainable_names}
        self._check_parameters()
        self._check_buffers()
        self._made: dict[tuple[tuple[str, ...], tuple[str, ...]], _Ready] = {}
        self._ready((), self._outputs)

    @property
    def accumulates(self) -> bool:
        """Whether it adds to gradients, as a training graph does."""
        return any(value.name.endswith(names.ACCUMULATION_BUFFER_SUFFIX) for value in self.graph.inputs)

    def run(
        self, feeds: Mapping[str, Any], cut: tuple[str, ...], fetches: Sequence[str] | None = None, reset_gradients: bool = False
    ) -> dict[str, np.ndarray]:
        """{fetch: array}, default: the user outputs. If all of `cut` is in feeds, only what comes after it is run.

        Raises InvalidInputError for unknown, missing or wrongly typed feeds, StateError while a needed parameter has no values.
        """
        plan, values = self._prepared(feeds, cut, self._outputs if fetches is None else tuple(fetches), reset_gradients)
        results = executor.run(plan, values)
        return {name: np.asarray(results[name]) for name in (self.user_outputs if fetches is None else fetches)}

    def first_non_finite(self, feeds: Mapping[str, Any], cut: tuple[str, ...]) -> str | None:
        """See executor.first_non_finite; feeds and what it raises as run."""
        return executor.first_non_finite(*self._prepared(feeds, cut, self._outputs, reset_gradients=True))

    def describe(self, batch: int, sizes: Mapping[str, int], shapes: Mapping[str, Sequence[int]], fed: tuple[str, ...] = ()) -> Description:
        """A step on `batch` rows, from the values `fed` on; of its inputs, those that the caller hands in. See Module.describe."""
        ready = self._ready(fed, self._outputs)
        parameters = {value.name: self._state.parameters[value.name] for value in self.parameters}
        known: dict[str, Any] = {name: parameter.data for name, parameter in parameters.items() if not parameter.is_nominal}
        known |= {name: self._spec(name, shape) for name, shape in shapes.items() if name in ready.asked}
        rows = {symbol: batch for name in ready.asked for symbol, _ in _bound(self._types[name], (batch,))}
        bound = {symbol: size for name, array in known.items() for symbol, size in _bound(self._types[name], array.shape)}
        description = ready.plan.describe({**rows, **bound, **sizes}, known)
        return replace(description, inputs={name: description.inputs[name] for name in ready.asked})

    def _spec(self, name: str, shape: Sequence[int]) -> Spec:
        of = self._types[name].type
        dtype = NUMPY_DTYPES.get(of.element) if isinstance(of, TensorType) else None
        return Spec(tuple(shape), 4 if dtype is None else dtype.itemsize)

    def _prepared(
        self, feeds: Mapping[str, Any], cut: tuple[str, ...], fetches: tuple[str, ...], reset_gradients: bool
    ) -> tuple[Plan, dict[str, Any]]:
        fed = cut if all(name in feeds for name in cut) else ()
        ready = self._ready(fed, fetches)
        values = self._user_values(feeds, ready)
        for name in ready.own:
            values[name] = self._own_value(name, reset_gradients)
        return ready.plan, values

    def _ready(self, fed: tuple[str, ...], fetches: tuple[str, ...]) -> _Ready:
        key = (fed, fetches)
        if key not in self._made:
            plan, known = bind(self.graph, fetches, fed), {value.name for value in self.user_inputs}
            asked = tuple(name for name in plan.inputs if name in fed or name in known)
            self._made[key] = _Ready(plan, asked, tuple(name for name in plan.inputs if name not in asked), known.union(fed))
        return self._made[key]

    def _user_values(self, feeds: Mapping[str, Any], ready: _Ready) -> dict[str, Any]:
        unknown = sorted(feeds.keys() - ready.accepted)
        missing = [name for name in ready.asked if name not in feeds]
        if unknown or missing:
            raise InvalidInputError(f"This step takes the inputs {list(ready.asked)}; missing: {missing}, unknown: {unknown}.")
        sizes: dict[str, tuple[int, str]] = {}
        return {name: checked(f"Input {name!r}", feeds[name], self._types.get(name), sizes) for name in ready.asked}

    def _own_value(self, name: str, reset_gradients: bool) -> np.ndarray:
        if name == names.LAZY_RESET_GRAD:
            return np.array([reset_gradients])
        if name in self._buffers:
            gradient = self._state.parameters[self._buffers[name]].grad
            assert gradient is not None  # a parameter of the same plan has values, and gradients were allocated
            return gradient
        return self._state.parameters[name].data

    def _check_parameters(self) -> None:
        for value in self.parameters:
            parameter = self._state.parameters[value.name]
            if not parameter.is_nominal:
                checked(f"Parameter {value.name!r} of the checkpoint", parameter.data, value, {})

    def _check_buffers(self) -> None:
        for value in self.graph.inputs:
            if value.name.endswith(names.ACCUMULATION_BUFFER_SUFFIX) and value.name not in self._buffers:
                raise InvalidInputError(
                    f"The graph accumulates gradients in {value.name!r}, but the state has no trainable parameter of that name; "
                    "use the checkpoint of the same artifacts."
                )


def _bound(value: ValueInfo, shape: Sequence[int]) -> list[tuple[str, int]]:
    """The value's symbolic dimensions, each with its size."""
    declared = value.type.shape if isinstance(value.type, TensorType) else None
    return [(symbol, size) for symbol, size in zip(declared or (), shape, strict=False) if isinstance(symbol, str)]


def _is_hidden(name: str) -> bool:
    return name == names.LAZY_RESET_GRAD or name.endswith(_HIDDEN)


def static_shape(value: ValueInfo) -> tuple[int, ...] | None:
    """The shape of a value whose graph says all of it, else None."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    if shape is None or not all(isinstance(size, int) for size in shape):
        return None
    return tuple(size for size in shape if isinstance(size, int))
