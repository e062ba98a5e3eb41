"""Cases of kernels/ml.py."""

from .case import Case, floats, int64, integers

REASON = "the models of the other cases import no ai.onnx.ml; see test_ml_oracle.py"
PER_FEATURE = {"offset": (0.5, 1.0, -2.0), "scale": (2.0, 0.25, 1.5)}
LABELS, CHOSEN = int64(7, 8, 9, 5), int64(3, 0, 3)

CASES = [
    Case("labels", "ArrayFeatureExtractor", 1, [LABELS, CHOSEN], {}, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("columns", "ArrayFeatureExtractor", 1, [floats(3, 4), int64(2, 1)], {}, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("three_axes", "ArrayFeatureExtractor", 1, [floats(2, 3, 4), CHOSEN], {}, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("features", "Scaler", 1, [floats(4, 3)], PER_FEATURE, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("one", "Scaler", 1, [floats(4, 3)], {"offset": (0.5,), "scale": (2.0,)}, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("int64", "Scaler", 1, [integers(4, 3, low=-9, high=9)], PER_FEATURE, "ai.onnx.ml", oracle="none", reason=REASON),
]
