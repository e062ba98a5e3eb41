"""Cases of kernels/resize.py."""

import numpy as np

from .case import Case, floats, int64

X = floats(1, 2, 4, 5)
NONE = np.empty(0, np.float32)
SCALES = {"up": np.float32([1, 1, 2, 1.6]), "down": np.float32([1, 1, 0.5, 0.8])}
TIES = np.float32([1, 1, 0.6, 0.5])
SIZES = int64(1, 2, 3, 9)
MODES = ("nearest", "linear", "cubic")
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
CROP = [X, np.float32([0, 0, 0.2, -0.3, 1, 1, 0.9, 1.2]), None, int64(1, 2, 3, 6)]
# The reference leaves out old versions, and prefers other neighbours on ties.
ORT = {"oracle": "onnxruntime", "reason": "the reference does not have it"}
ONNX = {"oracle": "onnx", "reason": "onnx's node tests and reference keep the fraction of the new size, onnxruntime does not"}
FRACTIONS = {  # {coordinates: scales that give such a size}
    "align_corners": np.float32([1, 1, 0.7, 1.3]),
    "tf_crop_and_resize": np.float32([1, 1, 0.7, 1.3]),
    "pytorch_half_pixel": np.float32([1, 1, 0.3, 1.3]),  # one element
}
WHOLE = np.float32([0, 0, 0, 0, 1, 1, 1, 1])


def case(name, since, inputs, attributes, **oracle):
    return Case(name, "Resize", since, inputs, attributes, rtol=1e-4, atol=1e-5, **{"reason": "float32 coordinates", **oracle})


CASES = [
    *(
        case(f"{mode}_{how}_{name}", 19, [X, None, s], {"mode": mode, "coordinate_transformation_mode": how})
        for mode in MODES
        for how in COORDINATES
        for name, s in SCALES.items()
    ),
    *(case(f"{nearest}_{n}", 13, [X, None, s], {"nearest_mode": nearest}) for nearest in NEAREST for n, s in SCALES.items()),
    *(case(f"{nearest}_ties", 13, [X, None, TIES], {"nearest_mode": nearest}, **ORT) for nearest in NEAREST),
    *(
        case(f"fraction_{mode}_{how}", since, [X, WHOLE, scales], {"mode": mode, "coordinate_transformation_mode": how}, **ONNX)
        for mode in MODES
        for how, scales in FRACTIONS.items()
        for since in (11, 13, 18, 19)
    ),
    *(
        case(
            f"fraction_{policy}",
            18,
            [X, None, None, int64(7, 8)],
            {"axes": [2, 3], "keep_aspect_ratio_policy": policy, "mode": "linear", "coordinate_transformation_mode": "align_corners"},
            **ONNX,
        )
        for policy in ("not_larger", "not_smaller")
    ),
    *(case(f"sizes_{mode}", since, [X, None, None, SIZES], {"mode": mode}) for mode in MODES for since in (13, 18, 19)),
    *(case(f"sizes_{mode}", 11, [X, NONE, NONE, SIZES], {"mode": mode}) for mode in MODES),
    case("tf_nearest", 11, [X, NONE, SCALES["up"]], {"coordinate_transformation_mode": "tf_half_pixel_for_nn"}, **ORT),
    case("cubic_exclude", 13, [X, None, SCALES["up"]], {"mode": "cubic", "exclude_outside": 1, "cubic_coeff_a": -0.5}),
    case("crop", 13, CROP, {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0}, **ORT),
    *(case(f"antialias_{mode}", 18, [X, None, TIES], {"mode": mode, "antialias": 1}) for mode in MODES[1:]),
    case("axes", 18, [X, None, None, int64(3, 9)], {"mode": "linear", "axes": [3, 2]}, **ORT),
    case("axes_one", 18, [X, None, np.float32([2])], {"axes": [-1]}, **ORT),
    *(
        case(policy, 18, [X, None, None, int64(9, 8)], {"axes": [2, 3], "keep_aspect_ratio_policy": policy})
        for policy in ("not_larger", "not_smaller")
    ),
    *(case(f"{mode}_{n}", 10, [X, s], {"mode": mode}, **ORT) for mode in MODES[:2] for n, s in SCALES.items()),
    *(Case(mode, "Upsample", 9, [X, np.float32([1, 1, 2, 3])], {"mode": mode}, **ORT) for mode in MODES[:2]),
    *(Case(mode, "Upsample", 7, [X], {"mode": mode, "scales": [1.0, 1.0, 2.0, 3.0]}, **ORT) for mode in MODES[:2]),
]
