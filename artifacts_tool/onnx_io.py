"""ONNX files: read, written and typed. With proto_reader and proto_writer the only door to protobuf; same model, same bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import onnx
import onnx.checker
import onnx.shape_inference
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]  # its stubs are a package of their own

from pagetrain.errors import FormatError
from pagetrain.graph import ONNX_DOMAIN, Model, TensorType, ValueInfo

from .external_data import ExternalData
from .light import large_types, without_large
from .local_functions import inlined
from .more_types import further_types, is_said, types_by_weights
from .proto_pieces import MOST_BYTES, model_pieces
from .proto_reader import Values, has_long_vector, model_of, refuse_external, with_types_of
from .proto_writer import proto_of, set_value_info
from .soundness import sound
from .stand_ins import with_stand_ins

MOST_TEXT = 600
ModelSource = onnx.ModelProto | bytes | str | os.PathLike[str]


def read(source: ModelSource, open_ends: bool = False) -> Model:
    """The model in a ModelProto, its bytes, or the file of that path, whose external data are mapped, not read. Functions are inlined.

    open_ends: nodes may read values that nothing provides. Nodes out of order are sorted.
    Raises FormatError for what is no ONNX model or a damaged one: texts that are not UTF-8, tensors of another size than they say, values
    without or with two makers, cycles, nodes that their schemas do not allow, external data outside the model's folder.
    """
    external = refuse_external
    if isinstance(source, onnx.ModelProto):
        proto = source
    elif isinstance(source, bytes):
        proto = _parse(source, f"These {len(source)} bytes are")
    else:
        proto, external = _load(Path(source)), ExternalData(Path(source).parent)
    return read_proto(proto, external, open_ends)


def read_proto(proto: onnx.ModelProto, external: Values, open_ends: bool = False) -> Model:
    """read for a ModelProto. external: the values of tensors that are stored elsewhere."""
    if not proto.HasField("graph"):
        raise FormatError("The model holds no graph; export it again.")
    try:
        _refuse_broken_texts(proto)
        return sound(model_of(inlined(proto), external), open_ends)
    except (ValueError, onnx.checker.ValidationError) as error:
        raise FormatError(f"The model is damaged: {_short(error)}") from error
    except RecursionError as error:
        raise FormatError("The model is damaged: its parts are nested too deeply.") from error


def to_bytes(model: Model) -> bytes:
    """The serialised ModelProto; two calls give the same bytes."""
    return b"".join(model_pieces(model))


def infer_types(model: Model) -> Model:
    """The model with every value typed that can be; known types stay. Raises FormatError for a contradiction.

    ONNX's inference and more_types in turn, until nothing more follows; more_types gives each value one type at most.
    """
    graph = with_stand_ins(without_large(model.graph), model.opset_import.get(ONNX_DOMAIN, 1))
    proto = proto_of(replace(model, graph=graph))
    given: set[str] = set()
    while True:
        proto, problem = _inferred(proto)
        graph = with_types_of(model.graph, proto.graph)
        more = [value for value in further_types(graph) if value.name not in given] or types_by_weights(graph)
        if more:
            given.update(value.name for value in more)
            kept = (value for value in graph.value_info if value.name not in given and _is_settled(value))
            known = (value for value in graph.value_info if value.name in given and all(value.name != new.name for new in more))
            set_value_info(proto.graph, (*kept, *known, *more, *large_types(graph)))
        elif problem is None:
            return replace(model, graph=graph)
        else:
            raise FormatError(f"Types or shapes in the graph {model.graph.name!r} contradict each other: {_short(problem)}") from problem


def _short(error: Exception) -> str:
    """Its text in one line, of bearable length: onnx prints attributes whole."""
    text = " ".join(str(error).split())
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} ..."


def _is_settled(value: ValueInfo) -> bool:
    """False for a shape with sizes that inference made up: with more known it may find better ones."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return all(size is None or is_said(size) for size in shape or ())


def _inferred(proto: onnx.ModelProto) -> tuple[onnx.ModelProto, Exception | None]:
    """(the model as far as ONNX types it, what is wrong or missing).

    With data_prop it takes every vector for a shape: it may find such shapes at odds, and needs a hundred bytes for each element.
    """
    try:
        plain, problem = onnx.shape_inference.infer_shapes(proto, strict_mode=True), None
    except onnx.shape_inference.InferenceError as error:
        plain, problem = _as_far_as_possible(proto), error
    if not has_long_vector(plain.graph):
        with suppress(onnx.shape_inference.InferenceError):
            return onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True), None
    return plain, problem


def _as_far_as_possible(proto: onnx.ModelProto) -> onnx.ModelProto:
    try:
        return onnx.shape_inference.infer_shapes(proto)
    except onnx.shape_inference.InferenceError:  # what the graph declares is refused even when nothing else is
        return proto


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


def _parse(data: bytes, what: str) -> onnx.ModelProto:
    try:
        return onnx.load_model_from_string(data)
    except DecodeError as error:
        raise FormatError(f"{what} not an ONNX model, or a damaged one; export it again.") from error


def _load(path: Path) -> onnx.ModelProto:
    """The file without its external data. Raises FormatError, FileNotFoundError or another OSError."""
    if not path.is_file() and path.exists():
        raise FormatError(f"{path} is no file; give the path of an ONNX model.")
    if (size := path.stat().st_size) > MOST_BYTES:
        raise FormatError(f"{path} has {size} bytes; a model beyond 2 GB has its weights in a second file (external data).")
    return _parse(path.read_bytes(), f"{path} is")
