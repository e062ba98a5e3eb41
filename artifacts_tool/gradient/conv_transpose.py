"""Gradient of transposed convolution."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .registry import gradient
from .scope import Scope


@gradient("ConvTranspose", differs="generated, but no kernel on CPU runs it")
def conv_transpose(s: Scope) -> None:
    """dX, dW, dB by ConvTransposeGrad with the forward attributes; "" where one is not wanted. pagetrain has the kernel, ORT has none."""
    outputs = [s.GI(index) for index in range(3)]
    while not outputs[-1]:
        outputs.pop()
    s.emit("ConvTransposeGrad", [s.GO(0), s.I(0), s.I(1)], outputs, domain=MS_DOMAIN, copied=s.node.attributes)
