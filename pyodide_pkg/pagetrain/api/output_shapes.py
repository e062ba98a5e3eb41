"""The shapes of a plan's results, followed from its inputs' before anything runs, with open dimensions by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..graph import Dimension, Shape, TensorType, ValueInfo
from ..kernels import Spec
from ..plan import Plan
from ..plan_shapes import Shapes

# Sizes for the open dimensions: the first one's, and how much larger each next one is. Shapes are followed twice: a size that is the same
# both times is fixed, and one that is both times a dimension's is that dimension. The steps differ so that a sum cannot look like another.
_SIZES = ((1009, 16), (1511, 36))
_End = str | tuple[str, int]  # an open dimension: its name, or the input and the axis
_Types = Mapping[str, TensorType]


def output_shapes(plan: Plan, inputs: Iterable[ValueInfo]) -> dict[str, Shape]:
    """{fetch: its shape}; None for a dimension that is neither fixed nor an input's. {} where the shapes of some op cannot be followed."""
    types = {value.name: value.type for value in inputs if value.name in plan.inputs and isinstance(value.type, TensorType)}
    if len(types) < len(plan.inputs) or any(known.shape is None for known in types.values()):
        return {}
    ends = list(dict.fromkeys(end for name, known in types.items() for end in _ends(name, known) if not isinstance(end, int)))
    found: list[list[Spec | None]] = []
    for start, more in _SIZES:
        shapes = _followed(plan, types, {end: start + more * index for index, end in enumerate(ends)})
        if shapes.guessed:
            return {}
        found.append([shapes.specs[name] for name in plan.results])
    named = {tuple(start + more * index for start, more in _SIZES): end for index, end in enumerate(ends) if isinstance(end, str)}
    return {
        name: tuple(one if one == other else named.get((one, other)) for one, other in zip(first.shape, second.shape, strict=True))
        for name, first, second in zip(plan.fetches, *found, strict=True)
        if first and second and len(first.shape) == len(second.shape)
    }


def merged(declared: Shape | None, inferred: Shape | None) -> Shape | None:
    """What both say: a size before a name, and the declared one of two."""
    if declared is None or inferred is None or len(declared) != len(inferred):
        return inferred if declared is None else declared
    return tuple(map(_merged, declared, inferred))


def _merged(declared: Dimension, inferred: Dimension) -> Dimension:
    return inferred if isinstance(inferred, int) and not isinstance(declared, int) else declared or inferred


def _followed(plan: Plan, types: _Types, sizes: Mapping[_End, int]) -> Shapes:
    given = {
        name: Spec(tuple(end if isinstance(end, int) else sizes[end] for end in _ends(name, known)), itemsize=1)
        for name, known in types.items()
    }
    shapes = Shapes(plan, {end: size for end, size in sizes.items() if isinstance(end, str)}, given)
    for step in plan.steps:
        shapes.learn(step)
    return shapes


def _ends(name: str, known: TensorType) -> list[_End | int]:
    """The input's dimensions: sizes, and what stands for the open ones."""
    return [size if size is not None else (name, axis) for axis, size in enumerate(known.shape or ())]
