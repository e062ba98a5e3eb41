"""onnxruntime's fused layers of encoders such as BERT: EmbedLayerNormalization, Attention, SkipSimplifiedLayerNormalization."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.graph import MS_DOMAIN
from pagetrain.kernels.activation import softmax
from pagetrain.kernels.layer_norm import layer_normalization, simplified_layer_normalization
from pagetrain.kernels.product import batch_product
from pagetrain.kernels.registry import kernel, per_element

Result = tuple[np.ndarray | None, ...]


@kernel("EmbedLayerNormalization", domain=MS_DOMAIN, workspace=per_element({0: 20}, {0: 8}))
def embed_layer_normalization(
    input_ids: np.ndarray,
    segment_ids: np.ndarray | None,
    word_embedding: np.ndarray,
    position_embedding: np.ndarray,
    segment_embedding: np.ndarray | None,
    gamma: np.ndarray,
    beta: np.ndarray,
    mask: np.ndarray | None = None,
    position_ids: np.ndarray | None = None,
    *,
    epsilon: float = 1e-12,
    mask_index_type: int = 1,
) -> Result:
    """(output, mask_index, embedding_sum): LayerNormalization of word_embedding[id] + position_embedding[place] + segment_embedding[id].

    ids: (N, S); embeddings: (numbers, H); gamma, beta: (H,); position_ids: (N or 1, S), default 0 to S - 1.
    mask_index: (N,) int32, how many of mask (N, S) are not 0; zeros without it. Source: com.microsoft EmbedLayerNormalization-1.
    """
    places = np.arange(input_ids.shape[1])[None] if position_ids is None else position_ids
    total = word_embedding[input_ids] + position_embedding[places]
    if segment_ids is not None and segment_embedding is not None:
        total = total + segment_embedding[segment_ids]
    lengths = np.zeros(len(input_ids), np.int32) if mask is None else (mask != 0).sum(axis=1, dtype=np.int32)
    return layer_normalization(total, gamma, beta, epsilon=epsilon)[0], lengths, total


@kernel("Attention", domain=MS_DOMAIN)
def attention_ms(
    input: np.ndarray,
    weights: np.ndarray,
    bias: np.ndarray | None = None,
    mask_index: np.ndarray | None = None,
    past: np.ndarray | None = None,
    attention_bias: np.ndarray | None = None,
    *,
    mask_filter_value: float = -10000.0,
    num_heads: int,
    qkv_hidden_sizes: Sequence[int] | None = None,
    scale: float | None = None,
    unidirectional: int = 0,
) -> Result:
    """(output, present): softmax(scale Q K^T + mask + attention_bias) V for each head, with Q, K, V = input weights + bias side by side.

    input: (N, S, I); weights: (I, 3 H) or of the widths in qkv_hidden_sizes; output: (N, S, H). past, present: (2, N, heads, T, H / heads),
    the keys and values so far. mask_index: (N,) numbers of keys that count, or (N, T) or (N, S, T) with 0 for those that do not; they and,
    if unidirectional, the keys behind a query's place get mask_filter_value. scale: default 1 / sqrt(H / heads).
    Source: com.microsoft Attention-1.
    """
    projected = batch_product(input, weights)
    projected = projected if bias is None else projected + bias
    ends = np.cumsum(qkv_hidden_sizes)[:-1] if qkv_hidden_sizes else 3
    Q, K, V = (_by_heads(part, num_heads) for part in np.split(projected, ends, axis=2))
    if past is not None:
        K, V = np.concatenate((past[0], K), axis=2), np.concatenate((past[1], V), axis=2)
    scores = batch_product(Q, K.swapaxes(-1, -2)) * Q.dtype.type(scale or 1 / np.sqrt(Q.shape[3]))
    scores = scores + np.where(_seen(scores.shape, mask_index, unidirectional), 0, mask_filter_value).astype(scores.dtype)
    (shares,) = softmax(scores if attention_bias is None else scores + attention_bias)
    output = batch_product(shares, V).swapaxes(1, 2).reshape(*input.shape[:2], -1)
    return output, np.stack((K, V)) if K.shape == V.shape else None


def _by_heads(X: np.ndarray, heads: int) -> np.ndarray:
    """(N, S, H) -> (N, heads, S, H / heads)."""
    if X.shape[2] % heads:
        raise InvalidInputError(f"{X.shape[2]} features cannot be shared by {heads} heads.")
    return X.reshape(*X.shape[:2], heads, -1).swapaxes(1, 2)


def _seen(shape: tuple[int, ...], mask: np.ndarray | None, unidirectional: int) -> np.ndarray:
    """Which keys each query sees, broadcasting against (N, heads, S, T)."""
    N, _, S, T = shape
    seen = np.arange(T) <= np.arange(S)[:, None] + T - S if unidirectional else np.ones((1, 1), bool)
    if mask is None:
        return seen
    if mask.shape == (N,):
        return np.asarray(seen & (np.arange(T) < mask[:, None, None, None]))
    if mask.shape in ((N, T), (N, S, T)):
        return np.asarray(seen & (mask != 0).reshape(N, 1, -1, T))
    raise UnsupportedOpError(f"A mask_index of shape {mask.shape} is not supported; use ({N},), ({N}, {T}) or ({N}, {S}, {T}).")


@kernel("SkipSimplifiedLayerNormalization", domain=MS_DOMAIN, workspace=2)
def skip_simplified_layer_normalization(
    input: np.ndarray, skip: np.ndarray, gamma: np.ndarray, bias: np.ndarray | None = None, *, epsilon: float = 1e-12
) -> Result:
    """(output, none, inv_std_var, total): total = input + skip + bias, output = RMSNormalization(total, gamma), last axis.

    Source: com.microsoft SkipSimplifiedLayerNormalization-1.
    """
    total = input + skip if bias is None else input + skip + bias
    output, inverse = simplified_layer_normalization(total, gamma, epsilon=epsilon)
    return output, None, inverse, total
