"""What it costs to store frozen parameters in fewer bytes: how far the values move that the trainable part starts from, and the logits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pagetrain import executor, plan
from pagetrain.cut import find_cut
from pagetrain.errors import InvalidInputError, PagetrainError
from pagetrain.graph import NUMPY_DTYPES, Graph, TensorType, ValueInfo

from .assembly import Assembled
from .frozen_storage import Stored, with_stored_values
from .gradient.path import FLOAT_TYPES
from .parameters import Parameter
from .value_types import value_types

RANDOM_INPUTS = 8
OPEN_SIZE = 32  # of an axis, other than the first, that the model leaves open
SEED = 0

Feeds = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Cost:
    """bytes: of all frozen parameters. changes: {value: |new - old| / |old|, the norms over all numbers of all inputs}.

    inputs: what was measured on. problem: why nothing was measured, else "".
    """

    storage: str
    stored: int
    left_float32: int
    bytes_before: int
    bytes_after: int
    inputs: str
    changes: dict[str, float]
    problem: str = ""


def storage_cost(artifacts: Assembled, storage: str, forms: Mapping[str, Stored], samples: Feeds | None = None) -> Cost:
    """Both forms of the parameters run on `samples` ({input: batch}), by default on random inputs of a fixed seed.

    Compared are the values at the end of the frozen prefix, and the graph's outputs behind the loss. Raises InvalidInputError for samples
    that lack an input or do not fit; other reasons not to measure stand in the result.
    """
    parameters = artifacts.parameters
    frozen = [one for one in parameters if not one.trainable]
    before = sum(one.tensor.data.nbytes for one in frozen)
    after = sum(len(forms[one.name].bytes) if one.name in forms else one.tensor.data.nbytes for one in frozen)
    inputs = f"{RANDOM_INPUTS} random inputs of a fixed seed" if samples is None else "the samples"
    changes, problem = _changes(artifacts.eval_model.graph, parameters, forms, samples)
    return Cost(storage, len(forms), len(frozen) - len(forms), before, after, inputs, changes, problem)


def cost_text(cost: Cost) -> str:
    """For people, a line for each thing."""
    return "\n".join(_lines(cost))


def _lines(cost: Cost) -> Iterator[str]:
    yield f"frozen parameters: {cost.bytes_before:,} bytes as float32, {cost.bytes_after:,} as stored"
    yield f"  {cost.stored} as {cost.storage}; {cost.left_float32} left as they are: one number for each channel, or beyond float16"
    for name, change in cost.changes.items():
        yield f"  {name!r} changes by {change:.2g} of its size, on {cost.inputs}"
    if cost.problem:
        yield f"  the change was not measured: {cost.problem}"
    elif not cost.inputs.endswith("samples"):
        yield "  real inputs tell more: --samples FILE.npz, one array for each input"


def _changes(
    graph: Graph, parameters: Sequence[Parameter], forms: Mapping[str, Stored], samples: Feeds | None
) -> tuple[dict[str, float], str]:
    users = _user_inputs(graph, parameters)
    names = _compared(graph, parameters, users)
    if not names:
        return {}, "no frozen prefix and no output beside the loss; name one in additional_output_names"
    bound = plan.bind(graph, names)
    needed = [value for value in users if value.name in bound.inputs]
    feeds = _random(needed) if samples is None else _chosen(needed, samples)
    try:
        old, new = (executor.run(bound, {**feeds, **_values(kind)}) for kind in (parameters, with_stored_values(parameters, forms)))
    except PagetrainError as error:
        if samples is not None:
            raise
        return {}, f"{error} Give --samples."
    return {name: _relative(old[name], new[name]) for name in names if old[name].size}, ""


def _user_inputs(graph: Graph, parameters: Sequence[Parameter]) -> list[ValueInfo]:
    held = {one.name for one in parameters}
    return [value for value in graph.inputs if value.name not in held]


def _compared(graph: Graph, parameters: Sequence[Parameter], users: Sequence[ValueInfo]) -> list[str]:
    """The end of the prefix as far as it is computed, and the float outputs behind the loss."""
    cut = find_cut(graph, [one.name for one in parameters if not one.trainable], [value.name for value in users[:1]])
    outputs = [value.name for value in graph.outputs[1:]]
    types, given = value_types(graph), {value.name for value in users}
    return [name for name in dict.fromkeys((*cut, *outputs)) if name not in given and types[name].element in FLOAT_TYPES]


def _values(parameters: Sequence[Parameter]) -> dict[str, np.ndarray]:
    return {one.name: one.tensor.data for one in parameters}


def _random(inputs: Sequence[ValueInfo]) -> dict[str, np.ndarray]:
    """Normal floats, whole numbers 0 and 1."""
    rng, made = np.random.default_rng(SEED), {}
    for value in inputs:
        assert isinstance(value.type, TensorType)
        first, *others = value.type.shape or (1,)
        shape = (first if isinstance(first, int) else RANDOM_INPUTS, *(size if isinstance(size, int) else OPEN_SIZE for size in others))
        is_float = value.type.element in FLOAT_TYPES
        made[value.name] = (rng.normal(size=shape) if is_float else rng.integers(0, 2, shape)).astype(NUMPY_DTYPES[value.type.element])
    return made


def _chosen(inputs: Sequence[ValueInfo], samples: Feeds) -> dict[str, np.ndarray]:
    missing = [value.name for value in inputs if value.name not in samples]
    if missing:
        raise InvalidInputError(f"The samples lack the inputs {', '.join(missing)}; they hold {', '.join(samples)}.")
    return {value.name: samples[value.name] for value in inputs}


def _relative(old: np.ndarray, new: np.ndarray) -> float:
    size = math.sqrt(float(np.square(old, dtype=np.float64).sum()))
    return math.sqrt(float(np.square(new.astype(np.float64) - old).sum())) / size if size else 0.0
