"""Importing this registers the runners of all ops that the side module takes."""

from . import activation, conv, elementwise, linear, optimizer, pool  # noqa: F401
from .registry import offers

__all__ = ["offers"]
