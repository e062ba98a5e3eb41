"""Cases of kernels/ml.py."""

from .case import Case, floats, integers

REASON = "the models of the other cases import no ai.onnx.ml; see test_ml_oracle.py"
PER_FEATURE = {"offset": (0.5, 1.0, -2.0), "scale": (2.0, 0.25, 1.5)}

CASES = [
    Case("features", "Scaler", 1, [floats(4, 3)], PER_FEATURE, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("one", "Scaler", 1, [floats(4, 3)], {"offset": (0.5,), "scale": (2.0,)}, "ai.onnx.ml", oracle="none", reason=REASON),
    Case("int64", "Scaler", 1, [integers(4, 3, low=-9, high=9)], PER_FEATURE, "ai.onnx.ml", oracle="none", reason=REASON),
]
