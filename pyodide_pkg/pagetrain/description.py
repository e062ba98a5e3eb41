"""Description: what a plan does and how much memory it takes, in words for people and in fields for tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .errors import InvalidInputError
from .graph import NUMPY_DTYPES
from .kernels import Spec
from .plan_memory import Estimate, estimate
from .plan_shapes import Given, resolved

if TYPE_CHECKING:
    from .plan import Plan

_MOST = 5  # values that are named as the largest
_SHOWN = 3  # guessed values that are named


@dataclass(frozen=True, slots=True)
class Description:
    """One plan. `steps`: kernel calls in a pass; `inputs`: {name: type and shape in words}; `ops`: {op_type: how often};

    `constants`: bytes that are held between passes: initializers, what is computed of them once, and what is prepared for the steps, as
    packed filters are; the parameters of a Module apart. `memory`: what a pass holds beside inputs and constants; `open_sizes`: symbolic
    dimensions without a size, because of which sizes of values had to be guessed.
    """

    steps: int
    inputs: Mapping[str, str]
    ops: Mapping[str, int]
    constants: int
    memory: Estimate
    open_sizes: tuple[str, ...]

    @property
    def peak(self) -> int:
        """Bytes: the most that a pass holds at once, beside its inputs and constants."""
        return self.memory.peak

    @property
    def largest(self) -> dict[str, int]:
        """{value: bytes} of the largest values that are there at the peak, largest first."""
        held = sorted(self.memory.held.items(), key=lambda item: -item[1])
        return {name: size for name, size in held[:_MOST] if size * 100 > self.peak}

    def __str__(self) -> str:
        guessed = self.memory.guessed
        lines = [
            f"steps      {self.steps}",
            f"ops        {', '.join(f'{count} {op}' for op, count in self.ops.items())}",
            *(f"input      {name} {text}" for name, text in self.inputs.items()),
            f"constants  {size_text(self.constants)}",
            f"peak       {self._peak_text()}",
            *(f"           {size_text(size):>9} {name} {shape_text(self.memory.specs.get(name))}" for name, size in self.largest.items()),
        ]
        if guessed:
            names = ", ".join(guessed[:_SHOWN]) + (", .." if len(guessed) > _SHOWN else "")
            told = f"; tell the sizes of {', '.join(self.open_sizes)}" if self.open_sizes else ""
            lines.append(f"guessed    the sizes of {len(guessed)} values that hang on what is in others, {names}{told}")
        return "\n".join(lines)

    def _peak_text(self) -> str:
        if self.memory.step is None:
            return size_text(0)
        guess = "a guess: " if self.memory.guessed else ""
        work = f"{size_text(self.memory.workspace)} of it for its work"
        return f"{guess}{size_text(self.peak)} in {self.memory.step.label}, {work}; then there are"


def described(plan: Plan, sizes: Mapping[str, int], given: Given) -> Description:
    """See Plan.describe."""
    _refuse_open_inputs(plan, sizes, given)
    memory = estimate(plan, sizes, given)
    ops = Counter(step.kernel.op_type for step in plan.steps)
    inputs = {name: _type_text(plan, name, memory.specs.get(name)) for name in plan.inputs}
    lasting = {id(owner): owner for owner in map(_owner, _lasting(plan))}
    constants = sum(getattr(lasting[each], "nbytes", 0) for each in lasting.keys() - {id(_owner(value)) for value in given.values()})
    types = [known for name in memory.guessed if (known := plan.types.get(name))]
    symbols = sorted({size for known in types for size in known.shape or () if isinstance(size, str)}.difference(sizes))
    return Description(len(plan.steps), inputs, dict(ops.most_common()), constants, memory, tuple(symbols))


def _refuse_open_inputs(plan: Plan, sizes: Mapping[str, int], given: Given) -> None:
    """No number at all is better than one of other sizes than those that will come."""
    types = {name: known for name in plan.inputs if name not in given and (known := plan.types.get(name))}
    open_inputs = {name: known for name, known in types.items() if resolved(known, sizes) is None}
    if not open_inputs:
        return
    symbols = dict.fromkeys(
        size for known in open_inputs.values() for size in known.shape or () if isinstance(size, str) and size not in sizes
    )
    said = " and ".join(f"{name!r} is {_type_text(plan, name, None)}" for name in list(open_inputs)[:_SHOWN])
    named = f"the sizes of {', '.join(symbols)}, or " if symbols else ""
    raise InvalidInputError(f"How much memory it takes hangs on sizes that are open: {said}; give {named}the shapes of these inputs.")


def _lasting(plan: Plan) -> Iterator[object]:
    """What the plan and the bodies in it keep between passes."""
    yield from plan.initializers.values()
    for step in plan.steps:
        yield from getattr(step.run, "holds", ())
        for body in step.bodies.values():
            yield from _lasting(body.plan)


def _owner(value: object) -> object:
    """What has the memory that an array lies in."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base
    return value


def _type_text(plan: Plan, name: str, spec: Spec | None) -> str:
    known = plan.types.get(name)
    dtype = str(NUMPY_DTYPES.get(known.element, known.element.name.lower())) if known else "of any type"
    if spec is None and known and known.shape is not None:
        return f"{dtype} ({', '.join('?' if size is None else str(size) for size in known.shape)})"
    return f"{dtype} {shape_text(spec)}"


def shape_text(spec: Spec | None) -> str:
    """(8, 3, 224, 224), or that it is not known."""
    return "of unknown shape" if spec is None else str(spec.shape)


def size_text(size: int) -> str:
    """Bytes with three digits or so: 512 B, 4.8 KB, 38.5 MB; a KB is 1000 bytes."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"
