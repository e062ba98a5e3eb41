"""Cases of artifacts_tool/gradient/average_pool.py."""

from tests.cases.average_pool import GEOMETRIES

from ..projection import Case
from .values import away

SYMBOLIC = {0: ("N", "C", "H", "W")}
NO_COUNT = {name: geometry for name, geometry in GEOMETRIES.items() if "count_include_pad" not in geometry[1]}
VALID_CEIL = {"kernel_shape": (3,), "strides": (4,), "ceil_mode": 1, "count_include_pad": 1}

CASES = [
    *(Case("AveragePool", [away(*shape)], (0,), attributes, opset=19, note=name) for name, (shape, attributes) in GEOMETRIES.items()),
    *(
        Case("AveragePool", [away(*shape)], (0,), attributes, opset=19, symbolic=SYMBOLIC, note=f"symbolic_{name}")
        for name, (shape, attributes) in GEOMETRIES.items()
        if len(shape) == 4
    ),
    Case("AveragePool", [away(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, opset=12, note="opset12"),
    *(
        Case("AveragePool", [away(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2), "pads": (0, 1, 1, 0)}, 1, opset, SYMBOLIC, f"pads{opset}")
        for opset in (7, 8)
    ),
    *(
        Case("LpPool", [away(*shape)], (0,), {**attributes, "p": p}, opset=18, note=f"{name}_p{p}")
        for (name, (shape, attributes)), p in zip(NO_COUNT.items(), (1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2), strict=False)
    ),
    Case("LpPool", [away(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, symbolic=SYMBOLIC, note="symbolic"),
    Case("LpPool", [away(1, 2, 5)], (0,), {"kernel_shape": (2,), "strides": (2,), "ceil_mode": 1}, 1, 18, {0: (1, 2, None)}, "ceil"),
    *(
        Case("AveragePool", [away(1, 2, 6)], (0,), {**VALID_CEIL, **more}, 1, 19, note=f"valid_ceil{len(more)}")
        for more in ({}, {"auto_pad": "VALID"})
    ),
    Case("AveragePool", [away(1, 2, 6)], (0,), {"kernel_shape": (1,), "strides": (4,), "ceil_mode": 1}, 1, 11, {0: (1, 2, None)}, "gap"),
    Case("LpPool", [away(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2), "p": 3}, opset=8, note="opset8"),
    *(Case("GlobalLpPool", [away(2, 3, 4, 5)], (0,), {"p": p}, note=f"p{p}") for p in (1, 2, 3)),
]
