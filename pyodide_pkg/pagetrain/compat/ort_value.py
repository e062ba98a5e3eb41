"""OrtValue: a numpy array in onnxruntime's wrapping.

Reference: onnxruntime 1.19, onnxruntime/python/onnxruntime_inference_collection.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..api.node_arg import type_text
from ..errors import InvalidInputError, ShapeMismatchError
from ..graph import ELEMENT_TYPES, NUMPY_DTYPES, ElementType, TensorType


class OrtValue:
    """Shares the array's memory, as onnxruntime does on the CPU. `_ortvalue`, the object behind onnxruntime's, is itself here."""

    def __init__(self, ortvalue: OrtValue | np.ndarray) -> None:
        self._array: np.ndarray = ortvalue._array if isinstance(ortvalue, OrtValue) else np.asarray(ortvalue)

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: np.ndarray, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """Of an array, whose memory it shares. Raises InvalidInputError for another device than the CPU."""
        _check_device(device_type)
        return OrtValue(numpy_obj)

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int],
        element_type: Any,
        device_type: str = "cpu",
        device_id: int = 0,
    ) -> OrtValue:
        """Of that shape and type (a numpy type, or the number of onnx's), filled with zeros."""
        _check_device(device_type)
        dtype = NUMPY_DTYPES[ElementType(element_type)] if isinstance(element_type, int) else np.dtype(element_type)
        return OrtValue(np.zeros(tuple(shape), dtype))

    @property
    def _ortvalue(self) -> OrtValue:
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The array, so that it goes wherever an array does."""
        return np.array(self._array, dtype, copy=copy) if dtype is not None or copy else self._array

    def numpy(self) -> np.ndarray:
        """The array itself."""
        return self._array

    def shape(self) -> list[int]:
        """Its sizes."""
        return list(self._array.shape)

    def element_type(self) -> int:
        """The number of onnx's TensorProto.DataType."""
        return int(ELEMENT_TYPES[self._array.dtype])

    def data_type(self) -> str:
        """As onnxruntime prints it: tensor(float)."""
        return type_text(TensorType(ELEMENT_TYPES[self._array.dtype]))

    def device_name(self) -> str:
        """ "cpu"."""
        return "cpu"

    def has_value(self) -> bool:
        """True."""
        return True

    def is_tensor(self) -> bool:
        """True."""
        return True

    def is_sparse_tensor(self) -> bool:
        """False."""
        return False

    def is_tensor_sequence(self) -> bool:
        """False."""
        return False

    def update_inplace(self, np_arr: np.ndarray) -> None:
        """Copies the values over. Raises InvalidInputError for another dtype, ShapeMismatchError for another shape."""
        if np_arr.dtype != self._array.dtype:
            raise InvalidInputError(f"The OrtValue is {self._array.dtype}, the new values are {np_arr.dtype}; convert them with astype.")
        if np_arr.shape != self._array.shape:
            raise ShapeMismatchError(f"The OrtValue has shape {self._array.shape}, the new values have {np_arr.shape}.")
        self._array[...] = np_arr


def _check_device(device_type: str) -> None:
    if device_type.partition(":")[0] != "cpu":
        raise InvalidInputError(f"The device is to be {device_type!r}; numpy computes on 'cpu' alone.")
