"""Gradient of convolution."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .registry import gradient
from .scope import Scope


@gradient("Conv", differs="takes the pads of SAME_UPPER and SAME_LOWER as 0")
def conv(s: Scope) -> None:
    """dX, dW, dB by ConvGrad with the forward attributes, auto_pad among them; "" where one is not wanted.

    pagetrain pads as auto_pad says. ORT 1.19's ConvGrad takes the padding of SAME_UPPER and SAME_LOWER as 0 and is wrong there.
    """
    outputs = [s.GI(index) for index in range(3)]
    while not outputs[-1]:
        outputs.pop()
    s.emit("ConvGrad", [s.GO(0), s.I(0), s.I(1)], outputs, domain=MS_DOMAIN, copied=s.node.attributes)
