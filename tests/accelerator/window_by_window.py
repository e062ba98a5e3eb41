"""Convolution and its gradients for two spatial axes straight from the definition, in Python's own integers: nothing wraps here."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass
class Windows:
    """Where each tap of each window falls, for X of these sizes. Source of the formulas: ONNX Conv."""

    sizes: Sequence[int]
    kernel: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]
    pads: Sequence[int]
    auto_pad: str = "NOTSET"

    def __post_init__(self) -> None:
        self.extents = [(size - 1) * step + 1 for size, step in zip(self.kernel, self.dilations, strict=True)]
        self.begins, ends = [0, 0], [0, 0]
        for axis in (0, 1):
            if self.auto_pad.startswith("SAME"):
                size, stride = self.sizes[axis], self.strides[axis]
                total = max((-(-size // stride) - 1) * stride + self.extents[axis] - size, 0)
                smaller, larger = total // 2, total - total // 2
                self.begins[axis], ends[axis] = (smaller, larger) if self.auto_pad == "SAME_UPPER" else (larger, smaller)
            elif self.auto_pad != "VALID":
                self.begins[axis], ends[axis] = self.pads[axis], self.pads[axis + 2]
        rooms = [size + begin + end for size, begin, end in zip(self.sizes, self.begins, ends, strict=True)]
        self.output = [(room - extent) // stride + 1 for room, extent, stride in zip(rooms, self.extents, self.strides, strict=True)]

    def meetings(self) -> Iterator[tuple[tuple[int, int], tuple[int, int], tuple[int, int]]]:
        """(pixel of Y, tap, pixel of X) wherever a tap meets the picture."""
        for position in itertools.product(*map(range, self.output)):
            for tap in itertools.product(*map(range, self.kernel)):
                met = [self._along(axis, position[axis], tap[axis]) for axis in (0, 1)]
                if all(0 <= pixel < size for pixel, size in zip(met, self.sizes, strict=True)):
                    yield (position[0], position[1]), (tap[0], tap[1]), (met[0], met[1])

    def _along(self, axis: int, position: int, tap: int) -> int:
        return position * self.strides[axis] + tap * self.dilations[axis] - self.begins[axis]


def conv(X: np.ndarray, W: np.ndarray, B: np.ndarray, group: int, windows: Windows) -> np.ndarray:
    """Y."""
    Y = np.zeros((X.shape[0], W.shape[0], *windows.output)) + B[:, None, None]
    for (r, p), (i, j), (row, column) in windows.meetings():
        Y[:, :, r, p] += np.einsum("ngc,gmc->ngm", *_grouped(X[:, :, row, column], W[:, :, i, j], group)).reshape(Y.shape[:2])
    return Y


def conv_grad(dY: np.ndarray, X: np.ndarray, W: np.ndarray, group: int, windows: Windows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(dX, dW, dB)."""
    dX, dW = np.zeros(X.shape), np.zeros(W.shape)
    for (r, p), (i, j), (row, column) in windows.meetings():
        x, w = _grouped(X[:, :, row, column], W[:, :, i, j], group)
        dy = dY[:, :, r, p].reshape(len(X), group, w.shape[1])
        dX[:, :, row, column] += np.einsum("ngm,gmc->ngc", dy, w).reshape(X.shape[:2])
        dW[:, :, i, j] += np.einsum("ngm,ngc->gmc", dy, x).reshape(W.shape[:2])
    return dX, dW, dY.sum(axis=(0, 2, 3), dtype=np.float64)


def _grouped(x: np.ndarray, w: np.ndarray, group: int) -> tuple[np.ndarray, np.ndarray]:
    """(N, group, C / group) and (group, M / group, C / group)."""
    return x.reshape(len(x), group, w.shape[1]), w.reshape(group, w.shape[0] // group, w.shape[1])
