"""Shapes: the shape of every value of a plan, before it runs: declared by the graph, followed from the inputs, or guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import names
from .folding import most_elements
from .graph import NUMPY_DTYPES, TensorType
from .kernels import FAILURES, Memory, Spec
from .shape_rules import Sizes, itemsize_of, rules, shapes_of

if TYPE_CHECKING:
    from .plan import Plan, Step

Given = Mapping[str, Spec | np.ndarray]  # what is known of single values: their shapes, or themselves
_TYPICAL = 4  # bytes of an element of a type that numpy has not
_SMALL = 64  # elements of a value that may be a shape, axes or the like
_ALWAYS_SMALL = ("BroadcastGradientArgs", "Shape", "Size")  # results, whatever the inputs
_MOST_COMPUTED = 1 << 20  # elements of a result that is computed to know its shape


def resolved(known: TensorType, sizes: Mapping[str, int]) -> Spec | None:
    """The array that a type describes; None where a dimension is open."""
    shape = [sizes.get(size) if isinstance(size, str) else size for size in known.shape or ()]
    sure = tuple(size for size in shape if size is not None)
    return Spec(sure, _itemsize(known)) if known.shape is not None and len(sure) == len(shape) else None


def _itemsize(known: TensorType) -> int:
    dtype = NUMPY_DTYPES.get(known.element)
    return dtype.itemsize if dtype else _TYPICAL


class Shapes:
    """`specs`: {value: what is known of it}, filled step by step; `guessed`: values of which neither graph nor inputs tell the shape.

    Small values that depend on shapes alone are computed, because other shapes depend on them.
    """

    def __init__(self, plan: Plan, sizes: Mapping[str, int], given: Given) -> None:
        self.guessed: list[str] = []
        self.specs: dict[str, Spec | None] = {"": None}
        self._types, self._sizes = plan.types, sizes
        known: dict[str, Any] = {**plan.initializers, **given}
        self._values = {name: value for name, value in known.items() if isinstance(value, np.ndarray) and value.size <= _SMALL}
        self.specs.update((name, _spec_of(value)) for name, value in known.items())
        self.specs.update((name, self._declared(name)) for name in plan.inputs if name not in known)

    def learn(self, step: Step) -> None:
        """What the step's results are."""
        made: list[Any] = [*self._computed(step)] or self._followed(step)
        made += [None] * (len(step.outputs) - len(made))
        for position, (name, found) in enumerate(zip(step.outputs, made, strict=False)):
            if name:
                spec = self._of_shape(step, position, found) if isinstance(found, tuple) else _spec_of(found)
                self.specs[name] = self._declared(name) or spec or self._guess(step, name)

    def _computed(self, step: Step) -> tuple[Any, ...]:
        """The results themselves, where they are small and depend on shapes alone."""
        if step.kernel.op_type in ("Shape", "Size"):
            inputs = [_hollow(self.specs[name]) for name in step.inputs[:1]]
        else:
            inputs = [self._values.get(name) for name in step.inputs]
        unknown = any(value is None and name for name, value in zip(step.inputs, inputs, strict=True))
        if not inputs or unknown or step.bodies or step.kernel.mutates or step.kernel.by_chance:
            return ()
        most = 0 if step.kernel.op_type in _ALWAYS_SMALL else most_elements(step.kernel.op_type, inputs, step.attributes)
        if most is None or most > _MOST_COMPUTED:
            return ()
        made = _tried(step, inputs)
        self._values.update((name, value) for name, value in zip(step.outputs, made, strict=False) if np.size(value) <= _SMALL)
        return made

    def _followed(self, step: Step) -> list[Sizes | None]:
        if step.kernel.op_type == "If":
            return self._of_branch(step)
        specs, values = [self.specs[name] for name in step.inputs], [self._values.get(name) for name in step.inputs]
        if step.kernel.memory in (Memory.VIEW, Memory.TRANSPOSED, Memory.RESHAPED) and step.kernel.op_type not in rules():
            # run on an array that is one zero, seen everywhere: its views are as small
            views = _tried(step, [_hollow(spec) if value is None else value for spec, value in zip(specs, values, strict=True)])
            return [view.shape for view in views]
        try:
            return shapes_of(step.kernel.op_type, specs, values, step.attributes)
        except FAILURES:  # what was guessed before does not fit
            return []

    def _of_branch(self, step: Step) -> list[Sizes | None]:
        """What the branch makes whose results are larger, if one knows."""
        found = []
        for body in step.bodies.values():
            inner = Shapes(body.plan, self._sizes, {name: spec for name in body.captured if (spec := self.specs.get(name))})
            inner._values.update((name, self._values[name]) for name in body.captured if name in self._values)
            for each in body.plan.steps:
                inner.learn(each)
            results = [inner.specs.get(name) for name in body.plan.results]
            if not inner.guessed:
                found.append([spec and spec.shape for spec in results])
        return max(found, key=lambda shapes: sum(prod(shape or ()) for shape in shapes), default=[])

    def _of_shape(self, step: Step, position: int, shape: Sizes) -> Spec:
        if known := self._types.get(step.outputs[position]):
            return Spec(shape, _itemsize(known))
        found = itemsize_of(step.kernel, position, [self.specs[name] for name in step.inputs], step.attributes)
        return Spec(shape, found or _TYPICAL)

    def _declared(self, name: str) -> Spec | None:
        known = self._types.get(name)
        return resolved(known, self._sizes) if known else None

    def _guess(self, step: Step, name: str) -> Spec | None:
        """A gradient is as large as what it is the gradient of; else as the largest input."""
        if name.endswith(names.GRADIENT_SUFFIX) and (own := self.specs.get(name.removesuffix(names.GRADIENT_SUFFIX))):
            return own
        self.guessed.append(name)
        return max((spec for read in step.inputs if (spec := self.specs[read])), key=lambda spec: spec.nbytes, default=None)


def _hollow(spec: Spec | None) -> np.ndarray | None:
    """An array of that shape that takes no memory: every element is the same zero. None where numpy could not count its elements."""
    try:
        return None if spec is None else np.broadcast_to(np.float32(0), spec.shape)
    except (OverflowError, ValueError):
        return None


def _tried(step: Step, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The kernel's results, or nothing if it cannot run on these."""
    try:
        with np.errstate(all="ignore"):
            return step.kernel.run(*inputs, **step.attributes)
    except FAILURES:
        return ()


def _spec_of(value: Any) -> Spec | None:
    if isinstance(value, Spec):
        return value
    return Spec(value.shape, value.itemsize) if hasattr(value, "itemsize") else None
