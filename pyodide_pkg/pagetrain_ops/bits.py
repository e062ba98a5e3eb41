"""Whole numbers bit by bit."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.casting import dtype_of
from pagetrain.kernels.registry import Memory, kernel
from pagetrain.kernels.spare import Spare, room
from pagetrain.packing import packed_size

Result = tuple[np.ndarray, ...]


@kernel("BitwiseAnd", since=18, spares=(0, 1))
def bitwise_and(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = the bits that A and B share. Source: ONNX BitwiseAnd-18."""
    return (np.bitwise_and(A, B, out=room(spare, A, B) if spare else None),)


@kernel("BitwiseOr", since=18, spares=(0, 1))
def bitwise_or(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = the bits of A and of B. Source: ONNX BitwiseOr-18."""
    return (np.bitwise_or(A, B, out=room(spare, A, B) if spare else None),)


@kernel("BitwiseXor", since=18, spares=(0, 1))
def bitwise_xor(A: np.ndarray, B: np.ndarray, *, spare: Spare = ()) -> Result:
    """C = the bits that either A or B has. Source: ONNX BitwiseXor-18."""
    return (np.bitwise_xor(A, B, out=room(spare, A, B) if spare else None),)


@kernel("BitwiseNot", since=18, spares=(0,))
def bitwise_not(X: np.ndarray, *, spare: Spare = ()) -> Result:
    """Y = every bit turned over. Source: ONNX BitwiseNot-18."""
    return (np.bitwise_not(X, out=room(spare, X) if spare else None),)


@kernel("BitShift", since=11, spares=(0, 1))
def bit_shift(X: np.ndarray, Y: np.ndarray, *, direction: str, spare: Spare = ()) -> Result:
    """Z = the bits of X moved Y places LEFT or RIGHT; negative numbers stay negative to the right. Source: ONNX BitShift-11, -28."""
    return ((np.left_shift if direction == "LEFT" else np.right_shift)(X, Y, out=room(spare, X, Y) if spare else None),)


@kernel("BitCast", since=26, any_type=True, memory=Memory.VIEW)
def bit_cast(input: np.ndarray, *, to: int) -> Result:
    """output = the same bits read as element type `to`, which has as many. Source: ONNX BitCast-26."""
    dtype = dtype_of(to)
    if packed_size(dtype, 8) != packed_size(input.dtype, 8):
        raise InvalidInputError(f"{input.dtype} and {dtype} have different numbers of bits.")
    return (np.ascontiguousarray(input).view(dtype).reshape(input.shape),)
