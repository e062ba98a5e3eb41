"""Cases of kernels/deform_conv.py."""

from .case import Case, floats

X, W, B = floats(2, 4, 6, 5), floats(6, 4, 3, 2, seed=1), floats(6, seed=2)
OFFSET = floats(2, 12, 4, 4, seed=3, low=-1.5, high=1.5)
MASK = floats(2, 6, 4, 4, seed=4, low=0, high=1)
TWO = [floats(2, 24, 4, 4, seed=3, low=-1.5, high=1.5), floats(2, 12, 4, 4, seed=4, low=0, high=1)]
PADDED = floats(2, 12, 4, 3, seed=3, low=-1.5, high=1.5)

CASES = [
    *(Case("plain", "DeformConv", since, [X, W, OFFSET]) for since in (19, 22)),
    Case("mask_bias", "DeformConv", 19, [X, W, OFFSET, B, MASK]),
    Case("groups", "DeformConv", 19, [X, W[:, :2], TWO[0], B, TWO[1]], {"group": 2, "offset_group": 2}),
    Case(
        "padded",
        "DeformConv",
        19,
        [X, W, PADDED, B],
        {"pads": [1, 0, 2, 2], "strides": [2, 2], "dilations": [1, 2], "kernel_shape": [3, 2]},
    ),
]
