"""pagetrain.backend and kernels.runner_of: what runs a step is chosen once, when the plan is bound, and told what stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from pagetrain import backend, executor, kernels
from pagetrain.errors import InvalidInputError
from pagetrain.plan import bind
from tests.graphs import graph, node, value

X, W = np.float32([[1, 2]]), np.float32([[3], [5]])
PRODUCT = graph([node("MatMul", "x w", "y")], [value("x", 1, 2)], ["y"], {"w": W})


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """The backend is one for the process."""
    before = backend.name()
    yield
    backend.use(before)
    backend._OFFERS.pop("test", None)


def chosen(offer: Any, op_type: str = "MatMul", domain: str = "") -> None:
    backend.register("test", {(domain, op_type): offer})
    backend.use("test")


def y_of(made: Any, **feeds: np.ndarray) -> np.ndarray:
    return np.asarray(executor.run(bind(made), feeds)["y"])


def test_numpy_is_always_there() -> None:
    """And is the one that is used where nobody chose; others are refused by name."""
    assert backend.names()[0] == "numpy"
    with pytest.raises(InvalidInputError, match="no backend 'cuda' here; there are: numpy"):
        backend.use("cuda")


def test_an_offer_is_asked_once_and_knows_the_constants() -> None:
    """Positions of initializers, the attributes as they will be handed in; its runner is called at each pass."""
    asked: list[tuple[str, dict[int, list[Any]], dict[str, Any]]] = []

    def offer(kernel: kernels.Kernel, constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> backend.Runner:
        asked.append((kernel.op_type, {position: array.tolist() for position, array in constants.items()}, dict(attributes)))
        turned = constants[1].T.copy()
        return lambda A, B, C=None, **_: (A @ turned + 100,)

    chosen(offer, "Gemm")
    made = graph([node("Gemm", "x w", "y", beta=0.5)], [value("x", 1, 2)], ["y"], {"w": W.T})
    plan = bind(made)
    assert [executor.run(plan, {"x": X * factor})["y"].tolist() for factor in (1, 2)] == [[[113.0]], [[126.0]]]
    assert asked == [("Gemm", {1: W.T.tolist()}, {"beta": 0.5})]


def test_what_it_does_not_take_is_run_by_numpy() -> None:
    """None means no."""
    chosen(lambda *_: None)
    assert y_of(PRODUCT, x=X).tolist() == [[13]]


def test_what_it_cannot_prepare_is_run_by_numpy() -> None:
    """As where the memory for it is not there: the step may never be needed."""

    def offer(*_: Any) -> backend.Runner:
        raise MemoryError

    chosen(offer)
    assert y_of(PRODUCT, x=X).tolist() == [[13]]


def test_plans_keep_what_they_were_bound_to() -> None:
    """In both directions."""
    before = bind(PRODUCT)
    chosen(lambda *_: lambda A, B: (A @ B + 1,))
    after = bind(PRODUCT)
    backend.use("numpy")
    assert [executor.run(plan, {"x": X})["y"].item() for plan in (before, after)] == [13, 14]


def test_what_a_step_writes_is_no_constant() -> None:
    """An initializer of the graph that a step adds to has other values in the next pass."""
    asked: list[list[int]] = []
    chosen(lambda kernel, constants, _: asked.append(sorted(constants)), "InPlaceAccumulatorV2", "com.microsoft")
    nodes = [node("InPlaceAccumulatorV2", "buffer x", "done y", domain="com.microsoft", since=1)]
    assert y_of(graph(nodes, [value("x", 1, 2)], ["y"], {"buffer": np.float32([[1, 1]])}), x=X).tolist() == [[2, 3]]
    assert asked == [[]]


def test_half_precision_reaches_it_as_float32() -> None:
    """Constants when it is asked, values when it runs; the result is rounded once, as everywhere."""
    types = []

    def offer(_: kernels.Kernel, constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> backend.Runner:
        types.append(constants[1].dtype)

        def run(A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray]:
            types.extend((A.dtype, B.dtype))
            return (A @ constants[1],)

        return run

    chosen(offer)
    made = graph([node("MatMul", "x w", "y")], [value("x", 1, 2)], ["y"], {"w": W.astype(np.float16)})
    assert y_of(made, x=X.astype(np.float16)).dtype == np.float16
    assert types == [np.float32] * 3


def test_what_is_computed_once_is_computed_by_numpy() -> None:
    """Constants are the same whatever runs the rest."""
    chosen(lambda *_: pytest.fail("asked for a step that does not run"))
    made = graph([node("MatMul", "x w", "z"), node("Neg", "v", "y")], [value("v", 1)], ["y", "z"], {"x": X, "w": W})
    assert executor.run(bind(made), {"v": np.float32([2])})["z"].tolist() == [[13]]


def test_a_kernel_may_prepare_constants_itself() -> None:
    """Asked after the backend; float32 again."""
    kernel = kernels.Kernel("", "Neg", 1, lambda X: (-X,), frozenset(), prepare=_doubled)
    half = np.float16([1.5])
    assert kernels.runner_of(kernel, {0: half}, {})(half)[0].tolist() == [3]
    assert kernels.runner_of(kernel, {}, {})(half)[0].tolist() == [-1.5]


def _doubled(constants: Mapping[int, Any], attributes: Mapping[str, Any]) -> Any:
    if 0 not in constants:
        return None
    assert constants[0].dtype == np.float32
    return lambda X: (constants[0] * 2,)


def test_a_runner_may_tell_its_own_memory() -> None:
    """The estimate goes by what will run; other runners are taken to need what the kernel does."""

    def offer(*_: Any) -> backend.Runner:
        def run(X: np.ndarray) -> tuple[np.ndarray]:
            return (-X,)

        run.__dict__["workspace"] = 3
        return run

    made = graph([node("Softplus", "x", "y")], [value("x", 5)], ["y"], value_info=[value("y", 5)])
    assert bind(made).describe().memory.workspace == 20
    chosen(offer, "Softplus")
    assert bind(made).describe().memory.workspace == 60
    chosen(lambda *_: lambda X: (-X,), "Softplus")
    assert bind(made).describe().memory.workspace == 20
