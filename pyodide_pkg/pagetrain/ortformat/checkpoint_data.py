"""The second file of a large checkpoint, <checkpoint>.data: when there is one, what stands in it, and where.

Source: ORT 1.19 orttraining/orttraining/training_api/checkpoint.cc and onnxruntime/core/graph/graph_flatbuffers_utils.cc.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

from ..errors import FormatError
from ..packing import packed_size
from . import tensor
from .tables import Fields

SUFFIX = ".data"
EXTERNAL_FROM = 1800 << 20  # bytes of values, rounded up to whole MiB, as ORT has it
_MIB = 1 << 20
INLINE_BELOW = 64  # bytes of a tensor that stays in the first file when parameters are stored offline; a state stores all in the second


class DataFile:
    """A second file being filled. `pieces`: its content so far, in order; the arrays' own memory."""

    def __init__(self, inline_below: int = 0) -> None:
        """inline_below: tensors of fewer bytes stay in the first file."""
        self._inline_below = inline_below
        self.pieces: list[bytes | memoryview] = []
        self._size = 0

    def fields(self, name: str, array: np.ndarray) -> Fields:
        """The Tensor table of an array whose values go to this file, unless they are too few or texts."""
        fields = tensor.to_fields(name, array)
        values = fields.get("raw_data")
        if values is None or len(values) < self._inline_below:
            return fields
        padding = -self._size % (8 if array.dtype.kind in "iuf" and array.dtype.itemsize == 8 else 4)
        offset = self._size + padding
        self.pieces += [bytes(padding), values]
        self._size = offset + len(values)
        return {**{key: value for key, value in fields.items() if key != "raw_data"}, "external_data_offset": offset}


def needs_data_file(parameters: Mapping[str, np.ndarray], external_from: int = EXTERNAL_FROM) -> bool:
    """Whether ORT would write these values to a second file: by the size of their TensorProtos, in whole MiB."""
    size = sum(_proto_size(name, array) for name, array in parameters.items())
    return max(1, -(-size // _MIB)) * _MIB >= external_from


def _proto_size(name: str, array: np.ndarray) -> int:
    """Bytes of the TensorProto: dims, data_type, name and raw_data, each behind a tag of one byte."""
    length, values = len(name.encode()), 0 if array.dtype.hasobject else packed_size(array.dtype, array.size)
    return sum(1 + _varint_size(size) for size in array.shape) + 2 + 1 + _varint_size(length) + length + 1 + _varint_size(values) + values


def _varint_size(number: int) -> int:
    return max(1, -(-number.bit_length() // 7))


def mapped(file: BinaryIO | None, name: str) -> memoryview:
    """The content of an open file, read only where it is looked at. Raises FormatError where there is none of that name."""
    if file is None:
        raise FormatError(f"The file {name} with the values of the checkpoint is missing; put it beside the checkpoint.")
    return np.memmap(file, np.uint8, "r").data if os.fstat(file.fileno()).st_size else memoryview(b"")
