"""Gradients of batch normalization, by running statistics and by those of the batch."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES

from .expression import calculate
from .reduce import reduce_sum
from .registry import gradient
from .scope import Scope


@gradient("BatchNormalization", stop=(3, 4), differs="always the form by the statistics of the batch, BatchNormInternal")
def batch_normalization(s: Scope) -> None:
    """dX = dY scale inv, dscale = sum dY (X - mean) inv, dB = sum dY, inv = 1 / sqrt(var + epsilon): the evaluation form.

    Scaled and normalized by the op itself, with other scales, shifts and means.
    """
    zeros = _filled(s, 0, "zeros") if s.GI(0) or s.GI(1) else ""
    if s.GI(0):
        s.emit("BatchNormalization", [s.GO(0), s.I(1), zeros, zeros, s.I(4)], [s.GI(0)], copied=s.node.attributes)
    if s.GI(1):
        inputs = [s.I(0), _filled(s, 1, "ones"), zeros, s.I(3), s.I(4)]
        normal = s.emit("BatchNormalization", inputs, [s.helper("normal")], copied=s.node.attributes)
        _sum(s, calculate(s, "Mul", [s.GO(0), normal], "dY_normal"), s.GI(1), "dscale")
    if s.GI(2):
        _sum(s, s.GO(0), s.GI(2), "dB")


@gradient("BatchNormInternal", domain=MS_DOMAIN, stop=(3, 4), reads={3: "saved_mean", 4: "saved_inv_std"})
def batch_norm_internal(s: Scope) -> None:
    """dX, dscale, dB by BatchNormalizationGrad, through the statistics of the batch."""
    wanted = [s.GI(index) or s.helper(name, s.types.get(s.I(index))) for index, name in enumerate(("dX", "dscale", "dB"))]
    copied = {name: value for name, value in s.node.attributes.items() if name == "epsilon"}
    s.emit("BatchNormalizationGrad", [s.GO(0), s.I(0), s.I(1), s.O(3), s.O(4)], wanted, domain=MS_DOMAIN, copied=copied)


def _filled(s: Scope, value: int, name: str) -> str:
    """A tensor like scale, of one value."""
    shape = tuple(size for size in s.shape(s.I(1)) if isinstance(size, int))
    if len(shape) != len(s.shape(s.I(1))):
        raise InvalidInputError(f"The gradient of {s.node.label} needs a scale {s.I(1)!r} of fixed size.")
    s.refuse_huge(*shape)
    return s.constant(name, np.full(shape, value, NUMPY_DTYPES[s.element(s.I(1))]))


def _sum(s: Scope, value: str, output: str, name: str) -> None:
    """Over all axes that scale and B do not have."""
    rank, own = len(s.shape(s.I(0))), len(s.shape(s.I(1)))
    axes = (0,) if own > 1 else (0, *range(2, rank))  # spatial=0: a scale per position
    reduce_sum(s, value, axes, output, name, keepdims=0)
