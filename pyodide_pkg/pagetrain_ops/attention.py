"""Attention, RotaryEmbedding, and the cache of keys and values that TensorScatter writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import NUMPY_DTYPES, ElementType
from pagetrain.kernels.product import batch_product, product_copies
from pagetrain.kernels.registry import Spec, Specs, kernel, per_element

Result = tuple[np.ndarray, ...]


def _of_attention(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes that are held at most while the steps of attention() follow each other, beyond its results."""
    Q, K, V, mask, past_key, past_value, lengths = (*inputs, *(None,) * 7)[:7]
    if Q is None or K is None or V is None:
        return 0
    groups = attributes.get("kv_num_heads", 1)
    (N, H, S, d), (_, _, T, _), (*_, e) = (
        shape if len(shape) == 4 else (shape[0], heads, shape[1], shape[2] // heads)
        for shape, heads in ((Q.shape, attributes.get("q_num_heads", 1)), (K.shape, groups), (V.shape, groups))
    )
    past = (past_key.nbytes + past_value.nbytes + K.nbytes + V.nbytes) if past_key and past_value else 0
    T += past_key.shape[2] if past and past_key else 0
    keys, values, scores = (Spec((N, H, *ends), Q.itemsize) for ends in ((d, T), (T, e), (S, T)))
    exact = attributes.get("softmax_precision")
    exact_scores = scores.nbytes // Q.itemsize * (NUMPY_DTYPES[ElementType(exact)].itemsize if exact else Q.itemsize)
    stages = scores.nbytes * (2 if attributes.get("softcap") else 1)
    seen = S * T * (N if lengths else 1)
    hidden = scores.nbytes if mask and mask.itemsize > 1 else scores.nbytes // Q.itemsize if mask else 0
    queries = Spec((N, H, S, d), Q.itemsize)
    results = Spec((N, H, S, e), Q.itemsize).nbytes * (1 if len(Q.shape) == 4 else 2)
    most = max(
        queries.nbytes + 2 * keys.nbytes,
        queries.nbytes + keys.nbytes + scores.nbytes + product_copies(queries, keys._replace(turned=True)),
        scores.nbytes * (3 if attributes.get("softcap") else 0),
        stages + 10 * seen,
        stages + seen + hidden + scores.nbytes,
        stages + seen + scores.nbytes + exact_scores,
        stages + seen + scores.nbytes + scores.nbytes + values.nbytes + results + product_copies(scores, values),
    )
    return past + most - sum(spec.nbytes for spec in outputs if spec)


@kernel("Attention", since=23, workspace=_of_attention, typed_by=(0, 0, 2, 0))
def attention_23(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    attn_mask: np.ndarray | None = None,
    past_key: np.ndarray | None = None,
    past_value: np.ndarray | None = None,
    *,
    qk_matmul_output_mode: int = 0,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    scale: float | None = None,
    is_causal: int = 0,
) -> Result:
    """As Attention-25 without windows and padded caches. Source: ONNX Attention-23."""
    return attention_24(
        Q,
        K,
        V,
        attn_mask,
        past_key,
        past_value,
        qk_matmul_output_mode=qk_matmul_output_mode,
        softcap=softcap,
        softmax_precision=softmax_precision,
        kv_num_heads=kv_num_heads,
        q_num_heads=q_num_heads,
        scale=scale,
        is_causal=is_causal,
    )


@kernel("Attention", since=24, workspace=_of_attention, typed_by=(0, 0, 2, 0))
def attention_24(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    attn_mask: np.ndarray | None = None,
    past_key: np.ndarray | None = None,
    past_value: np.ndarray | None = None,
    nonpad_kv_seqlen: np.ndarray | None = None,
    *,
    qk_matmul_output_mode: int = 0,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    scale: float | None = None,
    is_causal: int = 0,
) -> Result:
    """As Attention-25 without windows. Source: ONNX Attention-24."""
    return attention(
        Q,
        K,
        V,
        attn_mask,
        past_key,
        past_value,
        nonpad_kv_seqlen,
        qk_matmul_output_mode=qk_matmul_output_mode,
        softcap=softcap,
        softmax_precision=softmax_precision,
        kv_num_heads=kv_num_heads,
        q_num_heads=q_num_heads,
        scale=scale,
        is_causal=is_causal,
    )


@kernel("Attention", since=25, workspace=_of_attention, typed_by=(0, 0, 2, 0))
def attention(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    attn_mask: np.ndarray | None = None,
    past_key: np.ndarray | None = None,
    past_value: np.ndarray | None = None,
    nonpad_kv_seqlen: np.ndarray | None = None,
    *,
    right_window_size: int = -1,
    left_window_size: int = -1,
    qk_matmul_output_mode: int = 0,
    softcap: float = 0.0,
    softmax_precision: int | None = None,
    kv_num_heads: int | None = None,
    q_num_heads: int | None = None,
    scale: float | None = None,
    is_causal: int = 0,
) -> Result:
    """(Y, present_key, present_value, qk_matmul_output): Y = softmax(cap(scale Q K^T) + mask) V for each head.

    Q: (N, H, S, d), K: (N, G, T, d), V: (N, G, T, e), each group of H / G heads of Q sharing one of K; or (N, S, H d) and so on, with the
    numbers of heads as attributes. Keys and values of the past come first. cap(x) = softcap tanh(x / softcap); scale: default
    1 / sqrt(d). A query at place p (behind the past, or as the last of nonpad_kv_seqlen) sees the keys up to p if is_causal, those of
    [p - left_window_size, p + right_window_size] where these are not -1, and those that attn_mask allows; a query that sees none gives 0.
    qk_matmul_output: the scores as they are (mode 0), capped (1), masked (2), or the probabilities (3).
    Source: ONNX Attention-25; Vaswani et al. 2017.
    """
    q, k, v = _by_heads(Q, q_num_heads), _by_heads(K, kv_num_heads), _by_heads(V, kv_num_heads)
    if past_key is not None and past_value is not None:
        k, v = np.concatenate((past_key, k), axis=2), np.concatenate((past_value, v), axis=2)
    share = q.shape[1] // k.shape[1]
    root = Q.dtype.type(np.sqrt(1 / np.sqrt(q.shape[3]) if scale is None else scale))
    scores = batch_product(q * root, np.repeat(k, share, axis=1).swapaxes(-1, -2) * root)
    capped = scores if softcap == 0 else softcap * np.tanh(scores / softcap)
    seen = _window(scores.shape, _first_place(q, past_key, nonpad_kv_seqlen), is_causal, left_window_size, right_window_size)
    if nonpad_kv_seqlen is not None:
        seen = seen & (np.arange(scores.shape[3]) < nonpad_kv_seqlen[:, None, None, None])
    masked = _masked(capped, seen, attn_mask)
    exact = masked.dtype if softmax_precision is None else NUMPY_DTYPES[ElementType(softmax_precision)]
    probabilities = _softmax(masked.astype(exact)).astype(Q.dtype, copy=False)
    Y = batch_product(probabilities, np.repeat(v, share, axis=1))
    stages = (scores, capped, masked, probabilities)
    return (Y if Q.ndim == 4 else _side_by_side(Y)), k, v, stages[qk_matmul_output_mode]


def _by_heads(X: np.ndarray, heads: int | None) -> np.ndarray:
    """(N, S, H d) -> (N, H, S, d); four axes stay."""
    if X.ndim == 4:
        return X
    if not heads or X.shape[2] % heads:
        raise InvalidInputError(f"three axes {X.shape} need a number of heads that divides the last one, got {heads}.")
    return X.reshape(*X.shape[:2], heads, -1).swapaxes(1, 2)


def _side_by_side(X: np.ndarray) -> np.ndarray:
    """(N, H, S, d) -> (N, S, H d)."""
    return X.swapaxes(1, 2).reshape(X.shape[0], X.shape[2], -1)


def _first_place(q: np.ndarray, past: np.ndarray | None, lengths: np.ndarray | None) -> np.ndarray:
    """The place of the first query among the keys, (1 or N, 1, 1, 1)."""
    if lengths is not None:
        return np.asarray(lengths - q.shape[2]).reshape(-1, 1, 1, 1)
    return np.array(0 if past is None else past.shape[2]).reshape(1, 1, 1, 1)


def _window(shape: tuple[int, ...], first: np.ndarray, is_causal: int, left: int, right: int) -> np.ndarray:
    """Which keys each query sees, (1 or N, 1, S, T)."""
    behind = first + np.arange(shape[2])[:, None] - np.arange(shape[3])  # how far the key lies behind the query
    seen = np.ones(behind.shape, bool)
    if is_causal:
        seen &= behind >= 0
    if left >= 0:
        seen &= behind <= left
    if right >= 0:
        seen &= behind >= -right
    return seen


def _masked(scores: np.ndarray, seen: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The scores plus a mask of numbers, and -inf for what a mask of bools or `seen` hides, or the mask is too short for."""
    if mask is not None:
        missing = scores.shape[3] - mask.shape[-1]
        hidden = False if mask.dtype == bool else -np.inf
        mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=hidden) if missing else mask
        if mask.dtype == bool:
            seen = seen & mask
        else:
            scores = scores + mask
    return np.where(seen, scores, scores.dtype.type(-np.inf))


def _softmax(X: np.ndarray) -> np.ndarray:
    """Along the last axis; 0 where all of it is -inf. X is overwritten."""
    largest = X.max(axis=-1, keepdims=True)
    X -= np.where(np.isneginf(largest), X.dtype.type(0), largest)
    np.exp(X, out=X)
    total = X.sum(axis=-1, keepdims=True)
    X /= np.where(total == 0, X.dtype.type(1), total)
    return X


@kernel("RotaryEmbedding", since=23, workspace=per_element({0: 5}))
def rotary_embedding(
    X: np.ndarray,
    cos_cache: np.ndarray,
    sin_cache: np.ndarray,
    position_ids: np.ndarray | None = None,
    *,
    num_heads: int | None = None,
    rotary_embedding_dim: int = 0,
    interleaved: int = 0,
) -> Result:
    """Y = pairs of each head's features turned by an angle that depends on the place: (a cos - b sin, a sin + b cos).

    X: (N, H, S, d), or (N, S, H d) with num_heads. Of the first rotary_embedding_dim features (default: all) a pair is one of the first
    half with one of the second, or two neighbours if interleaved. cos_cache, sin_cache: (N, S, pairs), or (places, pairs) of which
    position_ids (N, S) takes one each. Source: ONNX RotaryEmbedding-23; Su et al. 2021.
    """
    x = _by_heads(X, num_heads)
    size = rotary_embedding_dim or x.shape[3]
    cos, sin = ((cache if position_ids is None else cache[position_ids])[:, None] for cache in (cos_cache, sin_cache))
    first, second = (slice(0, size, 2), slice(1, size, 2)) if interleaved else (slice(0, size // 2), slice(size // 2, size))
    Y = x.copy()
    Y[..., first] = x[..., first] * cos - x[..., second] * sin
    Y[..., second] = x[..., first] * sin + x[..., second] * cos
    return (Y if X.ndim == 4 else _side_by_side(Y),)


@kernel("TensorScatter", since=24)
def tensor_scatter(
    past_cache: np.ndarray, update: np.ndarray, write_indices: np.ndarray | None = None, *, mode: str = "linear", axis: int = -2
) -> Result:
    """present_cache = past_cache with each sample's update written along axis from its write index (default 0) on.

    mode: beyond the end of the axis, circular goes on at its start, linear is refused. Source: ONNX TensorScatter-24.
    """
    size = past_cache.shape[axis]
    first = np.zeros(len(past_cache), np.int64) if write_indices is None else write_indices
    places = first[:, None] + np.arange(update.shape[axis])
    if mode == "linear" and places.size and (places.min() < 0 or places.max() >= size):
        raise InvalidInputError(f"the update reaches from {places.min()} to {places.max()}, beyond {size} places.")
    present = np.moveaxis(past_cache, axis, 1).copy()
    present[np.arange(len(past_cache))[:, None], places % size] = np.moveaxis(update, axis, 1)
    return (np.moveaxis(present, 1, axis),)
