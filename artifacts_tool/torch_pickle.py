"""Reads a state dict from a torch file of the old format without torch, and without running anything the file says.

The file is five pickles one behind the other (magic number, protocol, system facts, the object, the storage keys), then the raw
storages: for each key the element count (int64) and the elements. Only tensors, their storages and OrderedDict may occur; all else is
refused by name.
Source: pytorch/pytorch:torch/serialization.py (_legacy_load).
"""

from __future__ import annotations

import io
import math
import pickle
import struct
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from pagetrain.errors import FormatError

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
MAX_RANK = 32
MAX_SIZE = 2**40  # of an axis or a stride, so that numpy can count the bytes
STORAGE_DTYPES = {
    "DoubleStorage": np.dtype("<f8"),
    "FloatStorage": np.dtype("<f4"),
    "HalfStorage": np.dtype("<f2"),
    "LongStorage": np.dtype("<i8"),
    "IntStorage": np.dtype("<i4"),
    "ShortStorage": np.dtype("<i2"),
    "CharStorage": np.dtype("i1"),
    "ByteStorage": np.dtype("u1"),
    "BoolStorage": np.dtype("?"),
}


@dataclass(frozen=True, slots=True)
class _Storage:
    key: str
    dtype: np.dtype[Any]
    count: int


@dataclass(frozen=True, slots=True)
class _View:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def load_state_dict(data: bytes) -> dict[str, np.ndarray]:
    """{name: array} of the tensors in the file, as views of `data`. Raises FormatError if it is damaged or holds anything but tensors."""
    stream = io.BytesIO(data)
    if _unpickle(stream) != MAGIC or _unpickle(stream) != PROTOCOL:
        raise FormatError("This is not a torch file of the format before torch 1.6; save it with _use_new_zipfile_serialization=False.")
    _unpickle(stream)
    views = _unpickle(stream)
    if not isinstance(views, Mapping) or not all(isinstance(view, _View) for view in views.values()):
        raise FormatError("The torch file holds something else than a state dict of tensors; save model.state_dict().")
    storages = _storages(data, stream, [view.storage for view in views.values()])
    return {str(name): _array(str(name), view, storages) for name, view in views.items()}


class _Unpickler(pickle.Unpickler):
    """Refuses every global but the few below, so that no code can be named, let alone called."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild_tensor
        if module == "torch" and name in STORAGE_DTYPES:
            return STORAGE_DTYPES[name]
        raise FormatError(f"The torch file names {module}.{name}, which is no tensor; it is refused, as loading it could run code.")

    def persistent_load(self, pid: Any) -> _Storage:
        match pid:
            case ("storage", np.dtype() as dtype, str(key), str(), int(size), None) if size >= 0:
                return _Storage(key, dtype, size)
        raise FormatError("The torch file refers to something else than a plain storage.")


def _unpickle(stream: io.BytesIO) -> Any:
    try:
        return _Unpickler(stream).load()
    except FormatError:
        raise
    except Exception as error:  # a damaged pickle raises almost anything: UnpicklingError, EOFError, TypeError, KeyError ...
        raise FormatError(f"The torch file is damaged ({type(error).__name__} in a pickle at byte {stream.tell()}).") from error


def _rebuild_tensor(storage: object, offset: object, shape: object, strides: object, *_unused: object) -> _View:
    if not isinstance(storage, _Storage) or not isinstance(offset, int) or not _are_sizes(shape) or not _are_sizes(strides):
        raise FormatError("The torch file describes a tensor in a way this reader does not know.")
    if len(shape) != len(strides) or len(shape) > MAX_RANK:
        raise FormatError(f"The torch file describes a tensor of {len(shape)} axes with {len(strides)} strides.")
    return _View(storage, offset, shape, strides)


def _are_sizes(value: object) -> TypeGuard[tuple[int, ...]]:
    return isinstance(value, tuple) and all(isinstance(size, int) and 0 <= size <= MAX_SIZE for size in value)


def _storages(data: bytes, stream: io.BytesIO, wanted: list[_Storage]) -> dict[str, np.ndarray]:
    """{key: elements}, views of the file, in the order of its own key list."""
    by_key = {storage.key: storage for storage in wanted}
    keys = _unpickle(stream)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys) or sorted(keys) != sorted(by_key):
        raise FormatError("The torch file's list of storages does not fit its tensors.")
    position, found = stream.tell(), {}
    for key in keys:
        storage = by_key[key]
        end = position + 8 + storage.count * storage.dtype.itemsize
        if end > len(data) or struct.unpack_from("<q", data, position)[0] != storage.count:
            raise FormatError(f"The torch file is cut short or damaged: storage {key!r} should hold {storage.count} elements.")
        found[key] = np.frombuffer(data, storage.dtype, storage.count, position + 8)
        position = end
    return found


def _array(name: str, view: _View, storages: Mapping[str, np.ndarray]) -> np.ndarray:
    """The tensor as an array of its own layout. Checked against its storage, so a lying stride cannot reach outside."""
    elements = storages[view.storage.key]
    last = view.offset + sum((size - 1) * stride for size, stride in zip(view.shape, view.strides, strict=True))
    count = math.prod(view.shape)
    if count > len(elements) or (count and not 0 <= view.offset <= last < len(elements)):
        raise FormatError(f"The torch file is damaged: tensor {name!r} reaches outside its storage of {len(elements)} elements.")
    strides = tuple(stride * elements.itemsize for stride in view.strides)
    return np.lib.stride_tricks.as_strided(elements[view.offset :], view.shape, strides, writeable=False)
