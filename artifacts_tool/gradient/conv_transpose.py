"""Gradient of transposed convolution."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .reduce import reduce_sum
from .registry import gradient
from .scope import Scope

OWN = ("auto_pad", "output_padding", "output_shape")  # attributes that a convolution has not, or reads otherwise


@gradient("ConvTranspose", differs="generated, but no kernel on CPU runs it")
def conv_transpose(s: Scope) -> None:
    """dX = conv(dY, W), dW = sum of dY at each place times X, dB = sum dY: it is the adjoint of a convolution from Y to X with the same W.

    So dX is that convolution, and dW its gradient, with X for the gradient of its result. Where the padding follows from the sizes, as with
    auto_pad, by ConvTransposeGrad, which pagetrain has and ORT has not.
    """
    if not _is_adjoint_of_conv(s):
        outputs = [s.GI(index) for index in range(3)]
        while not outputs[-1]:
            outputs.pop()
        s.emit("ConvTransposeGrad", [s.GO(0), s.I(0), s.I(1)], outputs, domain=MS_DOMAIN, copied=s.node.attributes)
        return
    kept = {name: value for name, value in s.node.attributes.items() if name not in OWN}
    if s.GI(0):
        s.emit("Conv", [s.GO(0), s.I(1)], [s.GI(0)], copied=kept)
    if s.GI(1):
        s.emit("ConvGrad", [s.I(0), s.GO(0), s.I(1)], ["", s.GI(1)], domain=MS_DOMAIN, copied=kept)
    if s.GI(2):
        reduce_sum(s, s.GO(0), (0, *range(2, len(s.shape(s.I(0))))), s.GI(2), "dB", keepdims=0)


def _is_adjoint_of_conv(s: Scope) -> bool:
    """Whether the pads are given, and the padding of the output is too small for one more step of the convolution back."""
    added: tuple[int, ...] = s.attribute("output_padding", ())
    strides = s.attribute("strides", ()) or (1,) * len(added)
    given = s.attribute("auto_pad", "NOTSET") in ("NOTSET", "VALID") and "output_shape" not in s.node.attributes
    return given and all(more < stride for more, stride in zip(added, strides, strict=False))
