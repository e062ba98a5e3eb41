"""runner_of(): what a step of a plan calls; made once, when the plan is bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import backend
from ._half_precision import by_float32, widened
from .registry import Kernel, KernelFunction

Constants = Mapping[int, np.ndarray]


def reference_of(kernel: Kernel) -> KernelFunction:
    """The kernel's function for inputs of every type, unprepared, in numpy whatever the backend."""
    return _for_all_types(kernel, kernel.run)


def runner_of(kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> KernelFunction:
    """What to call for this step at each pass: signature and results of the kernel, for inputs of every type.

    constants: {input position: array that keeps its values while the plan lives}; the runner may have prepared them, and is still handed
    them at each call. attributes: as at each call, with what the kernel is told. The chosen backend is asked first (see backend.py),
    then the kernel's own `prepare`; what neither takes is run by the kernel. Attributes `workspace`, `spares` and `holds`: see backend.py.
    """
    wide = constants if kernel.any_type or kernel.mutates else {position: widened(value) for position, value in constants.items()}
    run = backend.offered(kernel, wide, attributes)
    if run is None and kernel.prepare is not None:
        run = kernel.prepare(wide, attributes)
    return _for_all_types(kernel, kernel.run if run is None else run)


def _for_all_types(kernel: Kernel, run: KernelFunction) -> KernelFunction:
    return run if kernel.any_type or kernel.mutates else by_float32(run, kernel.typed_by)
