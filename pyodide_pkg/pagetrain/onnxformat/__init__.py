"""ONNX files (.onnx): bytes <-> graph.Model, without the onnx package, which a browser has not."""

from .external_data import ExternalData
from .reader import load, load_file, load_tensor
from .writer import dump, dump_pieces, reference, tensor_pieces

__all__ = ["ExternalData", "dump", "dump_pieces", "load", "load_file", "load_tensor", "reference", "tensor_pieces"]
