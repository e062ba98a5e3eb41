"""packing: elements of less than a byte, against onnx's own helpers."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from pagetrain.graph import NUMPY_DTYPES, ElementType, Graph, Model, Tensor, TensorType, ValueInfo
from pagetrain.ortformat import model
from pagetrain.packing import packed, packed_size, unpacked

pytestmark = pytest.mark.oracle
VALUES = {
    ElementType.UINT4: [0, 15, 7, 1, 8],
    ElementType.INT4: [0, -8, 7, -1, 3],
    ElementType.FLOAT4E2M1: [0, -6, 0.5, 1.5, 4],
    ElementType.UINT2: [0, 3, 1, 2, 3],
    ElementType.INT2: [0, -2, 1, -1, 1],
}


def _array(element: ElementType) -> np.ndarray:
    return np.array(VALUES[element], np.float32).astype(NUMPY_DTYPES[element])


@pytest.mark.parametrize("element", VALUES)
def test_bytes_are_onnx_s(element: ElementType) -> None:
    """packed writes what onnx writes, of an odd number of elements too, and unpacked reads it back."""
    expected = helper.make_tensor("t", int(element), [5], VALUES[element])
    array = _array(element)
    raw = packed(array)
    proto = TensorProto(data_type=int(element), dims=[5], raw_data=raw)
    np.testing.assert_array_equal(numpy_helper.to_array(proto), numpy_helper.to_array(expected))
    assert len(raw) == packed_size(array.dtype, 5)
    np.testing.assert_array_equal(unpacked(raw, array.dtype, 5), array)


@pytest.mark.parametrize("element", [*VALUES, ElementType.BFLOAT16, ElementType.FLOAT8E4M3FN])
def test_types_beyond_numpy_survive_the_ort_format(element: ElementType) -> None:
    """An initializer comes back from a .ort file as it was."""
    array = np.array([0, 1, -1, 1], np.float32).astype(NUMPY_DTYPES[element]).reshape(2, 2)
    held = Graph("g", (), (), (ValueInfo("w", TensorType(element, (2, 2))),), (Tensor("w", array),))
    found = model.load(model.dump(Model(held, 10, {"": 21}), {})).graph
    assert found.initializers == held.initializers
