"""estimate(plan, sizes): how much memory a pass will take, from shapes and last uses, before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .kernels import FAILURES, Memory, Spec
from .kernels.registry import Specs, Workspace
from .plan_shapes import Given, Shapes
from .spare_memory import is_worth

if TYPE_CHECKING:
    from .plan import Plan, Step

_HALF, _WIDE = 2, 4  # bytes of an element


@dataclass(frozen=True, slots=True)
class Estimate:
    """Memory of a pass in bytes, beside its inputs and initializers. `peak`: most that is held at once; `step`: the one that needs it.

    `held`: {value: bytes} of what is there then, the step's results included; `workspace`: what the step itself needs on top; `specs`: of
    all values; `guessed`: values whose size the graph leaves open; they are taken to be as large as the largest input of their node.
    """

    peak: int
    step: Step | None
    held: Mapping[str, int]
    workspace: int
    specs: Mapping[str, Spec]
    guessed: tuple[str, ...]


def estimate(plan: Plan, sizes: Mapping[str, int], given: Given | None = None) -> Estimate:
    """The most memory that executor.run(plan, ..) holds at once.

    sizes: {symbolic dimension: size}; given: {value: its shape, or an array}, known better than by the plan's types.
    """
    heap = _Heap(plan, sizes, given or {})
    peak = Estimate(0, None, {}, 0, {}, ())
    for step in plan.steps:
        heap.place(step)
        workspace = heap.workspace(step)
        if heap.total + workspace > peak.peak:
            peak = Estimate(heap.total + workspace, step, dict(heap.held), workspace, {}, ())
        heap.release(step)
    return replace(peak, specs=heap.known(), guessed=heap.guessed)


def _workspace(need: Workspace, inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    if isinstance(need, int | float):
        return int(need * max((spec.nbytes for spec in (*inputs, *outputs) if spec), default=0))
    try:
        return need(inputs, outputs, attributes)
    except FAILURES:  # shapes that were guessed, and do not fit; or a node that cannot run
        return 0


def _in_float32(need: Workspace, inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """With the copies in which half precision is calculated, see kernels/_half_precision.py."""
    wide_inputs, wide_outputs = (
        [spec and spec._replace(itemsize=max(spec.itemsize, _WIDE)) for spec in specs] for specs in (inputs, outputs)
    )
    copies = sum(wide.nbytes for spec, wide in zip(inputs, wide_inputs, strict=True) if spec and wide and wide != spec)
    made, wide_made = (sum(spec.nbytes for spec in specs if spec) for specs in (outputs, wide_outputs))
    return max(copies + _workspace(need, wide_inputs, wide_outputs, attributes) + wide_made - made, wide_made if wide_made > made else 0)


class _Heap:
    """What is held during a pass. Views count for nothing; memory is let go when the last value in it dies."""

    def __init__(self, plan: Plan, sizes: Mapping[str, int], given: Given) -> None:
        self.held: dict[str, int] = {}  # the value that was made in this memory -> bytes
        self.total = 0
        self._sizes, self._shapes, self._constants = sizes, Shapes(plan, sizes, given), plan.initializers.keys()
        self._specs = self._shapes.specs
        self._home: dict[str, str] = {}  # value -> the value that was made in its memory
        self._tenants: dict[str, int] = {}  # the latter -> how many values still are in it

    def place(self, step: Step) -> None:
        """The step's results come in."""
        self._shapes.learn(step)
        for position, name in enumerate(step.outputs):
            if name:
                spec = self._specs[name]
                source = self._source(step, position, spec)
                self._specs[name] = spec and spec._replace(turned=self._is_turned(step, spec, position))
                self._move_in(name, source, spec.nbytes if spec else 0)

    def workspace(self, step: Step) -> int:
        """What the kernel needs while it runs, beside inputs and outputs."""
        inputs, outputs = ([self._spec(name) for name in names] for names in (step.inputs, step.outputs))
        peaks = [estimate(body.plan, self._sizes, self._known(body.captured)).peak for body in step.bodies.values()]
        made = sum(spec.nbytes for spec in outputs if spec) if step.kernel.op_type == "If" else 0  # in the branch, and counted already
        bodies = max(0, max(peaks, default=0) - made)  # one of the branches runs
        need = getattr(step.run, "workspace", step.kernel.workspace)
        if not step.kernel.any_type and not step.kernel.mutates and any(spec and spec.itemsize == _HALF for spec in inputs):
            return bodies + _in_float32(need, inputs, outputs, step.attributes)
        return bodies + _workspace(need, inputs, outputs, step.attributes)

    def _spec(self, name: str) -> Spec | None:
        spec = self._specs[name]
        return spec._replace(constant=True) if spec and name in self._constants else spec

    def release(self, step: Step) -> None:
        """What the step used up goes."""
        for name in step.dead:
            home = self._home.get(name)
            if home is not None:
                self._tenants[home] -= 1
                if not self._tenants[home]:
                    self.total -= self.held.pop(home)

    @property
    def guessed(self) -> tuple[str, ...]:
        """Values whose shape nothing tells."""
        return tuple(self._shapes.guessed)

    def known(self) -> dict[str, Spec]:
        """All values whose shape and type are known, or guessed."""
        return {name: spec for name, spec in self._specs.items() if spec}

    def _move_in(self, name: str, source: str | None, size: int) -> None:
        if source is None:
            self._home[name], self._tenants[name], self.held[name] = name, 1, size
            self.total += size
        elif source in self._home:  # else it lies in an input or initializer
            home = self._home[name] = self._home[source]
            self._tenants[home] += 1

    def _source(self, step: Step, position: int, spec: Spec | None) -> str | None:
        """The input that the result lies in; None for memory of its own."""
        memory, first = step.kernel.memory, self._specs[step.inputs[0]] if step.inputs else None
        if (step.inputs and memory in (Memory.VIEW, Memory.TRANSPOSED)) or (memory is Memory.RESHAPED and first and not first.turned):
            return step.inputs[0]
        written = [step.inputs[place] for place in step.kernel.mutates if place < len(step.inputs)]
        spare = [name for _, name in step.spare if position == 0 and self._is_spare(step, name)]
        return next((name for name in (*written, *spare) if spec and (old := self._specs[name]) and old.shape == spec.shape), None)

    def _is_spare(self, step: Step, name: str) -> bool:
        """Whether the value alone is in memory that the pass made, and no other input wants another order of the result's elements."""
        home, own = self._home.get(name, ""), self._specs[name]
        if own is None or self._tenants.get(home) != 1 or self.held[home] != own.nbytes or not is_worth(own.nbytes, own.itemsize):
            return False
        return not own.turned or all(spec.turned for other in step.inputs if (spec := self._specs[other]) and spec.shape == own.shape)

    def _is_turned(self, step: Step, spec: Spec, position: int) -> bool:
        memory, inputs = step.kernel.memory, [self._specs[name] for name in step.inputs]
        if memory is Memory.TURNED:
            return position == 0 and sum(size > 1 for size in spec.shape) > 1
        if memory in (Memory.VIEW, Memory.TRANSPOSED):
            return bool(inputs and (first := inputs[0]) and first.turned is not (memory is Memory.TRANSPOSED))
        return memory is Memory.NEW and any(known.turned for known in inputs if known and known.shape == spec.shape)

    def _known(self, captured: tuple[str, ...]) -> dict[str, Spec]:
        return {name: spec for name in captured if (spec := self._specs.get(name))}
