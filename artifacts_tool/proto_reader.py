"""ModelProto -> graph.Model: onnx's objects go through their bytes, so that there is one reader."""

from __future__ import annotations

from dataclasses import replace

import onnx

from pagetrain import onnxformat
from pagetrain.graph import Model
from pagetrain.onnxformat.tensors import Values, refuse_external

from .op_schemas import since_version


def model_of(proto: onnx.ModelProto, external: Values = refuse_external) -> Model:
    """The Model a ModelProto holds; each node has its schema's version. external: the values of a tensor that are stored elsewhere.

    One initializer at a time is serialised, so that a model may be larger than a message. Raises what onnxformat.load raises.
    """
    light = onnx.ModelProto()
    for field, value in proto.ListFields():
        if field.name != "graph":
            _set(light, field.name, value)
    if proto.HasField("graph"):
        light.graph.SetInParent()
    for field, value in proto.graph.ListFields():
        if field.name != "initializer":
            _set(light.graph, field.name, value)
    model = onnxformat.load(light.SerializeToString(), external, since_version)
    initializers = tuple(onnxformat.load_tensor(tensor.SerializeToString(), external) for tensor in proto.graph.initializer)
    return replace(model, graph=replace(model.graph, initializers=initializers))


def _set(message: onnx.ModelProto | onnx.GraphProto, field: str, value: object) -> None:
    """Sets a field of a number or text, or a repeated one."""
    if isinstance(value, int | str | bytes):
        setattr(message, field, value)
    else:
        getattr(message, field).extend(value)
