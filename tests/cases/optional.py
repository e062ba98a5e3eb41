"""Cases of kernels/optional.py."""

from .case import Case, floats

X = floats(2, 3)

CASES = [
    *(Case("there", "OptionalHasElement", since, [X], oracle="onnx", reason="onnxruntime has version 18 alone") for since in (15, 28)),
    Case("there", "OptionalHasElement", 18, [X]),
    Case("left_out", "OptionalHasElement", 18, [None]),
    Case("tensor", "OptionalGetElement", 18, [X]),
]
