"""onnxruntime's LSTM with small weights: DynamicQuantizeLSTM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.product import product
from pagetrain.kernels.registry import kernel, per_element

from ._unroll import direction_count, unroll
from .gates import activations_of
from .quantize import dequantize_linear, dynamic_quantize_linear
from .recurrent import lstm_cell, summed

Result = tuple[np.ndarray, ...]


@kernel("DynamicQuantizeLSTM", domain=MS_DOMAIN, workspace=per_element({0: 22, 1: 4.5}))
def dynamic_quantize_lstm(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None,
    sequence_lens: np.ndarray | None,
    initial_h: np.ndarray | None,
    initial_c: np.ndarray | None,
    P: np.ndarray | None,
    W_scale: np.ndarray,
    W_zero_point: np.ndarray,
    R_scale: np.ndarray,
    R_zero_point: np.ndarray,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
) -> Result:
    """As LSTM-7, with W: (D, I, 4 H) and R: (D, H, 4 H) of 8 bits, and X and the states rounded as DynamicQuantizeLinear does.

    Each sequence's state is rounded alone; onnxruntime does so where it has a thread for each, else groups of them together.
    Scales and zero points: (D,), or (D, 4 H) for each column. Source: com.microsoft DynamicQuantizeLSTM-1.
    """
    names = ("Sigmoid", "Tanh", "Tanh")
    functions = activations_of(activations, activation_alpha, activation_beta, names, direction_count(direction), clip)
    wide_W, wide_R = _wide(W, W_scale, W_zero_point), _wide(R, R_scale, R_zero_point)

    def recurrent(H: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return product(np.stack([_rounded(row) for row in H]), weights)

    cell = lstm_cell(functions, wide_R, P, input_forget, recurrent)
    x = X.copy()
    longest = len(X) if sequence_lens is None else int(sequence_lens.max(initial=0))
    x[:longest] = _rounded(X[:longest])
    return unroll(x, wide_W, summed(B), sequence_lens, [initial_h, initial_c], wide_R.shape[2], direction, 0, cell)


def _wide(weights: np.ndarray, scale: np.ndarray, zero_point: np.ndarray) -> np.ndarray:
    """(D, I, G) of 8 bits -> (D, G, I) of float32."""
    scales, zeros = (value.reshape(len(weights), 1, -1) for value in (scale, zero_point))
    wide: np.ndarray = (weights.astype(np.float32) - zeros.astype(np.float32)) * scales
    return wide.swapaxes(1, 2)


def _rounded(X: np.ndarray) -> np.ndarray:
    """The numbers that the quantised X stands for."""
    wide: np.ndarray = dequantize_linear(*dynamic_quantize_linear(X))[0]
    return wide
