"""Cases of kernels/elementwise.py."""

import numpy as np

from .case import Case, floats, integers, scalar

A, B = floats(2, 3, 4), floats(3, 1, seed=1)
BOOLS = integers(2, 3, low=0, high=2).astype(bool)
POSITIVE = floats(2, 3, 4, low=0.2, high=3)
SPECIAL = np.float32([[0, np.nan, np.inf], [1, -np.inf, -np.nan]])
ROUNDED = np.float32([-1.7, 0.2, 2.9])
NEWEST = [
    *(("Cast", since, [ROUNDED], {"to": 7}) for since in (21, 24, 25, 28)),
    *(("CastLike", since, [ROUNDED, np.int64([0])], {}) for since in (21, 24, 25)),
]
NUMBERS = integers(2, 3, low=-3, high=3, dtype=np.int32)

CASES = [
    *(Case("broadcast", op, since, [A, B]) for op in ("Add", "Sub", "Mul", "Div") for since in (7, 13, 14)),
    *(Case("scalar", op, 13, [A, scalar(0.75)]) for op in ("Add", "Sub", "Mul", "Div")),
    *(
        Case("int64", op, 14, [integers(4, 3, low=-9, high=9), int_])
        for op in ("Add", "Sub", "Mul")
        for int_ in [integers(3, low=1, high=5)]
    ),
    Case("channels", "Add", 14, [floats(2, 3, 4, 5), floats(2, 3, 4, 5, seed=1)]),
    Case(
        "towards_zero",
        "Div",
        14,
        [np.array([7, -7, 7, -7, 6, -6], np.int64), np.array([2, 2, -2, -2, 3, 3], np.int64)],
        oracle="onnxruntime",
        reason="onnx's reference rounds negative quotients down, the specification says towards zero",
    ),
    *(Case("floats", "Neg", since, [A]) for since in (6, 13)),
    *(Case("broadcast", "Pow", since, [POSITIVE, B]) for since in (7, 12, 13, 15)),
    *(Case(f"to_{power}", "Pow", 15, [POSITIVE, scalar(power)]) for power in (-1, 0, 0.5, 1, 2, 3.5)),
    Case("integer_exponents", "Pow", 15, [A, integers(4, low=-2, high=4)]),
    Case("squares", "Pow", 15, [A, np.int64([2])]),
    Case("more_axes", "Pow", 15, [POSITIVE[0, 0], np.float32([[2]])]),
    Case("integers", "Pow", 15, [NUMBERS, integers(3, low=0, high=4)]),
    Case("integer_base", "Pow", 15, [np.int32([4, 9, 16]), scalar(0.5)]),
    *(Case("int32", "Mod", since, [NUMBERS, np.int32([2, -2, 3])]) for since in (10, 13)),
    *(Case("floats", "Mod", since, [A, B], {"fmod": 1}) for since in (10, 13)),
    Case("int32_fmod", "Mod", 13, [NUMBERS, np.int32([2, -2, 3])], {"fmod": 1}),
    *(Case("floats", "Identity", since, [A]) for since in (1, 13, 16)),
    *(Case("int64", "Equal", since, [integers(3, 4, low=0, high=3), integers(4, low=0, high=3, seed=1)]) for since in (7, 11, 13)),
    Case("floats", "Equal", 13, [np.float32([0, 1, np.nan]), np.float32([-0.0, 2, np.nan])]),
    *(
        Case("floats", op, since, [np.float32([[0, 1, 2], [3, np.nan, 6]]), np.float32([0, 2, 2])])
        for op in ("GreaterOrEqual", "LessOrEqual")
        for since in (12, 16)
    ),
    *(Case("floats", op, since, [A, B]) for op in ("Less", "Greater") for since in (7, 9, 13)),
    *(Case("broadcast", op, 7, [BOOLS, np.array([True, False, True])]) for op in ("And", "Or", "Xor")),
    Case("bools", "Not", 1, [BOOLS]),
    *(Case("floats", "IsNaN", since, [SPECIAL]) for since in (9, 13, 20)),
    *(Case("both", "IsInf", since, [SPECIAL]) for since in (10, 20)),
    Case("negative", "IsInf", 20, [SPECIAL], {"detect_positive": 0}),
    Case("positive", "IsInf", 20, [SPECIAL], {"detect_negative": 0}),
    *(Case("broadcast", "Where", since, [BOOLS, floats(2, 3), scalar(0)]) for since in (9, 16)),
    *(Case("float_to_int64", "Cast", since, [np.float32([-1.7, 0.2, 2.9])], {"to": 7}) for since in (6, 9, 13)),
    Case("float_to_int64", "Cast", 19, [np.float32([-1.7, 0.2, 2.9])], {"to": 7, "saturate": 1}),
    Case("bool_to_float", "Cast", 13, [BOOLS], {"to": 1}),
    Case("float_to_bool", "Cast", 13, [np.float32([-1.5, 0, 0.25])], {"to": 9}),
    Case("int_to_double", "Cast", 13, [NUMBERS], {"to": 11}),
    *(Case(f"floats_beyond_{to}", "Cast", 13, [np.float32([-1.7, 127.9, 300, -300, 70000])], {"to": to}) for to in (2, 3, 4, 5)),
    *(Case(f"integers_beyond_{to}", "Cast", 13, [np.int64([-1, 127, 300, -300, 2**40 + 5])], {"to": to}) for to in (2, 3, 5, 6, 12)),
    Case("float_to_float16", "Cast", 13, [A], {"to": 10}),
    *(Case("to_int32", "CastLike", since, [np.float32([-1.7, 0.2, 2.9]), NUMBERS]) for since in (15, 19)),
    *(
        Case("float_to_int64", op, since, inputs, given, oracle="onnx", reason="newer than onnxruntime")
        for op, since, inputs, given in NEWEST
    ),
    Case("floats_floor", "Mod", 28, [A, B], oracle="onnx", reason="newer than onnxruntime"),
    Case("int64", "Equal", 19, [integers(3, 4, low=0, high=3), integers(4, low=0, high=3, seed=1)]),
]
