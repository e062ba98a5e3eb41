"""The activations that recurrent ops name, with the alphas and betas that go with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pagetrain.errors import InvalidInputError, UnsupportedOpError

Activation = Callable[[np.ndarray], np.ndarray]
# name: (function of x, alpha, beta; default alpha; default beta), None where it takes none. Source: ONNX LSTM, ORT's defaults.
_FUNCTIONS: dict[str, tuple[Callable[[np.ndarray, float, float], np.ndarray], float | None, float | None]] = {
    "relu": (lambda x, a, b: np.maximum(x, 0), None, None),
    "tanh": (lambda x, a, b: np.tanh(x), None, None),
    "sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), None, None),
    "softsign": (lambda x, a, b: x / (1 + np.abs(x)), None, None),
    "softplus": (lambda x, a, b: np.logaddexp(x, 0), None, None),
    "affine": (lambda x, a, b: a * x + b, 1.0, 0.0),
    "scaledtanh": (lambda x, a, b: a * np.tanh(b * x), 1.0, 1.0),
    "hardsigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "leakyrelu": (lambda x, a, b: np.where(x < 0, a * x, x), 0.01, None),
    "thresholdedrelu": (lambda x, a, b: np.where(x > a, x, 0), 1.0, None),
    "elu": (lambda x, a, b: np.where(x < 0, a * np.expm1(np.minimum(x, 0)), x), 1.0, None),
}


@dataclass(frozen=True, slots=True)
class NamedActivation:
    """An activation by its name in lower case, with what it is given; 0 where it takes no alpha or beta."""

    name: str
    alpha: float
    beta: float


def named_activations(
    names: Sequence[str] | None,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    default: Sequence[str],
    directions: int,
) -> list[list[NamedActivation]]:
    """One list per direction. default: the names of one direction. alphas, betas: for those functions that take one, in order.

    Raises UnsupportedOpError for an unknown name, InvalidInputError for too few.
    """
    every = tuple(names or tuple(default) * directions)
    if len(every) < len(default) * directions:
        raise InvalidInputError(f"There are {len(every)} activations, {len(default)} for each of {directions} directions are needed.")
    given = iter(alphas or ()), iter(betas or ())
    made = []
    for name in every:
        if name.lower() not in _FUNCTIONS:
            raise UnsupportedOpError(f"The activation {name!r} of a recurrent op is not known.", (name,))
        _, *defaults = _FUNCTIONS[name.lower()]
        alpha, beta = (0.0 if fallback is None else next(values, fallback) for values, fallback in zip(given, defaults, strict=True))
        made.append(NamedActivation(name.lower(), alpha, beta))
    return [made[start : start + len(default)] for start in range(0, len(default) * directions, len(default))]


def activations_of(
    names: Sequence[str] | None,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    default: Sequence[str],
    directions: int,
    clip: float | None,
) -> list[list[Activation]]:
    """The functions of named_activations. clip: bound of what goes into each."""
    return [[_bound(named, clip) for named in own] for own in named_activations(names, alphas, betas, default, directions)]


def _bound(named: NamedActivation, clip: float | None) -> Activation:
    function = _FUNCTIONS[named.name][0]

    def activation(x: np.ndarray) -> np.ndarray:
        return np.asarray(function(x if clip is None else np.clip(x, -clip, clip), named.alpha, named.beta), x.dtype)

    return activation
