"""@kernel, and what it has registered. Declaring is registering, once a family is imported: see _families.py."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import CodeType
from typing import Any, NamedTuple

from ..graph import ONNX_DOMAIN

Arrays = tuple[Any, ...]  # what a kernel returns: one array (or list of arrays, for a sequence) per output
KernelFunction = Callable[..., Arrays]
# (constants, attributes), as runner_of gets them -> a function with the kernel's signature and results, or None: the kernel as it is.
Preparation = Callable[[Mapping[int, Any], Mapping[str, Any]], KernelFunction | None]
# What numpy and Python raise when a kernel is given what the op does not take, or too much of it; InvalidInputError is one of them.
FAILURES = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class Memory(enum.Enum):
    """Where a kernel's first result lies."""

    NEW = "in memory of its own, in the order of the input that it resembles"
    TURNED = "in memory of its own that is not in C order, such as channels last"
    VIEW = "in its first input"
    TRANSPOSED = "in its first input, with the axes in another order"
    RESHAPED = "in its first input if that is in C order, else in a copy"


class Spec(NamedTuple):
    """An array without its values."""

    shape: tuple[int, ...]
    itemsize: int
    turned: bool = False  # whether its memory is in another order than C
    constant: bool = False  # whether it is there when the plan is bound, so that what a kernel prepares of it is made only once

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.itemsize


Specs = Sequence[Spec | None]
# (inputs, outputs, attributes) -> bytes; None for an input left out and an output not wanted.
Need = Callable[[Specs, Specs, Mapping[str, Any]], int]
Workspace = float | Need


def per_element(inputs: Mapping[int, float] | None = None, outputs: Mapping[int, float] | None = None) -> Need:
    """So many bytes for each element of the inputs and of the outputs at these positions."""

    def need(given: Specs, made: Specs, attributes: Mapping[str, Any]) -> int:
        pairs = (
            (specs[at], size)
            for specs, sizes in ((given, inputs), (made, outputs))
            for at, size in (sizes or {}).items()
            if at < len(specs)
        )
        return int(sum(prod(spec.shape) * size for spec, size in pairs if spec))

    return need


@dataclass(frozen=True, slots=True)
class Kernel:
    """One op from one version on. `mutates`: positions of the inputs it writes; all other inputs are left alone.

    `told`: what it wants to know of its node beside the attributes, as keyword arguments: "wanted", the positions of the outputs that the
    node names, so that it need not compute the others; "output_count", how many it has, where that is no attribute; "output_shapes", the
    shapes that the graph declares for them (None: undeclared); "body_types", the types that its sub-graphs declare for their outputs.
    `any_type`: it takes half precision as it is; others are handed float32. `passes_on`: its result is its input, so that nobody need call
    it. `by_chance`: it may give another result at each call.

    For the estimate of memory: `memory`, what its first result is; `workspace`, what it needs beside inputs and outputs while it runs: so
    many arrays of the size of the largest of these, or a function that tells the bytes. `prepare`: see runner_of.

    `spares`: positions of the inputs in whose memory it can write its first result. As keyword argument `spare` it is told, at each call
    where there are such, which of these it may write, because nobody will read them any more; it need not.

    `typed_by`: for each result, the position of the input whose element type it has, where that is not the first input of floats.
    """

    domain: str
    op_type: str
    since: int
    run: KernelFunction
    attributes: frozenset[str]
    mutates: tuple[int, ...] = ()
    told: tuple[str, ...] = ()
    any_type: bool = False
    passes_on: bool = False
    by_chance: bool = False
    memory: Memory = Memory.NEW
    workspace: Workspace = 0
    prepare: Preparation | None = None
    spares: Collection[int] = ()
    typed_by: tuple[int, ...] = ()

    @property
    def op_id(self) -> str:
        """domain:op_type:since_version, as ORT writes it."""
        return op_id(self.domain, self.op_type, self.since)


_KERNELS: dict[tuple[str, str], list[Kernel]] = {}


def op_id(domain: str, op_type: str, since_version: int) -> str:
    """The name of an op version in ORT's files and in our errors."""
    return f"{domain}:{op_type}:{since_version}"


def kernel(
    op_type: str,
    *,
    domain: str = ONNX_DOMAIN,
    since: int = 1,
    mutates: tuple[int, ...] = (),
    told: tuple[str, ...] = (),
    any_type: bool = False,
    passes_on: bool = False,
    by_chance: bool = False,
    memory: Memory = Memory.NEW,
    workspace: Workspace = 0,
    prepare: Preparation | None = None,
    spares: Collection[int] = (),
    typed_by: tuple[int, ...] = (),
) -> Callable[[KernelFunction], KernelFunction]:
    """Registers a function as the kernel of `op_type` from version `since` on, up to the next registered one.

    Positional parameters are the op's inputs in the schema's order and letters, keyword-only ones its attributes with their defaults,
    what the kernel is `told`, and `spare` if it `spares`.
    The function returns a tuple. Raises ValueError for a second kernel of the same version.
    """

    def register(function: KernelFunction) -> KernelFunction:
        known = _KERNELS.setdefault((domain, op_type), [])
        if any(kernel.since == since for kernel in known):
            raise ValueError(f"{op_id(domain, op_type, since)} has two kernels; keep one.")
        code: CodeType = function.__code__  # inspect.signature takes twenty times as long
        keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        attributes = frozenset(keywords).difference(told, ("spare",) if spares else ())
        facts = (attributes, mutates, told, any_type, passes_on, by_chance, memory, workspace, prepare, spares, typed_by)
        known.append(Kernel(domain, op_type, since, function, *facts))
        known.sort(key=lambda kernel: kernel.since)
        return function

    return register


def versions(domain: str, op_type: str) -> Sequence[Kernel]:
    """The kernels of an op among the families that are imported, oldest first."""
    return _KERNELS.get((domain, op_type), ())


def registered() -> Iterator[Kernel]:
    """Every kernel of the families that are imported, by domain, op_type and version."""
    for key in sorted(_KERNELS):
        yield from _KERNELS[key]
