"""Windows that slide over pictures, as convolutions over one channel at a time see them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pagetrain.graph import NUMPY_DTYPES, Attribute

from .scope import Scope, attribute_of


@dataclass(frozen=True)
class Geometry:
    """The window. `pads` are explicit and `outputs` known where the sizes of X are; else auto_pad says them.

    open_ended: ceil_mode over unknown sizes, so that the pads at the end are known at run time alone, and are 0 here.
    """

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    auto_pad: str
    pads: tuple[int, ...]
    outputs: tuple[int, ...] | None = None
    open_ended: bool = False

    @property
    def attributes(self) -> dict[str, Attribute]:
        """Of a convolution with this window."""
        ints = {"kernel_shape": self.kernel, "strides": self.strides, "dilations": self.dilations}
        ints |= {} if self.auto_pad.startswith("SAME") else {"pads": self.pads}
        return {name: attribute_of(value) for name, value in ints.items()} | {"auto_pad": attribute_of(self.auto_pad)}


def geometry_of(s: Scope) -> Geometry:
    """The window of a pooling node."""
    kernel = s.attribute("kernel_shape", ())
    ones, zeros = (1,) * len(kernel), (0,) * (2 * len(kernel))
    auto_pad = s.attribute("auto_pad", "NOTSET") or "NOTSET"
    pads = s.attribute("pads", zeros) if auto_pad == "NOTSET" else zeros
    strides, dilations = s.attribute("strides", ones), s.attribute("dilations", ones)
    given = Geometry(kernel, strides, dilations, auto_pad, pads)
    sizes, ceil_mode = fixed_sizes(s), s.attribute("ceil_mode", 0)
    if sizes is not None:
        return _explicit(given, sizes, ceil_mode)
    if ceil_mode and not auto_pad.startswith("SAME"):
        return Geometry(kernel, strides, dilations, "NOTSET", (*pads[: len(kernel)], *[0] * len(kernel)), open_ended=True)
    return given


def _explicit(given: Geometry, sizes: tuple[int, ...], ceil_mode: int) -> Geometry:
    begins, ends, outputs = [], [], []
    rank = len(sizes)
    for axis, size in enumerate(sizes):
        extent, stride = (given.kernel[axis] - 1) * given.dilations[axis] + 1, given.strides[axis]
        begin, end = given.pads[axis], given.pads[rank + axis]
        if given.auto_pad.startswith("SAME"):
            output = -(-size // stride)
            total = max((output - 1) * stride + extent - size, 0)
            begin = total // 2 if given.auto_pad == "SAME_UPPER" else total - total // 2
        else:
            room = size + begin + end - extent
            output = (-(-room // stride) if ceil_mode else room // stride) + 1
            output -= (output - 1) * stride >= size + begin
        begins.append(begin)
        ends.append(max(end, (output - 1) * stride + extent - size - begin))
        outputs.append(output)
    return Geometry(given.kernel, given.strides, given.dilations, "NOTSET", (*begins, *ends), tuple(outputs))


def fixed_sizes(s: Scope) -> tuple[int, ...] | None:
    """The sizes of the picture X, None where one is not known."""
    known = s.types.get(s.I(0))
    if known is None or known.shape is None:
        return None
    sizes = tuple(size for size in known.shape[2:] if isinstance(size, int))
    return sizes if len(sizes) == len(known.shape) - 2 else None


def planes(s: Scope, value: str, name: str) -> str:
    """(N * C, 1, d1..): each channel a picture of its own."""
    shape = s.constant(f"{name}_shape", np.array([-1, 1, *[0] * len(s.attribute("kernel_shape", ()))], np.int64))
    return s.emit("Reshape", [value, shape], [s.helper(f"{name}_planes")])


def ones_filter(s: Scope, geometry: Geometry, name: str) -> str:
    """A filter that sums over the window."""
    s.refuse_huge(*geometry.kernel)
    return s.constant(name, np.ones((1, 1, *geometry.kernel), NUMPY_DTYPES[s.element(s.I(0))]))
