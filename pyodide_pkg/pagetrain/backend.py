"""Which code computes: "numpy", the reference, always there, or an accelerated backend that offers runners of its own for some ops.

A backend is a name and {(domain, op_type): offer}, handed to `register`. An offer(kernel, constants, attributes) is asked once for each
step when a plan is bound, and answers with what runs the step (a function with the kernel's own signature) or with None: numpy runs it.
constants: {input position: array that keeps its values while the plan lives}; attributes: all that the kernel will be called with.
For calls that the runner finds it cannot take, kernel.run is the numpy way. A runner that needs other memory than the kernel for its work
has the attribute `workspace`, and one that writes its result into other inputs, or into none, `spares`, as kernels.Kernel has them; one
that keeps arrays that it has prepared, the attribute `holds`: these arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import distributions
from .errors import InvalidInputError

if TYPE_CHECKING:
    import numpy as np

    from .kernels import Kernel

Runner = Callable[..., tuple[Any, ...]]
Offer = Callable[["Kernel", Mapping[int, "np.ndarray"], Mapping[str, Any]], Runner | None]

Offers = Mapping[tuple[str, str], Offer]
NUMPY = "numpy"
_OFFERS: dict[str, Offers] = {NUMPY: {}}
_chosen: str | None = None  # None until somebody asks


def name() -> str:
    """The backend that plans are bound to from now on: the fastest that there is, unless another one was chosen."""
    global _chosen
    if _chosen is None:
        _chosen = _found() or NUMPY
    return _chosen


def names() -> tuple[str, ...]:
    """All that are known so far, "numpy" first."""
    return tuple(_OFFERS)


def use(backend: str) -> None:
    """Plans bound from now on run on this one; plans bound before keep what they had. Raises InvalidInputError for an unknown one."""
    global _chosen
    if backend not in _OFFERS and _found(backend) is None:
        raise InvalidInputError(f"There is no backend {backend!r} here; there are: {', '.join(_OFFERS)}.")
    _chosen = backend


def _found(backend: str | None = None) -> str | None:
    """This accelerated backend, or the fastest that there is, made known; one line on stderr says why where there is none."""
    if sys.platform != "emscripten":
        return None
    accelerator = distributions.installed(distributions.ACCELERATOR)
    if accelerator is None:
        how = distributions.how_to_install(distributions.ACCELERATOR)
        print(f"pagetrain: numpy computes, pagetrain-accelerator is faster; {how}.", file=sys.stderr)
        return None
    found = accelerator.find(backend)
    if found is None:
        return None
    register(*found)
    return str(found[0])


def register(backend: str, offers: Offers) -> None:
    """Makes a backend known, without choosing it; one of the same name is replaced."""
    _OFFERS[backend] = offers


def offered(kernel: Kernel, constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> Runner | None:
    """What the chosen backend runs such a step with; None where numpy is to do it."""
    offer = _OFFERS[name()].get((kernel.domain, kernel.op_type))
    return None if offer is None else offer(kernel, constants, attributes)
