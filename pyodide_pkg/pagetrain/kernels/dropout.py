"""Dropout, its gradient, and the random numbers it draws."""

from __future__ import annotations

import numpy as np

from ..graph import MS_DOMAIN
from .registry import kernel

Result = tuple[np.ndarray, ...]
_GENERATORS: dict[float | None, np.random.Generator] = {}
_SEED = [0]


def set_seed(seed: int) -> None:
    """From here on random ops draw the numbers of this seed: two runs after the same set_seed are equal. At the start it is 0.

    A node with a seed attribute has numbers of its own, which begin anew here, too.
    """
    _SEED[0] = seed
    _GENERATORS.clear()


def generator_of(seed: float | None) -> np.random.Generator:
    """The stream of a node's seed attribute, which is whole for some ops and a float for others, or the common one."""
    if seed not in _GENERATORS:
        number = seed % 2**63 if isinstance(seed, int) else int(np.float32(seed or 0).view(np.uint32))
        _GENERATORS[seed] = np.random.default_rng([_SEED[0]] if seed is None else [_SEED[0], 1, number])
    return _GENERATORS[seed]


@kernel("Dropout", since=7)
def dropout_7(data: np.ndarray, *, ratio: float = 0.5) -> Result:
    """output = data: the evaluation form, the only one of this version; mask: ones as data. Source: ONNX Dropout-7."""
    return data, np.ones(data.shape, data.dtype)


@kernel("Dropout", since=10)
def dropout_10(data: np.ndarray, *, ratio: float = 0.5) -> Result:
    """output = data: the evaluation form, the only one of this version; mask: all true. Source: ONNX Dropout-10."""
    return data, np.ones(data.shape, bool)


@kernel("Dropout", since=12, by_chance=True)
def dropout(
    data: np.ndarray, ratio: np.ndarray | None = None, training_mode: np.ndarray | None = None, *, seed: int | None = None
) -> Result:
    """output = data; in training_mode data / (1 - ratio) where mask, else 0, with mask true by chance 1 - ratio (default ratio: 0.5).

    Random numbers: see set_seed. Source: ONNX Dropout-12 to -22.
    """
    probability = _ratio(ratio)
    if training_mode is None or not training_mode.all() or probability == 0:
        return data, np.ones(data.shape, bool)
    mask = generator_of(seed).random(data.shape, np.float32) >= probability
    return _kept(data, mask, probability), mask


@kernel("DropoutGrad", domain=MS_DOMAIN)
def dropout_grad(dy: np.ndarray, mask: np.ndarray, ratio: np.ndarray | None = None, training_mode: np.ndarray | None = None) -> Result:
    """dx = dy / (1 - ratio) where mask, else 0; dy itself outside of training_mode. Source: com.microsoft DropoutGrad-1."""
    if training_mode is not None and not training_mode.all():
        return (dy,)
    return (_kept(dy, mask, _ratio(ratio)),)


def _ratio(ratio: np.ndarray | None) -> float:
    return 0.5 if ratio is None else float(ratio.reshape(()))


def _kept(data: np.ndarray, mask: np.ndarray, probability: float) -> np.ndarray:
    scale = data.dtype.type(1 / (1 - probability) if probability < 1 else 0)
    return np.asarray(np.where(mask, data * scale, data.dtype.type(0)))
