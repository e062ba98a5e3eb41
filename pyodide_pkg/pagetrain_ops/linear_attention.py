"""What walks along a sequence with a state: LinearAttention, CausalConvWithState."""

from __future__ import annotations

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import kernel, per_element

Result = tuple[np.ndarray, ...]
RULES = ("linear", "gated", "delta", "gated_delta")
ACTIVATIONS = ("none", "silu", "swish")


@kernel("LinearAttention", since=27, typed_by=(0, 3))
def linear_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    past_state: np.ndarray | None = None,
    decay: np.ndarray | None = None,
    beta: np.ndarray | None = None,
    *,
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    update_rule: str = "gated_delta",
) -> Result:
    """(output, present_state): S = e^g S + k (v - S^T k)^T b at each step, output = scale q^T S.

    query: (N, T, H d), key: (N, T, G d), value: (N, T, G e); S: (N, G, d, e), at first past_state or 0. g = decay, (N, T, G d) or
    (N, T, G), of the gated rules alone; b = beta, (N, T, G) or (N, T, 1), of the delta rules alone: in the others v is added as it is.
    scale: default 1 / sqrt(d). chunk_size is about speed alone.
    Source: ONNX LinearAttention-27; Yang et al. 2024.
    """
    if update_rule not in RULES:
        raise InvalidInputError(f"the update_rule {update_rule!r} is not known; use one of {', '.join(RULES)}.")
    heads, given = kv_num_heads, query.dtype
    q, k, v = (_steps(X, count) for X, count in ((query, q_num_heads), (key, heads), (value, heads)))
    factor = scale or 1 / np.sqrt(q.shape[3])
    S = np.zeros((*k.shape[1:3], k.shape[3], v.shape[3]), k.dtype) if past_state is None else past_state
    gate = None if decay is None or "gated" not in update_rule else np.exp(_steps(decay, heads))
    rate = None if beta is None or "delta" not in update_rule else beta.swapaxes(0, 1)[..., None]
    outputs = []
    for step in range(len(q)):
        S = S if gate is None else gate[step][..., None] * S
        new = v[step] if rate is None else rate[step] * (v[step] - np.einsum("ngde,ngd->nge", S, k[step]))
        S = S + k[step][..., None] * new[..., None, :]
        shared = np.repeat(S, q_num_heads // heads, axis=1)
        outputs.append(factor * np.einsum("nhde,nhd->nhe", shared, q[step]))
    output = np.stack(outputs, axis=1).reshape(*query.shape[:2], -1)
    return output.astype(given), S.astype(given if past_state is None else past_state.dtype)


def _steps(X: np.ndarray, heads: int) -> np.ndarray:
    """(N, T, H d) -> (T, N, H, d)."""
    return X.reshape(*X.shape[:2], heads, -1).swapaxes(0, 1)


@kernel("CausalConvWithState", since=27, workspace=per_element({0: 11}))
def causal_conv_with_state(
    input: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray | None = None,
    past_state: np.ndarray | None = None,
    *,
    activation: str = "none",
) -> Result:
    """(output, present_state): each channel convolved with its own filter over the places up to its own.

    input: (N, C, L); weight: (C, 1, k); bias: (C,); past_state, present_state: (N, C, k - 1), what comes before the first place (default:
    0) and the last of what was seen. activation: silu (or swish), y = x / (1 + e^-x), or none. Source: ONNX CausalConvWithState-27.
    """
    if activation not in ACTIVATIONS:
        raise InvalidInputError(f"the activation {activation!r} is not known; use one of {', '.join(ACTIVATIONS)}.")
    before = weight.shape[2] - 1
    past = np.zeros((*input.shape[:2], before), input.dtype) if past_state is None else past_state
    whole = np.concatenate((past, input), axis=2)
    taps, length = weight[:, 0], input.shape[2]
    total = sum(taps[:, tap, None] * whole[:, :, tap : tap + length] for tap in range(before + 1))
    if bias is not None:
        total = total + bias[:, None]
    output = total if activation == "none" else total / (1 + np.exp(-total))
    return np.asarray(output, input.dtype), whole[:, :, whole.shape[2] - before :]
