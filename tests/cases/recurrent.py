"""Cases of kernels/recurrent.py: every input and attribute."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case, floats

STEPS, BATCH, SIZE, HIDDEN = 5, 3, 4, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
LENGTHS = np.array([5, 2, 3], np.int32)
ORT: dict[str, Any] = {"oracle": "onnxruntime", "reason": "onnx's reference has one direction and few of the attributes", "rtol": 1e-4}


def inputs(op: str, directions: int = 1, optional: str = "") -> list[np.ndarray | None]:
    """X, W, R and those of the optional inputs that are named by a letter: B, l(engths), h, c, P."""
    gates, length = GATES[op], 8 if op == "LSTM" else 6
    state = (directions, BATCH, HIDDEN)
    made: list[np.ndarray | None] = [
        floats(STEPS, BATCH, SIZE),
        floats(directions, gates * HIDDEN, SIZE, seed=1),
        floats(directions, gates * HIDDEN, HIDDEN, seed=2),
        floats(directions, 2 * gates * HIDDEN, seed=3) if "B" in optional else None,
        LENGTHS if "l" in optional else None,
        floats(*state, seed=4) if "h" in optional else None,
        floats(*state, seed=5) if "c" in optional else None,
        floats(directions, 3 * HIDDEN, seed=6) if "P" in optional else None,
    ]
    made = made[:length]
    while made[-1] is None:
        made.pop()
    return made


def case(name: str, op: str, optional: str = "", since: int = 14, **attributes: Any) -> Case:
    """All outputs are compared."""
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    outputs = 3 if op == "LSTM" else 2
    return Case(name, op, since, inputs(op, directions, optional), {"hidden_size": HIDDEN, **attributes}, outputs=outputs, **ORT)


CASES = [
    *(case("plain", op, since=since) for op in GATES for since in (7, 14, 22)),
    *(case("everything", op, "Blhc", since) for op in GATES for since in (7, 14)),
    *(case(direction, op, "Blhc", direction=direction) for op in GATES for direction in ("reverse", "bidirectional")),
    *(case("clip", op, "B", clip=0.3) for op in GATES),
    case("peepholes", "LSTM", "BlhcP"),
    case("peepholes_both_ways", "LSTM", "BhcP", direction="bidirectional"),
    case("input_forget", "LSTM", "Bhc", input_forget=1),
    case("linear_before_reset", "GRU", "Blh", linear_before_reset=1),
    case("linear_before_reset_without_B", "GRU", linear_before_reset=1, direction="bidirectional"),
    case("relu", "RNN", "B", activations=["Relu"]),
    case("others", "LSTM", "Bc", activations=["HardSigmoid", "Softsign", "Relu"]),
    case(
        "with_parameters",
        "GRU",
        "B",
        activations=["HardSigmoid", "LeakyRelu", "HardSigmoid", "ScaledTanh"],
        activation_alpha=[0.3, 0.1, 0.25, 0.5],
        activation_beta=[0.4, 0.6, 0.7],
        direction="bidirectional",
    ),
    *(case(f"activation_{name}", "RNN", "B", activations=[name]) for name in ("Softplus", "Elu")),
    case("activation_Affine", "RNN", "B", activations=["Affine"], activation_alpha=[0.5], activation_beta=[0.25]),
    case("activation_ThresholdedRelu", "RNN", "B", activations=["ThresholdedRelu"], activation_alpha=[0.5]),
]
