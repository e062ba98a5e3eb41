"""Dropout, its gradient, and the random numbers it draws."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from ..graph import MS_DOMAIN
from .masked import masked
from .registry import Memory, kernel, per_element

Result = tuple[np.ndarray, ...]
if TYPE_CHECKING:  # numpy.random is imported by the first draw
    Generator = np.random.Generator | np.random.RandomState  # what both can do is called by the same names
_GENERATORS: dict[float | None, Generator] = {}
_SEED = [0]


def set_seed(seed: int) -> None:
    """From here on random ops draw the numbers of this seed: two runs after the same set_seed are equal. At the start it is 0.

    A node with a seed attribute has numbers of its own, which begin anew here, too, but are the same for every seed, as in onnxruntime.
    """
    _SEED[0] = seed
    _GENERATORS.clear()


def generator_of(seed: float | None) -> Generator:
    """The stream of a node's seed attribute, which is whole for some ops and a float for others, or the common one.

    With a seed it is the one of onnx's reference, of which the fraction is cut off, too; but there it begins anew at each call.
    """
    seed = None if seed is None or isnan(seed) else int(seed) % 2**32
    if seed not in _GENERATORS:
        _GENERATORS[seed] = np.random.default_rng([_SEED[0]]) if seed is None else np.random.RandomState(seed)
    return _GENERATORS[seed]


@kernel("Dropout", since=7, memory=Memory.VIEW, workspace=per_element({0: 4}))
def dropout_7(data: np.ndarray, *, ratio: float = 0.5) -> Result:
    """output = data: the evaluation form, the only one of this version; mask: ones as data. Source: ONNX Dropout-7."""
    return data, np.ones(data.shape, data.dtype)


@kernel("Dropout", since=10, memory=Memory.VIEW, workspace=per_element({0: 1}))
def dropout_10(data: np.ndarray, *, ratio: float = 0.5) -> Result:
    """output = data: the evaluation form, the only one of this version; mask: all true. Source: ONNX Dropout-10."""
    return data, np.ones(data.shape, bool)


@kernel("Dropout", since=12, by_chance=True, workspace=1)
def dropout(
    data: np.ndarray, ratio: np.ndarray | None = None, training_mode: np.ndarray | None = None, *, seed: int | None = None
) -> Result:
    """output = data; in training_mode data / (1 - ratio) where mask, else 0, with mask true by chance 1 - ratio (default ratio: 0.5).

    Random numbers: see set_seed. Source: ONNX Dropout-12 to -22.
    """
    probability = _ratio(ratio)
    if training_mode is None or not training_mode.all() or probability == 0:
        return data, np.ones(data.shape, bool)
    generator = generator_of(seed)
    drawn = generator.random(data.shape, np.float32) if isinstance(generator, np.random.Generator) else generator.uniform(size=data.shape)
    mask = np.asarray(drawn >= probability)
    del drawn
    return _kept(data, mask, probability), mask


@kernel("DropoutGrad", domain=MS_DOMAIN, workspace=1)
def dropout_grad(dy: np.ndarray, mask: np.ndarray, ratio: np.ndarray | None = None, training_mode: np.ndarray | None = None) -> Result:
    """dx = dy / (1 - ratio) where mask, else 0; dy itself outside of training_mode. Source: com.microsoft DropoutGrad-1."""
    if training_mode is not None and not training_mode.all():
        return (dy,)
    return (_kept(dy, mask, _ratio(ratio)),)


def _ratio(ratio: np.ndarray | None) -> float:
    return 0.5 if ratio is None else float(ratio.reshape(()))


def _kept(data: np.ndarray, mask: np.ndarray, probability: float) -> np.ndarray:
    scale = data.dtype.type(1 / (1 - probability) if probability < 1 else 0)
    return masked(data * scale, mask)
