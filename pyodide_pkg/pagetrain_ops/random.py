"""Random numbers: uniform, normal, and drawn by probabilities. The streams are those of dropout.py: see set_seed there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from pagetrain.kernels.casting import dtype_of
from pagetrain.kernels.dropout import generator_of
from pagetrain.kernels.registry import Specs, kernel, per_element

Result = tuple[np.ndarray, ...]


@kernel("RandomUniform", since=1, by_chance=True, workspace=per_element({}, {0: 8}))
def random_uniform(*, dtype: int = 1, high: float = 1.0, low: float = 0.0, seed: float | None = None, shape: Sequence[int]) -> Result:
    """output: even in [low, high), of this shape. Source: ONNX RandomUniform-1, -22."""
    return (_uniform(shape, dtype_of(dtype), low, high, seed),)


@kernel("RandomUniformLike", since=1, any_type=True, by_chance=True, workspace=per_element({0: 8}))
def random_uniform_like(
    input: np.ndarray, *, dtype: int | None = None, high: float = 1.0, low: float = 0.0, seed: float | None = None
) -> Result:
    """output: even in [low, high), of the shape of input, and of its type without dtype. Source: ONNX RandomUniformLike-1, -22."""
    return (_uniform(input.shape, input.dtype if dtype is None else dtype_of(dtype), low, high, seed),)


@kernel("RandomNormal", since=1, by_chance=True, workspace=per_element({}, {0: 8}))
def random_normal(*, dtype: int = 1, mean: float = 0.0, scale: float = 1.0, seed: float | None = None, shape: Sequence[int]) -> Result:
    """output: normal with this mean and standard deviation (scale), of this shape. Source: ONNX RandomNormal-1, -22."""
    return (_normal(shape, dtype_of(dtype), mean, scale, seed),)


@kernel("RandomNormalLike", since=1, any_type=True, by_chance=True, workspace=per_element({0: 8}))
def random_normal_like(
    input: np.ndarray, *, dtype: int | None = None, mean: float = 0.0, scale: float = 1.0, seed: float | None = None
) -> Result:
    """output: as RandomNormal, of the shape of input, and of its type without dtype. Source: ONNX RandomNormalLike-1, -22."""
    return (_normal(input.shape, input.dtype if dtype is None else dtype_of(dtype), mean, scale, seed),)


@kernel("Bernoulli", since=15, any_type=True, by_chance=True, workspace=per_element({0: 12}))
def bernoulli(input: np.ndarray, *, dtype: int | None = None, seed: float | None = None) -> Result:
    """output = 1 with the probability in input, else 0, of the type of input without dtype. Source: ONNX Bernoulli-15, -22."""
    drawn = np.asarray(generator_of(seed).binomial(1, input))
    return (drawn.astype(input.dtype if dtype is None else dtype_of(dtype)),)


def _of_draws(inputs: Specs, outputs: Specs, attributes: Mapping[str, Any]) -> int:
    """Bytes of the noise and of its sum with the input, for each draw and class."""
    return prod(inputs[0].shape) * attributes.get("sample_size", 1) * 16 if inputs[0] else 0


@kernel("Multinomial", since=7, any_type=True, by_chance=True, workspace=_of_draws)
def multinomial(input: np.ndarray, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None) -> Result:
    """output: (N, sample_size) classes drawn by softmax(input). input: (N, C), logarithms of anything proportional to the probabilities.

    The largest of input + Gumbel noise is a draw. Source: ONNX Multinomial-7, -22; Gumbel 1954.
    """
    noise = generator_of(seed).gumbel(size=(input.shape[0], sample_size, input.shape[1]))
    return ((input[:, None].astype(np.float64) + noise).argmax(axis=2).astype(dtype_of(dtype)),)


def _uniform(shape: Sequence[int], dtype: np.dtype, low: float, high: float, seed: float | None) -> np.ndarray:
    return np.asarray(generator_of(seed).uniform(low, high, tuple(shape))).astype(dtype)


def _normal(shape: Sequence[int], dtype: np.dtype, mean: float, scale: float, seed: float | None) -> np.ndarray:
    return np.asarray(generator_of(seed).normal(mean, scale, tuple(shape))).astype(dtype)
