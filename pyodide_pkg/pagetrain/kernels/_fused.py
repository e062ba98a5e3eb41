"""activate: the activation that a fused op names. Source: onnxruntime/core/optimizer, gemm_activation_fusion and conv_activation_fusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..errors import UnsupportedOpError
from ._clip import clip
from .rectifier import elu, hard_sigmoid, leaky_relu, thresholded_relu
from .sigmoid import sigmoid_of, softplus_of, softsign

# Each takes Y, which it may overwrite, and the parameters that the fused op has for it; FusedGemm always has three.
ACTIVATIONS: Mapping[str, Callable[[np.ndarray, Sequence[float]], np.ndarray]] = {
    "": lambda Y, _: Y,
    "Relu": lambda Y, _: clip(Y, 0, np.inf, out=Y),
    "Clip": lambda Y, bounds: clip(Y, bounds[0], bounds[1], out=Y),
    "Tanh": lambda Y, _: np.tanh(Y, out=Y),
    "Sigmoid": lambda Y, _: sigmoid_of(Y),
    "Softplus": lambda Y, _: softplus_of(Y),
    "Softsign": lambda Y, _: softsign(Y)[0],
    "LeakyRelu": lambda Y, parameters: leaky_relu(Y, alpha=parameters[0])[0],
    "Elu": lambda Y, parameters: elu(Y, alpha=parameters[0])[0],
    "ThresholdedRelu": lambda Y, parameters: thresholded_relu(Y, alpha=parameters[0])[0],
    "HardSigmoid": lambda Y, parameters: hard_sigmoid(Y, alpha=parameters[0], beta=parameters[1])[0],
}


ARRAYS = {"Sigmoid": 1, "Softsign": 1, "Softplus": 2, "ThresholdedRelu": 1.25, "LeakyRelu": 2.25, "Elu": 2.25}  # that they need beside Y


def activate(Y: np.ndarray, activation: str, parameters: Sequence[float]) -> np.ndarray:
    """The named activation of Y, which may be overwritten; "" is none. Raises UnsupportedOpError for an unknown one."""
    if activation not in ACTIVATIONS:
        known = ", ".join(filter(None, ACTIVATIONS))
        raise UnsupportedOpError(f"The activation {activation!r} of a fused op is not supported; {known} are.", (activation,))
    return ACTIVATIONS[activation](Y, parameters)
