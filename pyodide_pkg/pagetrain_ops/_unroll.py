"""The loop over time that RNN, GRU and LSTM share: directions, sequence lengths, layouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.product import product
from pagetrain.kernels.registry import Spec

States = tuple[np.ndarray, ...]
# (direction, inputs times W with the biases (N, gates * H), states (N, H)) -> new states; the first one is what Y holds.
Cell = Callable[[int, np.ndarray, States], States]


def direction_count(direction: str) -> int:
    """2 for bidirectional. Raises InvalidInputError for an unknown word."""
    if direction not in ("forward", "reverse", "bidirectional"):
        raise InvalidInputError(f"direction is {direction!r}; expected forward, reverse or bidirectional.")
    return 2 if direction == "bidirectional" else 1


def unroll(
    X: np.ndarray,
    W: np.ndarray,
    bias: np.ndarray | None,
    sequence_lens: np.ndarray | None,
    initial: Sequence[np.ndarray | None],
    hidden: int,
    direction: str,
    layout: int,
    cell: Cell,
) -> tuple[np.ndarray, ...]:
    """(Y, last states): Y (T, D, N, H), states (D, N, H); with layout 1 (N, T, D, H) and (N, D, H), as X and the initial states.

    X: (T, N, I); W: (D, gates * H, I); bias: (D, gates * H). Beyond its length a sequence gives zeros and keeps its states.
    """
    x = X if layout == 0 else np.swapaxes(X, 0, 1)
    steps, batch = x.shape[:2]
    lengths = np.full(batch, steps) if sequence_lens is None else sequence_lens
    Y = np.zeros((steps, direction_count(direction), batch, hidden), X.dtype)
    last = []
    for way in range(Y.shape[1]):
        gates = product(x.reshape(steps * batch, -1), W[way].T).reshape(steps, batch, -1)
        if bias is not None:
            gates += bias[way]
        states = tuple(_state(given, way, (batch, hidden), layout, X.dtype) for given in initial)
        backwards = way == 1 or direction == "reverse"
        for step in range(steps)[::-1] if backwards else range(steps):
            running = (step < lengths)[:, None]
            states = tuple(np.where(running, new, old) for new, old in zip(cell(way, gates[step], states), states, strict=True))
            Y[step, way] = np.where(running, states[0], 0)
        last.append(states)
    ends = tuple(np.stack(state, axis=layout) for state in zip(*last, strict=True))
    return (Y if layout == 0 else np.moveaxis(Y, 2, 0)), *ends


def workspace_of_unroll(inputs: Sequence[Spec | None], outputs: Sequence[Spec | None], attributes: Mapping[str, Any]) -> int:
    """Bytes of a recurrent op's workspace: all gates of all steps in one direction, and what one step makes of them and the states."""
    X, W, R = inputs[:3]
    if X is None or W is None or R is None:
        return 0
    batch = X.shape[0 if attributes.get("layout") else 1]
    return X.itemsize * (prod(X.shape[:2]) * W.shape[1] + batch * (W.shape[1] + 4 * R.shape[2]))


def _state(given: np.ndarray | None, way: int, shape: tuple[int, int], layout: int, dtype: np.dtype) -> np.ndarray:
    if given is None:
        return np.zeros(shape, dtype)
    return given[way] if layout == 0 else given[:, way]
