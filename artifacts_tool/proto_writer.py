"""graph.Model -> ModelProto, for what works on onnx's objects: proto_reader.model_of read backwards."""

from __future__ import annotations

from dataclasses import replace

import onnx

from pagetrain import onnxformat
from pagetrain.graph import ELEMENT_TYPES, Model, Tensor

from .light import is_large


def proto_of(model: Model, with_large: bool = True) -> onnx.ModelProto:
    """The ModelProto of a Model. with_large False: large initializers of the graph without their values."""
    proto = onnx.ModelProto()
    proto.MergeFromString(onnxformat.dump(replace(model, graph=replace(model.graph, initializers=()))))
    proto.graph.initializer.extend(tensor_proto(tensor, with_large) for tensor in model.graph.initializers)
    return proto


def tensor_proto(tensor: Tensor, with_large: bool = True) -> onnx.TensorProto:
    """The TensorProto of a Tensor. with_large False: a large one says that its values are elsewhere."""
    if with_large or not is_large(tensor):
        proto = onnx.TensorProto()
        proto.MergeFromString(b"".join(onnxformat.tensor_pieces(tensor)))
        return proto
    return onnx.TensorProto(
        name=tensor.name,
        doc_string=tensor.doc_string or None,
        data_type=ELEMENT_TYPES[tensor.data.dtype],
        dims=tensor.data.shape,
        data_location=onnx.TensorProto.EXTERNAL,
    )
