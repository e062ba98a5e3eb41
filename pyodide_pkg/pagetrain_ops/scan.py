"""Scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import kernel

Arrays = tuple[np.ndarray, ...]


@kernel("Scan", since=9, any_type=True)
def scan(
    *initial_state_and_scan_inputs: np.ndarray,
    body: Callable[..., Arrays],
    num_scan_inputs: int,
    scan_input_axes: Sequence[int] | None = None,
    scan_input_directions: Sequence[int] | None = None,
    scan_output_axes: Sequence[int] | None = None,
    scan_output_directions: Sequence[int] | None = None,
) -> Arrays:
    """(states at the end, stacked outputs): states, outputs[t] = body(states, inputs[t]) for each step t.

    initial_state_and_scan_inputs: the states before the first step, then num_scan_inputs arrays, all of the same size along their axis
    (default 0), which the steps walk along, from the end where the direction is 1. Outputs get a new axis (default 0), and are filled from
    the end where the direction is 1. Source: ONNX Scan-9, -11 (negative axes).
    Raises InvalidInputError for arrays of different sizes, and for no steps at all: the body's results have no shape then.
    """
    count = len(initial_state_and_scan_inputs) - num_scan_inputs
    states, given = initial_state_and_scan_inputs[:count], initial_state_and_scan_inputs[count:]
    inputs = [_along(array, axis, way) for array, axis, way in _matched(given, scan_input_axes, scan_input_directions)]
    sizes = [len(array) for array in inputs]
    if not sizes or min(sizes) != max(sizes) or not sizes[0]:
        raise InvalidInputError(f"the scan inputs have {sizes} steps; expected the same number everywhere, at least 1.")
    stacks: list[np.ndarray] = []
    outputs: list[np.ndarray] = []  # the stacks, seen in the order of the steps
    for step in range(sizes[0]):
        results = body(*states, *(array[step] for array in inputs))
        states = results[:count]
        if not step:
            places = list(_matched(results[count:], scan_output_axes, scan_output_directions))
            stacks = [_stack(first, sizes[0], axis) for first, axis, _ in places]
            outputs = [_along(stack, axis, way) for stack, (_, axis, way) in zip(stacks, places, strict=True)]
        for output, result in zip(outputs, results[count:], strict=True):
            output[step] = result
    return (*states, *stacks)


@kernel("Scan", since=8)
def scan_8(
    sequence_lens: np.ndarray | None = None,
    *initial_state_and_scan_inputs: np.ndarray,
    body: Callable[..., Arrays],
    num_scan_inputs: int,
    directions: Sequence[int] | None = None,
) -> Arrays:
    """Scan-9 for each element of axis 0 (the batch) of every input, over its first sequence_lens[i] steps; the outputs beyond are 0.

    Source: ONNX Scan-8.
    """
    count = len(initial_state_and_scan_inputs) - num_scan_inputs
    states, scanned = initial_state_and_scan_inputs[:count], initial_state_and_scan_inputs[count:]
    batch, steps = scanned[0].shape[:2]
    lengths = [steps] * batch if sequence_lens is None else [int(length) for length in sequence_lens]
    rows = []
    for row, length in enumerate(lengths):
        inputs = (*(state[row] for state in states), *(array[row, :length] for array in scanned))
        made = scan(*inputs, body=body, num_scan_inputs=num_scan_inputs, scan_input_directions=directions)
        rows.append((*made[:count], *(_padded(stack, steps) for stack in made[count:])))
    return tuple(np.stack(results) for results in zip(*rows, strict=True))


def _padded(stack: np.ndarray, steps: int) -> np.ndarray:
    return np.concatenate([stack, np.zeros((steps - len(stack), *stack.shape[1:]), stack.dtype)])


def _matched(arrays: Arrays, axes: Sequence[int] | None, directions: Sequence[int] | None) -> zip[tuple[np.ndarray, int, int]]:
    zeros = (0,) * len(arrays)
    return zip(arrays, axes or zeros, directions or zeros, strict=True)


def _along(array: np.ndarray, axis: int, direction: int) -> np.ndarray:
    """A view with the axis in front, reversed for direction 1."""
    return np.moveaxis(array, axis, 0)[:: -1 if direction else 1]


def _stack(first: np.ndarray, steps: int, axis: int) -> np.ndarray:
    """Room for `steps` arrays like the first along a new axis."""
    place = axis % (first.ndim + 1)
    return np.empty((*first.shape[:place], steps, *first.shape[place:]), first.dtype)
