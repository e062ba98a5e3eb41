"""Cases of artifacts_tool/gradient/resize.py."""

import numpy as np

from ..projection import Case
from .values import ints, normal

X = normal(1, 2, 4, 5)
SCALES = {"up": np.float32([1, 1, 2, 1.6]), "down": np.float32([1, 1, 0.6, 0.5])}
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
CORNERS = {"mode": "cubic", "coordinate_transformation_mode": "align_corners"}
CROP = {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"}
ROI = np.float32([0, 0, 0.2, -0.3, 1, 1, 0.9, 1.2])
SYMBOLIC = {0: ("N", 2, 4, 5)}

CASES = [
    *(
        Case("Resize", [X, None, scales], (0,), {"mode": mode}, constants=(2,), note=f"{mode}_{name}")
        for mode in ("nearest", "linear", "cubic")
        for name, scales in SCALES.items()
    ),
    *(
        Case(
            "Resize",
            [X, None, SCALES["up"]],
            (0,),
            {"mode": "linear", "coordinate_transformation_mode": how},
            1,
            19,
            constants=(2,),
            note=how,
        )
        for how in COORDINATES
    ),
    *(
        Case("Resize", [X, None, SCALES["down"]], (0,), CORNERS, constants=constants, symbolic=symbolic, note=f"fraction{note}")
        for note, constants, symbolic in (("", (2,), {}), ("_any_size", (), {0: ("N", 2, "H", "W")}))
    ),
    Case("Resize", [X, None, None, ints(1, 2, 3, 9)], (0,), {"mode": "linear"}, constants=(3,), note="sizes"),
    Case("Resize", [X, None, None, ints(1, 2, 8, 5)], (0,), constants=(3,), note="one_axis"),
    Case("Resize", [X, None, None, ints(1, 2, 4, 5)], (0,), constants=(3,), note="same"),
    Case("Resize", [normal(1, 2, 3, 4, 2), None, np.float32([1, 1, 2, 2, 2])], (0,), {"mode": "linear"}, constants=(2,), note="volume"),
    Case("Resize", [X, ROI, None, ints(1, 2, 3, 6)], (0,), CROP, constants=(1, 3), note="crop"),
    Case("Resize", [X, None, SCALES["down"]], (0,), {"mode": "linear", "antialias": 1}, opset=18, constants=(2,), note="antialias"),
    Case("Resize", [X, None, None, ints(3, 9)], (0,), {"mode": "linear", "axes": (3, 2)}, opset=18, constants=(3,), note="axes"),
    *(
        Case(
            "Resize",
            [X, None, None, ints(9, 8)],
            (0,),
            {"mode": "linear", "axes": (2, 3), "keep_aspect_ratio_policy": policy},
            1,
            18,
            constants=(3,),
            note=policy,
        )
        for policy in ("not_larger", "not_smaller")
    ),
    Case("Resize", [X, None, SCALES["up"]], (0,), constants=(2,), symbolic=SYMBOLIC, note="symbolic"),
    Case("Resize", [X, SCALES["up"]], (0,), {"mode": "linear"}, opset=10, constants=(1,), note="opset10"),
    Case("Upsample", [X, SCALES["up"]], (0,), opset=9, constants=(1,)),
    Case("Upsample", [X], (0,), {"mode": "linear", "scales": (1.0, 1.0, 2.0, 3.0)}, opset=7, note="attribute"),
    *(
        Case(
            "Resize",
            [X, None, None, ints(1, 2, 3, 9)],
            (0,),
            {"mode": mode},
            opset=opset,
            symbolic={0: ("N", 2, "H", "W")},
            note=f"any_{mode}{opset}",
        )
        for mode in ("nearest", "linear", "cubic")
        for opset in (13, 18)
    ),
    Case("Resize", [X, None, None, ints(1, 2, 3, 9)], (0,), {"mode": "linear"}, symbolic=SYMBOLIC, note="any_size"),
    Case(
        "Resize",
        [X, np.empty(0, np.float32), np.empty(0, np.float32), ints(1, 2, 3, 9)],
        (0,),
        {"mode": "linear"},
        opset=11,
        constants=(1, 2),
        symbolic=SYMBOLIC,
        note="any_size11",
    ),
    Case("Resize", [X, None, SCALES["up"]], (0,), {"mode": "linear"}, symbolic={0: ("N", 2, "H", "W")}, note="any_scale"),
    Case("Resize", [X, None, np.float32([1.6, 2])], (0,), {"axes": (3, 2)}, opset=18, symbolic={0: ("N", 2, "H", "W")}, note="any_axes"),
    Case("Resize", [X, SCALES["up"]], (0,), {"mode": "linear"}, opset=10, symbolic={0: ("N", 2, "H", "W")}, note="any_scale10"),
    Case("Upsample", [X, SCALES["up"]], (0,), opset=9, symbolic={0: ("N", 2, "H", "W")}, note="any_scale9"),
]
