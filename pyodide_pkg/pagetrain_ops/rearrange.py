"""Elements in another order: DepthToSpace, SpaceToDepth, ReverseSequence; a triangle of them: Trilu."""

from __future__ import annotations

import numpy as np

from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.indices import along
from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("DepthToSpace", since=1, any_type=True)
def depth_to_space_1(input: np.ndarray, *, blocksize: int) -> Result:
    """As DepthToSpace-11 in mode DCR. Source: ONNX DepthToSpace-1."""
    return depth_to_space(input, blocksize=blocksize)


@kernel("DepthToSpace", since=11, any_type=True)
def depth_to_space(input: np.ndarray, *, blocksize: int, mode: str = "DCR") -> Result:
    """(N, b b C, H, W) -> (N, C, H b, W b): channels become blocks of b x b pixels. Source: ONNX DepthToSpace-11, -13.

    mode: channels are numbered by (place in block, C) for DCR, by (C, place in block) for CRD.
    """
    N, channels, H, W = input.shape
    b, C = blocksize, channels // blocksize**2
    if mode == "DCR":
        blocks = input.reshape(N, b, b, C, H, W).transpose(0, 3, 4, 1, 5, 2)
    else:
        blocks = input.reshape(N, C, b, b, H, W).transpose(0, 1, 4, 2, 5, 3)
    return (blocks.reshape(N, C, H * b, W * b),)


@kernel("SpaceToDepth", since=1, any_type=True)
def space_to_depth(input: np.ndarray, *, blocksize: int) -> Result:
    """As SpaceToDepth-28 in mode DCR. Source: ONNX SpaceToDepth-1, -13."""
    return space_to_depth_28(input, blocksize=blocksize)


@kernel("SpaceToDepth", since=28, any_type=True)
def space_to_depth_28(input: np.ndarray, *, blocksize: int, mode: str = "DCR") -> Result:
    """(N, C, H b, W b) -> (N, b b C, H, W): DepthToSpace in the same mode undone. Source: ONNX SpaceToDepth-28."""
    N, C, height, width = input.shape
    b, H, W = blocksize, height // blocksize, width // blocksize
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    blocks = input.reshape(N, C, H, b, W, b).transpose(order)
    return (blocks.reshape(N, b * b * C, H, W),)


@kernel("ReverseSequence", since=10, any_type=True)
def reverse_sequence(input: np.ndarray, sequence_lens: np.ndarray, *, batch_axis: int = 1, time_axis: int = 0) -> Result:
    """Y = input with the first sequence_lens[b] steps of each sequence b in reverse. Source: ONNX ReverseSequence-10."""
    ordered = np.moveaxis(input, (time_axis, batch_axis), (0, 1))
    steps = np.arange(ordered.shape[0])[:, None]
    sources = np.where(steps < sequence_lens, sequence_lens - 1 - steps, steps)
    return (np.moveaxis(ordered[along(ordered.shape[:2], sources, 0)], (0, 1), (time_axis, batch_axis)),)


@kernel("Trilu", since=14, any_type=True)
def trilu(input: np.ndarray, k: np.ndarray | None = None, *, upper: int = 1) -> Result:
    """output = the upper (lower) triangle of the last two axes, from the k-th diagonal on, else 0. Source: ONNX Trilu-14."""
    diagonal = 0 if k is None else int(k.item())
    return (np.triu(input, diagonal) if upper else np.tril(input, diagonal),)


@kernel("Trilu", domain=MS_DOMAIN, any_type=True)
def trilu_ms(X: np.ndarray, k: np.ndarray | None = None, *, upper: int = 1) -> Result:
    """As ONNX Trilu-14. Source: com.microsoft Trilu-1."""
    return trilu(X, k, upper=upper)
