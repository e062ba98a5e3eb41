"""StepGraph: one graph of the training artifacts, its inputs told apart, its plans made when they are first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import executor, names
from ..errors import InvalidInputError
from ..graph import NUMPY_DTYPES, Graph, Model, Tensor, TensorType, ValueInfo
from ..kernels import Spec
from ..plan import Plan, bind
from .checkpoint_state import CheckpointState
from .input_check import checked, checked_feeds
from .parameter import Parameter

if TYPE_CHECKING:
    from ..description import Description

_HIDDEN = (names.GRADIENT_SUFFIX, names.ACCUMULATION_BUFFER_SUFFIX, names.ACCUMULATION_OUTPUT_SUFFIX)
_Key = tuple[tuple[str, ...], tuple[str, ...]]  # fed, fetches


@dataclass(frozen=True, slots=True)
class _Ready:
    """A plan, its inputs told apart. `asked`: the caller hands them in; `own`: the state has them; `accepted`: what may be handed in;

    `written`: those of its own that a pass changes, the gradients apart; `lasting`: the others of its own that are frozen.
    """

    plan: Plan
    asked: tuple[str, ...]
    own: tuple[str, ...]
    accepted: Set[str]
    written: tuple[Parameter, ...]
    lasting: tuple[Parameter, ...]


class StepGraph:
    """Runs a training or eval graph: parameters and gradient buffers come from `state`, the rest from the caller.

    As in ORT names decide: in the checkpoint = parameter; `lazy_reset_grad`; ending in "_grad", "_grad.accumulation.buffer" or
    "_grad.accumulation.out" = gradient; the rest is the user's. What the graph itself holds for one of the state's inputs is not read; one
    of the user's for which it holds something need not be handed in, and has no place among the user inputs.

    Frozen parameters are constants of the plans that run: folding and packing happen once, when a plan first runs, and again after one of
    them was given other values. What is made of them (filters with a normalization folded in, or packed) is held beside the state's own
    values, which an export needs as they are: it costs as much again as the filters that were folded, for each plan that reads them.
    """

    def __init__(self, model: Model, state: CheckpointState) -> None:
        """Raises UnsupportedOpError for ops without kernels, InvalidInputError, ShapeMismatchError where graph and state do not fit."""
        self._state = state
        shown = [value for value in model.graph.inputs if not _is_hidden(value.name)]
        users = [value for value in shown if value.name not in state.parameters]
        ours = {value.name for value in model.graph.inputs}.difference(value.name for value in users)
        constants = {tensor.name: tensor for tensor in model.graph.initializers if tensor.name not in ours}
        self.graph: Graph = replace(model.graph, initializers=tuple(constants.values()))
        self.parameters: tuple[ValueInfo, ...] = tuple(value for value in shown if value.name in state.parameters)
        self.user_inputs: tuple[ValueInfo, ...] = tuple(value for value in users if value.name not in constants)
        self._overridable = tuple(value.name for value in users if value.name in constants)
        self._outputs = tuple(value.name for value in self.graph.outputs)
        self.user_outputs: tuple[str, ...] = tuple(value.name for value in self.graph.outputs if not _is_hidden(value.name))
        inner = (*self.graph.value_info, *self.graph.outputs, *self.graph.inputs)
        self._types: dict[str, ValueInfo] = {value.name: value for value in inner}
        self._buffers = {names.accumulation_buffer_of(name): name for name in state.trainable_names}
        self._check_parameters()
        self._check_buffers()
        self._made: dict[_Key, _Ready] = {}
        self._bound: dict[_Key, tuple[tuple[int, ...], _Ready]] = {}  # with the versions of the constants in it
        self._ready((), self._outputs)

    @property
    def accumulates(self) -> bool:
        """Whether it adds to gradients, as a training graph does."""
        return any(value.name.endswith(names.ACCUMULATION_BUFFER_SUFFIX) for value in self.graph.inputs)

    def parameters_from(self, fed: tuple[str, ...]) -> frozenset[str]:
        """Names of the parameters that a step reads that is fed these values."""
        return frozenset(name for name in self._ready(fed, self._outputs).plan.inputs if name in self._state.parameters)

    def run(
        self,
        feeds: Mapping[str, Any],
        cut: tuple[str, ...],
        fetches: Sequence[str] | None = None,
        reset_gradients: bool = False,
        beside: Sequence[str] = (),
    ) -> dict[str, np.ndarray]:
        """{fetch: array}, default: the user outputs; `beside` them. If all of `cut` is in feeds, only what comes after it is run.

        Raises InvalidInputError for unknown, missing or wrongly typed feeds, StateError while a needed parameter has no values.
        """
        wanted = tuple(dict.fromkeys([*(self._outputs if fetches is None else fetches), *beside]))
        ready, values = self._prepared(feeds, cut, wanted, reset_gradients)
        results = executor.run(ready.plan, values)
        for parameter in ready.written:
            parameter._changed()
        return {name: np.asarray(results[name]) for name in (*(self.user_outputs if fetches is None else fetches), *beside)}

    def first_non_finite(self, feeds: Mapping[str, Any], cut: tuple[str, ...]) -> str | None:
        """See executor.first_non_finite; feeds and what it raises as run. Gradients begin as zeros: they may hold what is searched for."""
        ready, values = self._prepared(feeds, cut, self._outputs, reset_gradients=True)
        values |= {name: np.zeros_like(values[name]) for name in self._buffers if name in values}
        return executor.first_non_finite(ready.plan, values)

    def describe(self, batch: int, sizes: Mapping[str, int], shapes: Mapping[str, Sequence[int]], fed: tuple[str, ...] = ()) -> Description:
        """A step on `batch` rows, from the values `fed` on; of its inputs, those that the caller hands in. See Module.describe."""
        ready = self._with_constants(fed, self._outputs)
        parameters = {value.name: self._state.parameters[value.name] for value in self.parameters}
        known: dict[str, Any] = {name: parameter.data for name, parameter in parameters.items() if not parameter.is_nominal}
        known |= {name: self._spec(name, shape) for name, shape in shapes.items() if name in ready.asked}
        rows = {symbol: batch for name in ready.asked for symbol, _ in _bound(self._types.get(name), (batch,))}
        bound = {symbol: size for name, array in known.items() for symbol, size in _bound(self._types.get(name), array.shape)}
        description = ready.plan.describe({**rows, **bound, **sizes}, known)
        return replace(description, inputs={name: description.inputs[name] for name in ready.asked})

    def _spec(self, name: str, shape: Sequence[int]) -> Spec:
        of = self._types.get(name)
        dtype = NUMPY_DTYPES.get(of.type.element) if of and isinstance(of.type, TensorType) else None
        return Spec(tuple(shape), 4 if dtype is None else dtype.itemsize)

    def _prepared(
        self, feeds: Mapping[str, Any], cut: tuple[str, ...], fetches: tuple[str, ...], reset_gradients: bool
    ) -> tuple[_Ready, dict[str, Any]]:
        feeds = checked_feeds(feeds)
        fed = (*(cut if all(name in feeds for name in cut) else ()), *(name for name in self._overridable if name in feeds))
        ready = self._with_constants(fed, fetches)
        values = self._user_values(feeds, ready)
        for name in ready.own:
            values[name] = self._own_value(name, reset_gradients)
        return ready, values

    def _ready(self, fed: tuple[str, ...], fetches: tuple[str, ...]) -> _Ready:
        """The plan that is fed all parameters: known before the state has values."""
        key = (fed, fetches)
        if key not in self._made:
            self._made[key] = self._told_apart(bind(self.graph, fetches, fed), fed)
        return self._made[key]

    def _with_constants(self, fed: tuple[str, ...], fetches: tuple[str, ...]) -> _Ready:
        """The plan that runs: those frozen parameters that have values are constants in it."""
        key, ready = (fed, fetches), self._ready(fed, fetches)
        if not ready.lasting:
            return ready
        versions = tuple([parameter._version for parameter in ready.lasting])
        if key not in self._bound or self._bound[key][0] != versions:
            self._bound.pop(key, None)  # what it holds goes before the next is made
            filled = tuple(Tensor(parameter.name, parameter.data) for parameter in ready.lasting if not parameter.is_nominal)
            graph = replace(self.graph, initializers=(*self.graph.initializers, *filled))
            self._bound[key] = versions, self._told_apart(bind(graph, fetches, fed), fed)
        return self._bound[key][1]

    def _told_apart(self, plan: Plan, fed: tuple[str, ...]) -> _Ready:
        known, parameters = {value.name for value in self.user_inputs}, self._state.parameters
        asked = tuple(name for name in plan.inputs if name in fed or name in known)
        own = tuple(name for name in plan.inputs if name not in asked)
        changed = {step.inputs[place] for step in plan.steps for place in step.kernel.mutates if place < len(step.inputs)}
        written = tuple(parameters[name] for name in own if name in changed and name in parameters)
        frozen = tuple(parameters[name] for name in own if name not in changed and name in parameters)
        return _Ready(plan, asked, own, known.union(fed), written, tuple(one for one in frozen if not one.requires_grad))

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
        return self._state.parameters[name]._live

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


def _bound(value: ValueInfo | None, shape: Sequence[int]) -> list[tuple[str, int]]:
    """The value's symbolic dimensions, each with its size."""
    declared = value.type.shape if value and isinstance(value.type, TensorType) else None
    return [(symbol, size) for symbol, size in zip(declared or (), shape, strict=False) if isinstance(symbol, str)]


def _is_hidden(name: str) -> bool:
    return name == names.LAZY_RESET_GRAD or name.endswith(_HIDDEN)


def static_shape(value: ValueInfo) -> tuple[int, ...] | None:
    """The shape of a value whose graph says all of it, else None."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    if shape is None or not all(isinstance(size, int) for size in shape):
        return None
    return tuple(size for size in shape if isinstance(size, int))
