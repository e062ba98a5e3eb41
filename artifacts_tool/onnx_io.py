"""ONNX files: read, written and typed. With proto_reader and proto_writer the only door to protobuf; same model, same bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

import onnx
import onnx.checker
import onnx.inliner
import onnx.shape_inference
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]  # its stubs are a package of their own

from pagetrain.errors import FormatError
from pagetrain.graph import ONNX_DOMAIN, Model, TensorType, ValueInfo

from .more_types import further_types, is_said
from .proto_reader import model_of
from .proto_writer import proto_of
from .stand_ins import with_stand_ins, without_stand_ins

ModelSource = onnx.ModelProto | bytes | str | os.PathLike[str]


def read(source: ModelSource) -> Model:
    """The model in a ModelProto, its bytes, or the file of that path (with external data beside it). Local functions are inlined.

    Raises FormatError for what is no ONNX model or a damaged one: texts that are not UTF-8, tensors of another size than they say.
    """
    if isinstance(source, onnx.ModelProto):
        proto = source
    elif isinstance(source, bytes):
        proto = _parse(source)
    else:
        proto = _load(source)
    if not proto.HasField("graph"):
        raise FormatError("The model holds no graph; export it again.")
    _refuse_broken_texts(proto)
    try:
        return model_of(onnx.inliner.inline_local_functions(proto) if proto.functions else proto)
    except (ValueError, onnx.checker.ValidationError) as error:
        raise FormatError(f"The model is damaged: {error}") from error


def to_bytes(model: Model) -> bytes:
    """The serialised ModelProto; two calls give the same bytes."""
    data: bytes = proto_of(model).SerializeToString(deterministic=True)
    return data


def infer_types(model: Model) -> Model:
    """The model with every value typed that can be; known types stay. Raises FormatError for a contradiction."""
    graph = with_stand_ins(model.graph, model.opset_import.get(ONNX_DOMAIN, 1))
    typed = _completed(replace(model, graph=graph))
    return replace(typed, graph=without_stand_ins(typed.graph, model.graph))


def _completed(model: Model) -> Model:
    """ONNX's inference and further_types in turn, until nothing more follows; each value is typed here once at most."""
    given: set[str] = set()
    while True:
        found, problem = _inferred(model)
        more = [value for value in further_types(found.graph) if value.name not in given]
        if more:
            given.update(value.name for value in more)
            kept = (value for value in found.graph.value_info if value.name not in given and _is_settled(value))
            known = (value for value in found.graph.value_info if value.name in given and all(value.name != new.name for new in more))
            model = replace(found, graph=replace(found.graph, value_info=(*kept, *known, *more)))
        elif problem is None:
            return found
        else:
            raise FormatError(f"Types or shapes in the graph {model.graph.name!r} contradict each other: {problem}") from problem


def _is_settled(value: ValueInfo) -> bool:
    """False for a shape with sizes that inference made up: with more known it may find better ones."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return all(size is None or is_said(size) for size in shape or ())


def _inferred(model: Model) -> tuple[Model, Exception | None]:
    """(the model as far as ONNX types it, what is wrong or missing)."""
    proto = proto_of(model)
    try:
        return model_of(onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True)), None
    except onnx.shape_inference.InferenceError:  # with data_prop it takes every vector for a shape, and may find such shapes at odds
        pass
    try:
        return model_of(onnx.shape_inference.infer_shapes(proto, strict_mode=True)), None
    except onnx.shape_inference.InferenceError as error:
        return model_of(onnx.shape_inference.infer_shapes(proto)), error


def _refuse_broken_texts(message: Message) -> None:
    """Protobuf hands a text that is not UTF-8 over as bytes."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in value if isinstance(value, Sequence) else [value]:
                _refuse_broken_texts(part)
        elif field.type == field.TYPE_STRING:
            for text in [value] if isinstance(value, str | bytes) else value:
                if isinstance(text, bytes):
                    raise FormatError(f"The model is damaged: the {field.full_name} {text!r:.80} is not UTF-8.")


def _parse(data: bytes) -> onnx.ModelProto:
    try:
        return onnx.load_model_from_string(data)
    except DecodeError as error:
        raise FormatError(f"These {len(data)} bytes are not an ONNX model; export it again.") from error


def _load(path: str | os.PathLike[str]) -> onnx.ModelProto:
    try:
        return onnx.load_model(os.fspath(path))
    except DecodeError as error:
        raise FormatError(f"{os.fspath(path)} is not an ONNX model; export it again.") from error
    except onnx.checker.ValidationError as error:
        raise FormatError(f"{os.fspath(path)}: {error}") from error
