"""What the side module packs of constant filters is memory that describe() tells, as it is measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from pagetrain import backend
from pagetrain.graph import Graph
from pagetrain.plan import bind
from pagetrain_accelerator.library import Library
from pagetrain_accelerator.ops import offers
from tests.graphs import graph, node, value
from tests.memory_measured import kept_by

OBJECTS = 30_000  # bytes of Python's own; what is packed has 0.5 MB and more


@pytest.fixture(autouse=True)
def on_side_module(library: Library) -> Iterator[None]:
    """Plans are bound to it."""
    before = backend.name()
    backend.register("test", offers(library))
    backend.use("test")
    yield
    backend.use(before)
    backend._OFFERS.pop("test")


def reading(op_type: str, w: np.ndarray, **attributes: int) -> Graph:
    return graph([node(op_type, "x w", "y", **attributes)], [value("x")], ["y"], {"w": w})


@pytest.mark.parametrize(
    "made",
    [
        reading("Conv", np.ones((256, 64, 3, 3), np.float32)),
        reading("Conv", np.ones((513, 256, 1, 1), np.float32)),
        reading("Conv", np.ones((16_384, 1, 3, 3), np.float32), group=16_384),
        reading("Gemm", np.ones((500, 513), np.float32), transB=1),
        reading("MatMul", np.ones((500, 513), np.float32)),
    ],
    ids=["a window", "one pixel", "one filter for each channel", "Gemm", "MatMul"],
)
def test_packed_filters(made: Graph) -> None:
    """Beside the initializer, which the graph holds anyway."""
    plan, measured = kept_by(lambda: bind(made))
    held = plan.describe().constants - made.initializers[0].data.nbytes
    assert held > 500_000
    assert abs(held - measured) < OBJECTS
