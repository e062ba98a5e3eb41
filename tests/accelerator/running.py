"""Accelerated runners that must do the work themselves, and their numpy twins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pagetrain import kernels
from pagetrain_accelerator.library import Library
from pagetrain_accelerator.ops import offers

MS = "com.microsoft"
Run = Callable[..., tuple[Any, ...]]


def pair(
    library: Library, op_type: str, domain: str = "", since: int = 22, constants: Mapping[int, np.ndarray] | None = None, **attributes: Any
) -> tuple[Run, Run]:
    """(accelerated, numpy): both take the inputs alone. The first fails where it would leave the work to numpy."""
    kernel = kernels.find(domain, op_type, since)
    assert kernel is not None
    runner = offers(library)[domain, op_type](replace(kernel, run=_refusing(kernel.run)), constants or {}, attributes)
    assert runner is not None
    return (lambda *inputs: runner(*inputs, **attributes)), (lambda *inputs: kernel.run(*inputs, **attributes))


def _refusing(run: Run) -> Run:
    def refuse(*_: Any, **__: Any) -> tuple[Any, ...]:
        raise AssertionError("left to numpy")

    refuse.__kwdefaults__ = run.__kwdefaults__
    return refuse


def unaligned(array: np.ndarray) -> np.ndarray:
    """The same values from an address that is no multiple of 16."""
    room = np.zeros(array.size + 5, array.dtype)
    address = room.__array_interface__["data"][0]
    start = next(skip for skip in range(1, 5) if (address + skip * array.itemsize) % 16)
    view = room[start : start + array.size].reshape(array.shape)
    view[...] = array
    return view


def frozen(*arrays: np.ndarray | None) -> list[np.ndarray | None]:
    """The arrays, which nobody may write any more."""
    for array in arrays:
        if array is not None:
            array.flags.writeable = False
    return list(arrays)
