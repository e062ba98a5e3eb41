"""Backward passes as ONNX nodes: one rule per forward op, in files of the stems of pagetrain.kernels."""

from . import (
    activation,
    average_pool,
    conv,
    elementwise,
    gelu,
    layout,
    linear,
    loss,
    max_pool,
    pool,
    rectifier,
    reduction,
    sigmoid,
    unary,
    variadic,
)
from .backward import Backward, differentiate

__all__ = [
    "Backward",
    "activation",
    "average_pool",
    "conv",
    "differentiate",
    "elementwise",
    "gelu",
    "layout",
    "linear",
    "loss",
    "max_pool",
    "pool",
    "rectifier",
    "reduction",
    "sigmoid",
    "unary",
    "variadic",
]
