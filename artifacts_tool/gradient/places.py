"""What rules for moved elements share: shapes and sizes at run time, zeros, elements by number and the way back to where they were."""

from __future__ import annotations

import math

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, NUMPY_DTYPES, TensorType

from .expression import zeros_as
from .reduce import AXES_ARE_AN_INPUT_SINCE
from .scope import Scope

EXPAND_SINCE, NON_ZERO_SINCE, SLICE_INPUTS_SINCE, RANGE_SINCE = 8, 9, 10, 11


def shape_of(s: Scope, value: str, name: str) -> str:
    """The shape of a value, as an int64 tensor."""
    return s.emit("Shape", [value], [s.helper(f"{name}_shape")])


def zeros_like(s: Scope, value: str, name: str) -> str:
    """Zeros of the type and shape of a float forward value."""
    if s.opset < EXPAND_SINCE:
        return zeros_as(s, value, value, f"{name}_zeros")
    zero = s.constant(f"{name}_zero", np.zeros((), NUMPY_DTYPES[s.element(value)]))
    return s.emit("Expand", [zero, shape_of(s, value, name)], [s.helper(f"{name}_zeros")])


def counted(s: Scope, limit: str, name: str) -> str:
    """0, 1, .. up to the int64 scalar `limit`. Raises InvalidInputError before Range (opset 11)."""
    if s.opset < RANGE_SINCE:
        raise too_old(s, RANGE_SINCE)
    first, step = (s.constant(f"{name}_{which}", np.array(value)) for which, value in (("first", 0), ("step", 1)))
    return s.emit("Range", [first, limit, step], [s.helper(name)])


def too_old(s: Scope, opset: int) -> InvalidInputError:
    """The error for a rule that needs a newer opset."""
    return InvalidInputError(f"The gradient of {s.node.label} needs opset {opset} or newer; export the model again.")


def numbered(s: Scope, index: int = 0) -> str:
    """The elements of an input of the node as int64 numbers in its shape, to be moved as the node moves the elements.

    Raises InvalidInputError for an unknown size before NonZero (opset 9).
    """
    value, name = s.I(index), f"numbers_{index}"
    shape = s.shape_if_known(value) or (None,)
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) == len(shape) and s.opset < RANGE_SINCE:
        s.refuse_huge(*sizes)
        return s.constant(name, np.arange(math.prod(sizes)).reshape(sizes))
    size = s.emit("Size", [value], [s.helper(f"{name}_size")])
    if s.opset >= RANGE_SINCE:
        numbers = counted(s, size, name)
    elif s.opset >= NON_ZERO_SINCE:
        row = s.emit("Reshape", [size, s.constant(f"{name}_row", np.array([-1]))], [s.helper(f"{name}_count")])
        ones = s.emit("Expand", [s.constant(f"{name}_one", np.array(1)), row], [s.helper(f"{name}_ones")])
        numbers = s.emit("NonZero", [ones], [s.helper(name)])
    else:
        raise too_old(s, NON_ZERO_SINCE)
    return s.emit("Reshape", [numbers, shape_of(s, value, name)], [s.helper(f"{name}_in_shape")])


def put_back(s: Scope, numbers: str) -> None:
    """dX = zeros with each element of dY added where it came from: at its number in `numbers`, of the shape of dY."""
    flat = s.constant("flat", np.array([-1]))
    places = s.emit("Reshape", [numbers, flat], [s.helper("places")])
    gradient = s.emit("Reshape", [s.GO(0), flat], [s.helper("flat_dY")])
    size = s.emit("Reshape", [s.emit("Size", [s.I(0)], [s.helper("dX_size")]), flat], [s.helper("flat_size")])
    summed = s.helper("flat_dX", TensorType(s.element(s.I(0)), (None,)))
    s.emit("GatherGrad", [size, places, gradient], [summed], domain=MS_DOMAIN, axis=0)
    s.emit("Reshape", [summed, shape_of(s, s.I(0), "dX")], [s.GI(0)])


def put_back_some(s: Scope, numbers: str, index: int) -> None:
    """As put_back, for input `index` and elements counted from 1: where `numbers` is 0, dY belongs to none of them."""
    flat, one = s.constant("flat", np.array([-1])), s.constant("first", np.array([1]))
    places, gradient = (
        s.emit("Reshape", [value, flat], [s.helper(f"{name}_row")]) for value, name in ((numbers, "places"), (s.GO(0), "dY"))
    )
    size = s.emit("Reshape", [s.emit("Size", [s.I(index)], [s.helper("dX_size")]), flat], [s.helper("flat_size")])
    end = s.emit("Add", [size, one], [s.helper("end")])
    summed = s.helper("flat_dX", TensorType(s.element(s.I(index)), (None,)))
    s.emit("GatherGrad", [end, places, gradient], [summed], domain=MS_DOMAIN, axis=0)
    if s.opset >= SLICE_INPUTS_SINCE:
        own = s.emit("Slice", [summed, one, end], [s.helper("own_dX")])
    else:
        own = s.emit("Slice", [summed], [s.helper("own_dX")], starts=(1,), ends=(2**63 - 1,))
    s.emit("Reshape", [own, shape_of(s, s.I(index), "dX")], [s.GI(index)])


def sizes_along(s: Scope, values: tuple[str, ...], axis: int, name: str) -> str:
    """The sizes of forward values along an axis, as an int64 tensor: a constant where all are known."""
    shapes = [s.shape_if_known(value) for value in values]
    sizes = [shape[axis] if shape is not None else None for shape in shapes]
    if all(isinstance(size, int) for size in sizes):
        return s.constant(name, np.array(sizes, np.int64))
    place = s.constant(f"{name}_axis", np.array([axis if shapes[0] is None else axis % len(shapes[0])]))
    parts = [
        s.emit("Gather", [shape_of(s, value, f"{name}_{index}"), place], [s.helper(f"{name}_{index}")])
        for index, value in enumerate(values)
    ]
    return s.emit("Concat", parts, [s.helper(name)], axis=0)


def int64_constant(s: Scope, values: tuple[int, ...], name: str) -> str:
    """An int64 tensor of one axis, as newer versions of ops take what older ones had as an attribute."""
    return s.constant(name, np.array(values, np.int64))


def unsqueeze(s: Scope, value: str, axis: int, name: str) -> str:
    """The value with an axis of size 1 put in."""
    if s.opset < AXES_ARE_AN_INPUT_SINCE:
        return s.emit("Unsqueeze", [value], [s.helper(f"{name}_unsqueezed")], axes=(axis,))
    return s.emit("Unsqueeze", [value, int64_constant(s, (axis,), f"{name}_axis")], [s.helper(f"{name}_unsqueezed")])
