"""Rows of the trainable parameters, one per class: made, kept, dropped and moved together with their AdamW moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .api.checkpoint_state import CheckpointState
from .manifest import Trainable
from .names import NUM_CLASSES


def start_values(one: Trainable, classes: int, generator: Callable[[], np.random.Generator]) -> np.ndarray:
    """New values for `classes` classes as `init` says. Not for init "stored". generator: asked for only if numbers are drawn."""
    shape = tuple(classes if size == NUM_CLASSES else int(size) for size in one.shape)
    if one.init == "zeros":
        return np.zeros(shape, np.float32)
    return generator().normal(0, float(one.init.removeprefix("normal:")), shape).astype(np.float32)


def set_rows(state: CheckpointState, one: Trainable, kept: Sequence[int | None], generator: Callable[[], np.random.Generator]) -> None:
    """Gives parameter `one` len(kept) classes: for each the old row of that number with its moments, or for None a new row without moments.

    A parameter without class axis, or one that has no values yet, gets its start values once.
    """
    axis, parameter = one.class_axis, state.parameters[one.name]
    if parameter.is_nominal:
        if one.init != "stored":
            state.replace_parameter(one.name, start_values(one, len(kept), generator))
        return
    if axis is None:
        return
    data = _rows(parameter.data, start_values(one, len(kept), generator), kept, axis)
    old_moments = state.optimizer.momentums.get(one.name, {})
    state.replace_parameter(
        one.name, data, {name: _rows(moment, np.zeros_like(data), kept, axis) for name, moment in old_moments.items()} or None
    )


def _rows(old: np.ndarray, new: np.ndarray, kept: Sequence[int | None], axis: int) -> np.ndarray:
    """`new` with the kept rows of `old` put in."""
    source, target = np.moveaxis(old, axis, 0), np.moveaxis(new, axis, 0)
    for index, row in enumerate(kept):
        if row is not None:
            target[index] = source[row]
    return new


class Snapshot:
    """The trainable parameters, their moments and the step count at one moment; `restore` puts all of them back."""

    def __init__(self, state: CheckpointState) -> None:
        self._state = state
        self._step = state.optimizer.step
        self._data = {name: state.parameters[name].data.copy() for name in state.trainable_names}
        self._momentums = {name: {k: v.copy() for k, v in by_name.items()} for name, by_name in state.optimizer.momentums.items()}

    def restore(self, state: CheckpointState | None = None) -> None:
        """In place: arrays that others hold stay the same arrays. state: another one of the same classes, default: where it was taken."""
        state = state or self._state
        state.optimizer.step = self._step
        for name, data in self._data.items():
            state.parameters[name].data = data
        if self._momentums:
            state.allocate_moments(tuple(next(iter(self._momentums.values()))))
        for name, by_name in state.optimizer.momentums.items():
            for kind, moment in by_name.items():
                moment[...] = self._momentums[name][kind] if name in self._momentums else 0
