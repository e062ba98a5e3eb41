"""ONNX files: read, written and typed. Same model, same bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import onnx
import onnx.checker
import onnx.shape_inference
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # its stubs are a package of their own

from pagetrain import onnxformat
from pagetrain.errors import FormatError
from pagetrain.graph import ONNX_DOMAIN, Model, TensorType, ValueInfo
from pagetrain.onnxformat.external_data import ExternalData
from pagetrain.onnxformat.tensors import Values, refuse_external

from .light import large_types, without_large
from .more_types import further_types, is_said, types_by_weights
from .onnx_files import MOST_BYTES
from .op_schemas import since_version
from .proto_reader import model_of
from .soundness import sound
from .stand_ins import with_stand_ins
from .typed import has_long_vector, with_types_of

MOST_TEXT = 600
ModelSource = onnx.ModelProto | bytes | str | os.PathLike[str]


def read(source: ModelSource, open_ends: bool = False) -> Model:
    """The model in a ModelProto, its bytes, or the file of that path, whose external data are mapped, not read. Functions are inlined.

    open_ends: nodes may read values that nothing provides. Nodes out of order are sorted.
    Raises FormatError for what is no ONNX model or a damaged one: texts that are not UTF-8, tensors of another size than they say, values
    without or with two makers, cycles, nodes that their schemas do not allow, external data outside the model's folder.
    """
    if isinstance(source, onnx.ModelProto):
        return read_proto(source, refuse_external, open_ends)
    if isinstance(source, bytes):
        return _read_bytes(source, refuse_external, open_ends)
    return _read_bytes(_content(Path(source)), ExternalData(Path(source).parent), open_ends)


def read_proto(proto: onnx.ModelProto, external: Values, open_ends: bool = False) -> Model:
    """read for a ModelProto. external: the values of tensors that are stored elsewhere."""
    with _damage():
        return sound(model_of(proto, external), open_ends)


def _read_bytes(data: bytes, external: Values, open_ends: bool) -> Model:
    with _damage():
        return sound(onnxformat.load(data, external, since_version), open_ends)


@contextmanager
def _damage() -> Iterator[None]:
    """What other libraries say of a damaged model, as FormatError."""
    try:
        yield
    except (ValueError, onnx.checker.ValidationError) as error:
        raise FormatError(f"The model is damaged: {_short(error)}") from error
    except (RecursionError, DecodeError) as error:  # onnx's objects can be deeper than what protobuf parses
        raise FormatError("The model is damaged: its parts are nested too deeply.") from error


def to_bytes(model: Model) -> bytes:
    """The serialised ModelProto; two calls give the same bytes."""
    return onnxformat.dump(model)


def infer_types(model: Model) -> Model:
    """The model with every value typed that can be; known types stay. Raises FormatError for a contradiction.

    ONNX's inference and more_types in turn, until nothing more follows; more_types gives each value one type at most.
    """
    light = replace(model, graph=with_stand_ins(without_large(model.graph), model.opset_import.get(ONNX_DOMAIN, 1)))
    given: set[str] = set()
    while True:
        light, problem = _inferred(light)
        graph = with_types_of(model.graph, light.graph)
        more = [value for value in further_types(graph) if value.name not in given] or types_by_weights(graph)
        if more:
            given.update(value.name for value in more)
            kept = (_as_said(value) for value in graph.value_info if value.name not in given)
            known = (value for value in graph.value_info if value.name in given and all(value.name != new.name for new in more))
            light = replace(light, graph=replace(light.graph, value_info=(*kept, *known, *more, *large_types(graph))))
        elif problem is None:
            return replace(model, graph=graph)
        else:
            raise FormatError(f"Types or shapes in the graph {model.graph.name!r} contradict each other: {_short(problem)}") from problem


def _short(error: Exception) -> str:
    """Its text in one line, of bearable length: onnx prints attributes whole."""
    text = " ".join(str(error).split())
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} ..."


def _as_said(value: ValueInfo) -> ValueInfo:
    """Without the sizes that inference made up: with more known it may find better ones. The rest stays, as ONNX knows no op of ORT."""
    if not isinstance(value.type, TensorType) or value.type.shape is None:
        return value
    shape = tuple(size if is_said(size) else None for size in value.type.shape)
    return replace(value, type=replace(value.type, shape=shape))


def _inferred(model: Model) -> tuple[Model, Exception | None]:
    """(the model as far as ONNX types it, what is wrong or missing).

    With data_prop it takes every vector for a shape: it may find such shapes at odds, and needs a hundred bytes for each element.
    """
    proto, problem = onnx.ModelProto.FromString(to_bytes(model)), None
    try:
        plain = model_of(onnx.shape_inference.infer_shapes(proto, strict_mode=True))
    except onnx.shape_inference.InferenceError as error:
        plain, problem = _as_far_as_possible(model, proto), error
    if not has_long_vector(plain.graph):
        with suppress(onnx.shape_inference.InferenceError):
            return model_of(onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True)), None
    return plain, problem


def _as_far_as_possible(model: Model, proto: onnx.ModelProto) -> Model:
    try:
        return model_of(onnx.shape_inference.infer_shapes(proto))
    except onnx.shape_inference.InferenceError:  # what the graph declares is refused even when nothing else is
        return model


def _content(path: Path) -> bytes:
    """The file without its external data. Raises FormatError, FileNotFoundError or another OSError."""
    if not path.is_file() and path.exists():
        raise FormatError(f"{path} is no file; give the path of an ONNX model.")
    if (size := path.stat().st_size) > MOST_BYTES:
        raise FormatError(f"{path} has {size} bytes; a model beyond 2 GB has its weights in a second file (external data).")
    return path.read_bytes()
