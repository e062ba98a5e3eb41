"""ModelAccessor: the model that blocks build on, from `with base(model)` until its end."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import onnx
import onnx.shape_inference

from pagetrain.errors import InvalidInputError, StateError

from ..custom_ops import check_library
from ..naming import Names

EMPTY_IR_VERSION = 10
EMPTY_PRODUCER = "orttraining"
EMPTY_GRAPH = "graph"


class ModelAccessor:
    """`model`: what blocks append to. `path`: as handed to base, kept for those who ask."""

    def __init__(self, model: onnx.ModelProto, path: str | None = None, names: Names | None = None) -> None:
        self.model, self.path, self.names = model, path, names or Names()
        self._depth = 0

    @property
    def has_path(self) -> bool:
        """Whether base was told the model's path."""
        return self.path is not None

    @contextmanager
    def nested(self) -> Iterator[bool]:
        """Entered by each block; yields whether it is the outermost one."""
        self._depth += 1
        try:
            yield self._depth == 1
        finally:
            self._depth -= 1

    def type_of(self, name: str) -> onnx.TypeProto:
        """The type of a value, inferred if the graph does not say. Raises InvalidInputError when it stays unknown."""
        found = _types(self.model).get(name)
        if found is None:
            found = _types(onnx.shape_inference.infer_shapes(self.model)).get(name)
        if found is None:
            raise InvalidInputError(f"The model has no value {name!r} with a known type.")
        return found


def _types(model: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    graph = model.graph
    found = {tensor.name: onnx.helper.make_tensor_type_proto(tensor.data_type, tensor.dims) for tensor in graph.initializer}
    values = (value for group in (graph.value_info, graph.output, graph.input) for value in group)
    return found | {value.name: value.type for value in values if _is_said(value.type)}


def _is_said(known: onnx.TypeProto) -> bool:
    return bool(known.tensor_type.elem_type) if known.HasField("tensor_type") else known.WhichOneof("value") is not None


_current: ContextVar[ModelAccessor | None] = ContextVar("_current", default=None)
_library: ContextVar[str | os.PathLike[str] | None] = ContextVar("_library", default=None)


def current() -> ModelAccessor:
    """The accessor of the surrounding base or empty_base. Raises StateError outside of one."""
    accessor = _current.get()
    if accessor is None:
        raise StateError("A block was called without a model to build on; call it inside `with onnxblock.base(model):`.")
    return accessor


@contextmanager
def opened(accessor: ModelAccessor) -> Iterator[ModelAccessor]:
    """Blocks build on this accessor's model. Raises StateError inside another one."""
    if _current.get() is not None:
        raise StateError("A base model is open already; blocks build on one model at a time.")
    token = _current.set(accessor)
    try:
        yield accessor
    finally:
        _current.reset(token)


@contextmanager
def base(model: onnx.ModelProto, model_path: str | None = None) -> Iterator[ModelAccessor]:
    """Blocks build on a copy of the model; the accessor's `model` is the result. Raises StateError inside another base."""
    if not isinstance(model, onnx.ModelProto):
        raise InvalidInputError(f"base needs a ModelProto, got {type(model).__name__}; empty_base starts from nothing.")
    with opened(ModelAccessor(copy.deepcopy(model), model_path)) as accessor:
        yield accessor


@contextmanager
def empty_base(opset_version: int | None = None) -> Iterator[ModelAccessor]:
    """Blocks build on an empty model of this opset (default: the newest that onnx knows)."""
    with opened(ModelAccessor(empty_model(opset_version))) as accessor:
        yield accessor


def empty_model(opset_version: int | None = None) -> onnx.ModelProto:
    """What empty_base starts from."""
    model = onnx.ModelProto(ir_version=EMPTY_IR_VERSION, producer_name=EMPTY_PRODUCER)
    model.graph.name = EMPTY_GRAPH
    newest = onnx.defs.onnx_opset_version()
    model.opset_import.extend([onnx.helper.make_opsetid("com.microsoft", 1), onnx.helper.make_opsetid("", opset_version or newest)])
    return model


@contextmanager
def custom_op_library(custom_op_library_path: str | os.PathLike[str]) -> Iterator[str | os.PathLike[str]]:
    """For models that do without the library's ops: native code cannot be loaded here, so the file is not read, and a block with an op of
    it is refused as one with any other unknown op.

    Raises InvalidInputError when there is no such file, StateError inside another one.
    """
    check_library(custom_op_library_path)
    if _library.get() is not None:
        raise StateError("A custom_op_library is open already; there is one at a time.")
    token = _library.set(custom_op_library_path)
    try:
        yield custom_op_library_path
    finally:
        _library.reset(token)
