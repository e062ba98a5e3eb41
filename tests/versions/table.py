"""One line for each op and form of its inputs; see draw.py."""

from __future__ import annotations

from . import elementwise, layout, network
from .draw import Line

LINES: tuple[Line, ...] = (*elementwise.LINES, *layout.LINES, *network.LINES)
# Versions that onnxruntime 1.32 has no kernel for: their lines must find none.
NOT_IN_ONNXRUNTIME = {
    *(("DequantizeLinear", 28), ("GlobalLpPool", 22), ("MaxRoiPool", 22), ("QuantizeLinear", 28), ("RoiAlign", 22)),
}
# Ops whose inputs are graphs or optional, long ones (tests/cases has one for each version), and random ones (tests/kernels/test_random.py).
WITHOUT_LINE = {
    *("Attention", "If", "Loop", "Scan", "OptionalGetElement", "OptionalHasElement"),
    *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
}
