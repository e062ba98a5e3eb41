"""Cases of artifacts_tool/gradient/max_pool.py."""

from tests.cases.max_pool import GEOMETRIES

from ..projection import Case
from .values import spread

SYMBOLIC = {0: ("N", "C", "H", "W")}

CASES = [
    *(Case("MaxPool", [spread(*shape)], (0,), attributes, note=name) for name, (shape, attributes) in GEOMETRIES.items()),
    *(
        Case("MaxPool", [spread(*shape)], (0,), attributes, symbolic=SYMBOLIC, note=f"symbolic_{name}")
        for name, (shape, attributes) in GEOMETRIES.items()
        if len(shape) == 4
    ),
    Case("MaxPool", [spread(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, symbolic={0: ("N", 3, 4, 4)}, note="symbolic_batch"),
    Case("MaxPool", [spread(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, outputs=2, note="with_indices"),
    Case("MaxPool", [spread(2, 3, 4, 4)], (0,), {"kernel_shape": (2, 2)}, opset=12, note="opset12"),
    *(
        Case("MaxPool", [spread(*shape) - 9], (0,), attributes, opset=7, symbolic=symbolic, note=f"opset7_{name}{which}")
        for name, (shape, attributes) in GEOMETRIES.items()
        if not {"ceil_mode", "dilations", "storage_order"} & set(attributes)
        for which, symbolic in enumerate(({}, SYMBOLIC))
        if len(shape) == 4 or not symbolic
    ),
    Case("GlobalMaxPool", [spread(2, 3, 4, 5)], (0,)),
    Case("GlobalMaxPool", [spread(2, 3, 4)], (0,), symbolic={0: ("N", 3, "L")}, note="symbolic"),
]
