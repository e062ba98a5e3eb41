"""AdamWOptimizer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from pagetrain.backend import Runner
from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.registry import Kernel

from .arrays import are_floats
from .library import Library
from .registry import accelerated

Arrays = Sequence[np.ndarray]


@accelerated("AdamWOptimizer", MS_DOMAIN)
def adamw_optimizer(library: Library, kernel: Kernel, constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> Runner:
    """One pass over each tensor, with the operations of the numpy kernel in its order: the same bits."""
    settings: Mapping[str, Any] = {**(kernel.run.__kwdefaults__ or {}), **attributes}

    def run(lr: np.ndarray, step: np.ndarray, *lists: Any, **_: Any) -> tuple[Any, ...]:
        """lists: weights, gradients, momentums_1, momentums_2 and the update signal, which may be left out."""
        tensors, signal = list(zip(*lists[:4], strict=True)), (*lists[4:], None)[0]
        if (signal is not None and not signal.all()) or not all(map(_fit, tensors)):
            return kernel.run(lr, step, *lists, **attributes)
        factors = _factors(float(lr.reshape(())), int(step.reshape(())), **settings)
        for w, g, m, v in tensors:
            library.call("adamw", w, g, m, v, w.size, *factors)
        return np.array([True]), lists[0], lists[2], lists[3]

    run.__dict__["workspace"] = 0  # numpy's has temporary arrays
    return run


def _fit(tensors: Arrays) -> bool:
    """Weights, gradients and both moments of one shape; all but the gradients may be written."""
    if not are_floats(*tensors) or any(one is None for one in tensors):
        return False
    writeable = all(one.flags.writeable for one in (tensors[0], *tensors[2:]))
    return writeable and all(one.flags.c_contiguous and one.shape == tensors[0].shape for one in tensors)


def _factors(
    lr: float, step: int, *, alpha: float, beta: float, epsilon: float, weight_decay: float, correct_bias: int, adam_mode: int
) -> tuple[float, ...]:
    """What the C function multiplies and divides by; see the numpy kernel for the two modes."""
    c1, c2 = (1 - alpha**step, 1 - beta**step) if correct_bias else (1.0, 1.0)
    floor = epsilon * (sqrt(c2) if adam_mode == 0 else 1.0)
    return alpha, 1 - alpha, beta, 1 - beta, lr * sqrt(c2) / c1, floor, lr * weight_decay, int(adam_mode == 0)
