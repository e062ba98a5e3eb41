"""Graphs of a few ops that nobody would write: every kernel on constants that do not fit it, with attributes at their extremes."""

from __future__ import annotations

import warnings
from random import Random

import numpy as np

from pagetrain import executor, kernels, plan
from pagetrain.errors import PagetrainError
from pagetrain.graph import NUMPY_DTYPES, Attribute, AttributeType, Graph, Node, Tensor, ValueInfo

NUMBERS = (0, 1, -1, 2, 3, 7, 100, 4096, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63))
SHAPES = ((), (0,), (1,), (2,), (3,), (4,), (1, 1), (2, 3), (3, 2), (1, 3, 4), (2, 2, 3, 3), (1, 1000), (1000, 1), (1,) * 9)
DTYPES = sorted({dtype for dtype in NUMPY_DTYPES.values() if dtype.kind in "biuf"} | {np.dtype(object)}, key=str)


def read_graph(data: bytes) -> str:
    """Binds the graph that grows from the bytes, which are a seed."""
    try:
        bound = plan.bind(grown(Random(data)))
    except PagetrainError as error:
        return f"refused: {type(error).__name__}"
    return f"bound, {len(bound.steps)} steps left"


def run_graph(data: bytes) -> str:
    """Binds and runs it. May take much memory: only under limits."""
    try:
        bound = plan.bind(grown(Random(data)))
    except PagetrainError as error:
        return f"not bound: {type(error).__name__}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what numpy says of empty arrays
        executor.run(bound, {})
    return "run"


def grown(random: Random) -> Graph:
    """One to three nodes, each of constants and of what those before it make."""
    constants = [Tensor(f"c{index}", _array(random)) for index in range(6)]
    known = ["", *(tensor.name for tensor in constants)]
    nodes: list[Node] = []
    for index in range(random.choice((1, 1, 2, 3))):
        nodes.append(_node(random, index, known))
        known += nodes[-1].outputs
    outputs = tuple(ValueInfo(name, None) for node in nodes for name in node.outputs)
    return Graph("grown", tuple(nodes), (), outputs, tuple(constants))


def _node(random: Random, index: int, known: list[str]) -> Node:
    kernel = random.choice(list(kernels.all_kernels()))
    count = kernel.run.__code__.co_argcount if random.random() < 0.7 else random.choice((0, 1, 2, 3, 4, 9))
    inputs = tuple(random.choice(known[-4:] if random.random() < 0.3 else known) for _ in range(count))
    outputs = tuple(f"v{index}.{place}" for place in range(random.choice((1, 1, 2, 3))))
    names = [name for name in sorted(kernel.attributes) if random.random() < 0.3]
    attributes = {name: _attribute(random) for name in names}
    return Node(kernel.op_type, inputs, outputs, f"n{index}", kernel.domain, attributes, kernel.since)


def _attribute(random: Random) -> Attribute:
    kind = random.choice((AttributeType.FLOAT, AttributeType.INT, AttributeType.INT, AttributeType.STRING, AttributeType.INTS))
    match kind:
        case AttributeType.INT:
            return Attribute(kind, random.choice((*NUMBERS, *range(24))))
        case AttributeType.FLOAT:
            return Attribute(kind, random.choice((0.0, -1.0, 0.5, 1e38, float("nan"), float("inf"))))
        case AttributeType.STRING:
            return Attribute(kind, random.choice(("", "SAME_UPPER", "linear", "ij,jk->ik", "i,j,k->ijk", "nearest", "é")))
    return Attribute(kind, tuple(random.choice(NUMBERS) for _ in range(random.choice((0, 1, 2, 4, 5)))))


def _array(random: Random) -> np.ndarray:
    shape, dtype = random.choice(SHAPES), random.choice((np.dtype(np.float32), np.dtype(np.int64), *DTYPES))
    size = int(np.prod(shape))
    if dtype.hasobject:
        array = np.empty(size, object)
        array[:] = [random.choice(("", "a", "ab cd"))] * size
        return array.reshape(shape)
    if dtype.kind in "iu" and size < 10:
        limits = np.iinfo(dtype)
        return np.array([min(max(random.choice(NUMBERS), limits.min), limits.max) for _ in range(size)], dtype).reshape(shape)
    return (
        np.array([random.choice((0, 1, 2, 3)) for _ in range(min(size, 50))] * -(-size // 50), np.int64)[:size].astype(dtype).reshape(shape)
    )
