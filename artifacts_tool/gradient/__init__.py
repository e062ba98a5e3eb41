"""Backward passes as ONNX nodes: one rule per forward op, in files of the stems of pagetrain.kernels."""

from importlib import import_module
from pkgutil import iter_modules

from .backward import Backward, differentiate

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Backward", "differentiate"]
