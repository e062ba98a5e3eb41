"""The activations that recurrent ops name, with the alphas and betas that go with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..errors import InvalidInputError, UnsupportedOpError

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


def activations_of(
    names: Sequence[str] | None,
    alphas: Sequence[float] | None,
    betas: Sequence[float] | None,
    default: Sequence[str],
    directions: int,
    clip: float | None,
) -> list[list[Activation]]:
    """One list of functions per direction. default: the names of one direction. clip: bound of what goes into each function.

    alphas, betas: for those functions that take one, in order. Raises UnsupportedOpError for an unknown name, InvalidInputError.
    """
    every = tuple(names or tuple(default) * directions)
    if len(every) < len(default) * directions:
        raise InvalidInputError(f"There are {len(every)} activations, {len(default)} for each of {directions} directions are needed.")
    given = iter(alphas or ()), iter(betas or ())
    made = []
    for name in every:
        if name.lower() not in _FUNCTIONS:
            raise UnsupportedOpError(f"The activation {name!r} of a recurrent op is not known.", (name,))
        function, *defaults = _FUNCTIONS[name.lower()]
        alpha, beta = (0.0 if fallback is None else next(values, fallback) for values, fallback in zip(given, defaults, strict=True))
        made.append(_bound(function, alpha, beta, clip))
    return [made[start : start + len(default)] for start in range(0, len(default) * directions, len(default))]


def _bound(function: Callable[[np.ndarray, float, float], np.ndarray], alpha: float, beta: float, clip: float | None) -> Activation:
    def activation(x: np.ndarray) -> np.ndarray:
        return np.asarray(function(x if clip is None else np.clip(x, -clip, clip), alpha, beta), x.dtype)

    return activation
