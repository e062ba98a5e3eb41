"""Backward passes as ONNX nodes: one rule per forward op, in files of the stems of pagetrain.kernels."""

from . import activation, conv, elementwise, gelu, layout, linear, loss, pool, rectifier, reduction, sigmoid, unary, variadic
from .backward import Backward, differentiate

__all__ = [
    "Backward",
    "activation",
    "conv",
    "differentiate",
    "elementwise",
    "gelu",
    "layout",
    "linear",
    "loss",
    "pool",
    "rectifier",
    "reduction",
    "sigmoid",
    "unary",
    "variadic",
]
