"""Gemm, FusedGemm and MatMul, where the product is large enough to pay for the packing."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, prod
from typing import Any

import numpy as np

from pagetrain.backend import Runner
from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.registry import Kernel

from .arrays import FLOAT, are_floats, panels
from .conv import bounds_of
from .library import Library
from .registry import accelerated

Constants = Mapping[int, np.ndarray]
_ENOUGH = 1 << 15  # multiplications


def _packed(library: Library, B: np.ndarray) -> np.ndarray:
    """Panels of B (K, N), whichever way it lies."""
    return panels(library, B.T, turned=True) if B.T.flags.c_contiguous else panels(library, B)


def _multiply(library: Library, A: np.ndarray, packed: np.ndarray, N: int, bias: Any, Z: Any, bounds: tuple[float, float]) -> np.ndarray:
    """clamp(A B + bias + Z), A (M, K) lying either way."""
    Y = np.empty((A.shape[0], N), FLOAT)
    turned = not A.flags.c_contiguous and A.T.flags.c_contiguous
    lying = A.T if turned else np.ascontiguousarray(A)
    library.call("gemm_turned" if turned else "gemm", lying, packed, bias, Z, Y, *A.shape, N, *bounds)
    return Y


@accelerated("Gemm")
@accelerated("FusedGemm", MS_DOMAIN)
def gemm(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner | None:
    """Y = activation(A' B' + C)."""
    activation, parameters = attributes.get("activation", ""), [attributes.get(f"activation_{one}", 0.0) for one in ("alpha", "beta")]
    bounds = bounds_of(activation, parameters)
    beta, (turned_A, turned_B) = attributes.get("beta", 1.0), (bool(attributes.get(name, 0)) for name in ("transA", "transB"))
    constant = constants.get(1)
    if bounds is None or attributes.get("alpha", 1.0) != 1 or beta not in (0, 1):
        return None
    usable = constant is not None and constant.dtype == FLOAT and constant.ndim == 2
    prepared = _packed(library, constant.T if turned_B else constant) if constant is not None and usable else None

    def run(A: np.ndarray, B: np.ndarray, C: np.ndarray | None = None, **_: Any) -> tuple[np.ndarray, ...]:
        if not (are_floats(A, B, C) and A.ndim == B.ndim == 2 and A.size * B.shape[1 - turned_B] >= _ENOUGH):
            return kernel.run(A, B, C, **attributes)
        left, right = (A.T if turned_A else A), (B.T if turned_B else B)
        M, N = left.shape[0], right.shape[1]
        added = C if beta else None
        as_bias = added is not None and added.shape in ((N,), (1, N))
        if left.shape[1] != right.shape[0] or not (added is None or as_bias or added.shape == (M, N)):
            return kernel.run(A, B, C, **attributes)
        laid = None if added is None else np.ascontiguousarray(added)
        packed = _packed(library, right) if prepared is None else prepared
        return (_multiply(library, left, packed, N, laid if as_bias else None, None if as_bias else laid, bounds),)

    run.__dict__["holds"] = () if prepared is None else (prepared,)
    return run


@accelerated("MatMul")
def matmul(library: Library, kernel: Kernel, constants: Constants, attributes: Mapping[str, Any]) -> Runner:
    """Y = A B with B (K, N): of the other kinds of MatMul, numpy takes care."""
    constant = constants.get(1)
    usable = constant is not None and constant.dtype == FLOAT and constant.ndim == 2
    prepared = _packed(library, constant) if constant is not None and usable else None

    def run(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, ...]:
        if not (are_floats(A, B) and A.ndim >= 2 and B.ndim == 2 and A.shape[-1] == B.shape[0] and A.size * B.shape[1] >= _ENOUGH):
            return kernel.run(A, B)
        packed = _packed(library, B) if prepared is None else prepared
        Y = _multiply(library, A.reshape(prod(A.shape[:-1]), B.shape[0]), packed, B.shape[1], None, None, (-inf, inf))
        return (Y.reshape(*A.shape[:-1], B.shape[1]),)

    run.__dict__["holds"] = () if prepared is None else (prepared,)
    return run
