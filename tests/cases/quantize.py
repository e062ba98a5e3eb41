"""Cases of kernels/quantize.py."""

import numpy as np

from .case import Case, floats, integers, scalar

X = np.append(floats(2, 3, 4), np.float32([[[2.5, 3.5, -0.5, 300], [1, 0, -300, 0.25], [9, -9, 7.5, 6.5]]]), axis=0)  # with halves
ONE = scalar(0.5)
EACH = np.float32([0.5, 0.25, 2])
BLOCKS = floats(3, 3, 2, low=0.1, seed=2)
BYTES = integers(3, 3, 4, low=0, high=256, dtype=np.uint8)
TYPES = (np.uint8, np.int8)
WIDE = (*TYPES, np.uint16, np.int16)
PER_AXIS = (13, 19, 21, 23, 25)
ORT = {"oracle": "onnxruntime", "reason": "the reference does not have this version"}

CASES = [
    *(Case(f"all_{dtype.__name__}", "QuantizeLinear", 10, [X, ONE, scalar(3, dtype)]) for dtype in TYPES),
    Case("no_zero_point", "QuantizeLinear", 10, [X, ONE]),
    *(
        Case(f"axis_{dtype.__name__}", "QuantizeLinear", since, [X, EACH, np.array([3, 0, 1], dtype)], {"axis": axis})
        for dtype in TYPES
        for since, axis in zip(PER_AXIS, (0, 1, -2, 1, 0), strict=True)
    ),
    *(Case(f"all_{dtype.__name__}", "QuantizeLinear", 21, [X, ONE, scalar(3, dtype)]) for dtype in WIDE),
    *(
        Case("blocks", "QuantizeLinear", since, [X, BLOCKS, np.ones((3, 3, 2), np.uint8)], {"axis": 2, "block_size": 2})
        for since in (21, 23, 25)
    ),
    Case("output_dtype", "QuantizeLinear", 21, [X, ONE], {"output_dtype": 3}),
    Case("float16", "QuantizeLinear", 21, [X.astype(np.float16), scalar(0.5, np.float16), scalar(3, np.int8)]),
    Case("uneven_blocks", "QuantizeLinear", 21, [X, BLOCKS, np.ones((3, 3, 2), np.uint8)], {"axis": 2, "block_size": 3}),
    Case(
        "precision",
        "QuantizeLinear",
        28,
        [X, scalar(0.5, np.float16), scalar(0, np.uint8)],
        {"precision": 1},
        oracle="onnx",
        reason="newer than onnxruntime",
    ),
    *(Case(f"all_{dtype.__name__}", "DequantizeLinear", 10, [BYTES.astype(dtype), ONE, scalar(3, dtype)], **ORT) for dtype in TYPES),
    Case("int32", "DequantizeLinear", 10, [integers(3, 3, low=-(2**31), high=2**31, dtype=np.int32), ONE], **ORT),
    *(
        Case(
            f"axis_{dtype.__name__}",
            "DequantizeLinear",
            since,
            [BYTES.astype(dtype), EACH, np.array([3, 0, 1], dtype)],
            {"axis": axis},
            **(ORT if since == 13 else {}),
        )
        for dtype in TYPES
        for since, axis in zip(PER_AXIS, (0, 1, -2, 1, 0), strict=True)
    ),
    *(Case(f"all_{dtype.__name__}", "DequantizeLinear", 21, [BYTES.astype(dtype), ONE, scalar(3, dtype)]) for dtype in WIDE),
    *(
        Case("blocks", "DequantizeLinear", since, [BYTES, BLOCKS, np.ones((3, 3, 2), np.uint8)], {"axis": 2, "block_size": 2})
        for since in (21, 23, 25)
    ),
    Case("no_zero_point", "DequantizeLinear", 21, [BYTES, scalar(0.5, np.float16)]),
    Case(
        "output_dtype",
        "DequantizeLinear",
        28,
        [BYTES, ONE, scalar(3, np.uint8)],
        {"output_dtype": 10},
        oracle="onnx",
        reason="newer than onnxruntime",
    ),
    *(
        Case(name, "DynamicQuantizeLinear", 11, [x], outputs=3)
        for name, x in {"mixed": X, "positive": np.abs(X), "negative": -np.abs(X) - 1}.items()
    ),
    Case(
        "zeros",
        "DynamicQuantizeLinear",
        11,
        [np.zeros((2, 3), np.float32)],
        outputs=3,
        oracle="onnxruntime",
        reason="0 / 0 in the reference",
    ),
]
