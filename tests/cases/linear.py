"""Cases of kernels/linear.py."""

import numpy as np

from .case import MS, Case, floats

A, B, C = floats(2, 3), floats(3, 4, seed=1), floats(4, seed=2)
FUSED = {"domain": MS, "oracle": "onnxruntime", "reason": "not in ONNX"}

CASES = [
    *(
        Case(f"tA{a}tB{b}", "Gemm", 13, [A.T.copy() if a else A, B.T.copy() if b else B, C], {"transA": a, "transB": b})
        for a in (0, 1)
        for b in (0, 1)
    ),
    *(Case("alpha_beta", "Gemm", since, [A, B, C], {"alpha": 0.5, "beta": 0.25}) for since in (7, 9, 11, 13)),
    *(Case("beta_0", "Gemm", since, [A, B, C], {"beta": 0.0}) for since in (7, 13)),
    *(Case("without_C", "Gemm", since, [A, B], {"beta": 0.0}) for since in (11, 13)),
    *(Case(f"C{shape}", "Gemm", 13, [A, B, floats(*shape, seed=3)]) for shape in ((2, 4), (2, 1), (1, 4), (1,), ())),
    Case("deep", "Gemm", 13, [floats(5, 64), floats(7, 64, seed=1), floats(7, seed=2)], {"transB": 1}),
    Case("wide", "Gemm", 13, [floats(3, 5), floats(5, 64, seed=1), floats(64, seed=2)]),
    Case(
        "relu", "FusedGemm", 1, [A, B, C], {"activation": "Relu", "alpha": 0.5, "beta": 2.0}, MS, oracle="onnxruntime", reason="not in ONNX"
    ),
    *(
        Case(name, "FusedGemm", 1, [A, B, C], {"activation": name, **parameters}, MS, oracle="onnxruntime", reason="not in ONNX")
        for name, parameters in {
            "Tanh": {},
            "Sigmoid": {},
            "LeakyRelu": {"activation_alpha": 0.1},
            "Elu": {"activation_alpha": 0.5},
            "Softplus": {},
            "Softsign": {},
            "ThresholdedRelu": {"activation_alpha": 0.5},
            "HardSigmoid": {"activation_alpha": 0.3, "activation_beta": 0.4},
        }.items()
    ),
    Case("none", "FusedGemm", 1, [A, B.T.copy(), C], {"transB": 1}, MS, oracle="none", reason="onnxruntime wants an activation"),
    *(Case("2d", "MatMul", since, [A, B]) for since in (1, 9, 13)),
    Case("vectors", "MatMul", 13, [floats(3), floats(3, seed=1)]),
    Case("matrix_vector", "MatMul", 13, [A, floats(3, seed=1)]),
    Case("batches", "MatMul", 13, [floats(5, 1, 2, 3), floats(4, 3, 2, seed=1)]),
    Case("int32", "MatMul", 13, [np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(6, dtype=np.int32).reshape(3, 2)]),
    Case("batch_matrix", "MatMul", 13, [floats(5, 1, 2, 3), B]),
    Case("matrix_batch", "MatMul", 13, [A, floats(4, 3, 2, seed=1)]),
    Case("vector_batch", "MatMul", 13, [floats(3), floats(4, 3, 2, seed=1)]),
    Case("nothing", "MatMul", 13, [np.empty((0, 2, 3), np.float32), B]),
    *(
        Case(
            f"tA{a}tB{b}",
            "FusedMatMul",
            1,
            [floats(5, *((3, 2) if a else (2, 3))), floats(1, *((4, 3) if b else (3, 4)))],
            {"transA": a, "transB": b, "alpha": 0.5},
            **FUSED,
        )
        for a in (0, 1)
        for b in (0, 1)
    ),
    Case("batch", "FusedMatMul", 1, [floats(2, 5, 3), floats(3, 5, 4)], {"transBatchA": 1, "transBatchB": 1}, **FUSED),
    Case("batch_trans", "FusedMatMul", 1, [floats(3, 5, 2), floats(3, 5, 4)], {"transBatchA": 1, "transA": 1, "transBatchB": 1}, **FUSED),
    Case("plain", "FusedMatMul", 1, [A, B], **FUSED),
    *(Case("batch", "Det", since, [floats(2, 3, 4, 4)], rtol=1e-4, reason="float32 elimination") for since in (11, 22)),
    Case("one", "Det", 11, [floats(3, 3)], rtol=1e-4, reason="float32 elimination"),
]
