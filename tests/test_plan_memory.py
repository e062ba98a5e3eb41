"""estimate: what is held when, from shapes and last uses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pagetrain import executor
from pagetrain.errors import InvalidInputError
from pagetrain.graph import ElementType, Graph
from pagetrain.kernels import Spec
from pagetrain.plan import bind
from tests.graphs import graph, node, value
from tests.memory_measured import peak_of

pytestmark = pytest.mark.usefixtures("on_numpy")

N = 50_000  # elements: 200 KB as float32, beside which Python's own objects are nothing


def _chain(*ops: str, shape: tuple[int, ...] = (N,)) -> Graph:
    """x -> op -> op -> ..., every value of this shape."""
    names = ["x", *(f"v{index}" for index in range(len(ops)))]
    nodes = [node(op, source, target) for op, source, target in zip(ops, names[:-1], names[1:], strict=True)]
    return graph(nodes, [value("x", *shape)], names[-1:], value_info=[value(name, *shape) for name in names[1:]])


def test_a_value_counts_until_its_last_use() -> None:
    """Of a chain of three, two are there at a time; of two that are both needed at the end, all three."""
    plan = bind(_chain("Softsign", "Softsign", "Softsign"))
    assert plan.describe().peak == 2 * 4 * N
    ends = [node("Neg", "x", "a"), node("Abs", "a", "b"), node("SwiGLU", "a b", "y", since=28)]
    kept = bind(graph(ends, [value("x", N)], ["y"], value_info=[value(name, N) for name in "aby"]))
    assert kept.describe().peak == (3 + 1) * 4 * N  # one for SwiGLU's own work


def test_a_result_in_the_place_of_an_input_costs_nothing() -> None:
    """Of a chain of elementwise ops one value is there at a time; not where another value is still in that memory."""
    assert bind(_chain("Neg", "Abs", "Relu", "Sigmoid", "Tanh")).describe().peak == 4 * N
    nodes = [node("Neg", "x", "a"), node("Reshape", "a s", "r"), node("Abs", "a", "b"), node("Add", "b r", "y")]
    types = [value(name, N) for name in "arby"]
    assert bind(graph(nodes, [value("x", N)], ["y"], {"s": np.array([N])}, types)).describe().peak == 2 * 4 * N


def test_small_results_and_half_precision_have_memory_of_their_own() -> None:
    """As when they run: half precision is calculated on copies in float32, of the input and of the result."""
    assert bind(_chain("Neg", "Abs", "Neg", shape=(9,))).describe().peak == 2 * 4 * 9
    halves = [value(name, N, element=ElementType.FLOAT16) for name in "xay"]
    plan = bind(graph([node("Neg", "x", "a"), node("Abs", "a", "y")], halves[:1], ["y"], value_info=halves[1:]))
    assert plan.describe().peak == 2 * N + 2 * 4 * N
    measured = peak_of(lambda: executor.run(plan, {"x": np.ones(N, np.float16)}))
    assert abs(plan.describe().peak - measured) <= 0.2 * measured


def test_inputs_and_constants_are_somebody_elses() -> None:
    """The peak is what comes on top of them."""
    plan = bind(graph([node("Add", "x c", "y")], [value("x", N)], ["y"], {"c": np.zeros(N, np.float32)}, [value("y", N)]))
    description = plan.describe()
    assert (description.peak, description.constants) == (4 * N, 4 * N)


def test_views_cost_nothing_and_keep_what_they_show_alive() -> None:
    """The memory of `a` is needed as long as its transpose is."""
    nodes = [node("Neg", "x", "a"), node("Transpose", "a", "t"), node("Abs", "t", "b"), node("Add", "b t", "y")]
    types = [value("a", 2, N), *(value(name, N, 2) for name in "tby")]
    assert bind(graph(nodes, [value("x", 2, N)], ["y"], value_info=types)).describe().peak == 2 * 8 * N  # the sum goes where b was


@pytest.mark.parametrize("middle, copies", [("Neg", 0), ("Transpose", 1)])
def test_reshape_copies_only_what_lies_in_another_order(middle: str, copies: int) -> None:
    """A transposed matrix must be written anew; measured, too."""
    nodes = [node("Neg", "x", "a"), node(middle, "a", "b"), node("Reshape", "b s", "y")]
    types = [value("a", 200, 250), value("b", *((250, 200) if copies else (200, 250))), value("y", N)]
    plan = bind(graph(nodes, [value("x", 200, 250)], ["y"], {"s": np.array([N])}, types))
    expected = plan.describe().peak
    assert expected == 4 * N * (1 + copies)
    X = np.zeros((200, 250), np.float32)
    measured = peak_of(lambda: executor.run(plan, {"x": X}))
    assert measured == pytest.approx(expected, rel=0.05)  # some KB of Python objects


@pytest.mark.parametrize("group, stride, size", [(1, 1, 3), (1, 2, 3), (1, 2, 1), (2, 1, 3), (8, 1, 3), (1, 1, 1)])
def test_the_windows_of_a_convolution_count(group: int, stride: int, size: int) -> None:
    """Padded copy and columns; none of them for a window of one pixel. As measured."""
    pads, side = (size // 2,) * 4, 96 // stride
    conv = node("Conv", "x w", "y", group=group, pads=pads, strides=(stride, stride))
    X, W = np.zeros((4, 8, 96, 96), np.float32), np.zeros((8, 8 // group, size, size), np.float32)
    inputs = [value("x", *X.shape), value("w", *W.shape)]
    plan = bind(graph([conv], inputs, ["y"], value_info=[value("y", 4, 8, side, side)]))
    # numpy buffers 8192 elements of each operand: up to 100 KB, where there are 1200 KB at least
    assert plan.describe().peak == pytest.approx(peak_of(lambda: executor.run(plan, {"x": X, "w": W})), rel=0.1)


def test_what_a_step_needs_for_its_work_is_told() -> None:
    """Softplus holds one array more than its result."""
    memory = bind(_chain("Softplus")).describe().memory
    assert (memory.workspace, dict(memory.held)) == (4 * N, {"v0": 4 * N})


def test_symbols_take_their_sizes() -> None:
    """From `sizes`."""
    assert bind(_chain("Neg", shape=("rows", 10))).describe({"rows": 7}).peak == 7 * 10 * 4


def test_what_nothing_tells_is_guessed_and_told() -> None:
    """As large as the largest input; the text says which values, and which sizes would help."""
    nodes = [node("NonZero", "x", "found"), node("CumSum", "found axis", "y", since=14)]
    places = value("found", 1, "places", element=ElementType.INT64)
    made = graph(nodes, [value("x", N)], ["y"], {"axis": np.array(1)}, [places])
    description = bind(made).describe()
    assert description.memory.guessed == ("found",)
    assert description.open_sizes == ("places",)
    assert description.peak == 2 * 4 * N
    assert "guessed    the sizes of 1 values that hang on what is in others, found; tell the sizes of places" in str(description)
    assert "peak       a guess: " in str(description)
    assert bind(made).describe({"places": 5}).peak == 2 * 8 * 5


def test_open_sizes_of_inputs_are_asked_for() -> None:
    """No number is told that is not one of the sizes that will come; given the sizes, or the shape, it is."""
    nodes = [node("Neg", "x", "a"), node("Abs", "a", "y")]
    plan = bind(graph(nodes, [value("x", 1, "height", "width", None)], ["y"]))
    told = r"'x' is float32 \(1, height, width, \?\); give the sizes of height, width, or the shapes of these inputs"
    for sizes in ({}, {"height": 3}):
        with pytest.raises(InvalidInputError, match=told if not sizes else "give the sizes of width, or"):
            plan.describe(sizes)
    assert plan.describe(given={"x": Spec((1, 30, 40, 2), 4)}).peak == 2 * 4 * 30 * 40 * 2


def test_shapes_that_hang_on_shapes_are_followed() -> None:
    """Nothing but the input has a declared type: the shape is computed as the step will compute it."""
    nodes = [
        node("Shape", "x", "s", since=15),
        node("Gather", "s zero", "n"),
        node("Concat", "n ten", "target", axis=0),
        node("Expand", "c target", "wide"),
        node("Neg", "wide", "y"),
    ]
    constants = {"zero": np.array([0]), "ten": np.array([10]), "c": np.ones((1, 1), np.float32)}
    memory = bind(graph(nodes, [value("x", "rows", 3)], ["y"], constants)).describe({"rows": 700}).memory
    assert memory.specs["y"].shape == (700, 10)
    assert memory.guessed == ()


def test_the_shape_of_something_large_is_small() -> None:
    """It is computed whatever the size of what it is of."""
    nodes = [node("Shape", "x", "s", since=15), node("Expand", "one s", "wide"), node("Neg", "wide", "y")]
    constants = {"one": np.ones((1, 1), np.float32)}
    memory = bind(graph(nodes, [value("x", "rows", 3)], ["y"], constants)).describe({"rows": 10**7}).memory
    assert memory.specs["y"].shape == (10**7, 3)


def test_sizes_beyond_all_memory_are_told() -> None:
    """More elements than an index can count; with Shape, which needs none of them."""
    nodes = [node("Shape", "x", "s", since=15), node("Neg", "x", "y")]
    plan = bind(graph(nodes, [value("x", "rows", 10**9)], ["y", "s"]))
    assert plan.describe({"rows": 10**12}).peak >= 4 * 10**21


def test_describing_takes_no_memory() -> None:
    """A shape that a file asks for is told, not made."""
    nodes = [node("Shape", "x", "s", since=15), node("Mul", "s s", "many"), node("ConstantOfShape", "many", "y", since=9)]
    plan = bind(graph(nodes, [value("x", "rows")], ["y"]))
    peak = peak_of(lambda: plan.describe({"rows": 10_000}))
    assert peak < 100_000
    assert plan.describe({"rows": 10_000}).peak >= 4 * 10**8


def test_a_gradient_is_as_large_as_what_it_is_of() -> None:
    """Where the graph does not say, as in ONNX Runtime's files."""
    plan = bind(graph([node("ReduceSum", "x axes", "w_grad")], [value("x", 9, N), value("w", N)], ["w_grad"], {"axes": np.array([0])}))
    assert plan.describe().memory.guessed == ()
    assert plan.describe().peak == 4 * N


def test_what_is_mutated_takes_no_memory() -> None:
    """A gradient buffer is added to where it lies."""
    accumulate = node("InPlaceAccumulatorV2", "b x", "_ out", since=1, domain="com.microsoft")
    plan = bind(graph([accumulate], [value("b", N), value("x", N)], ["out"], value_info=[value("out", N)]))
    assert plan.describe().peak == 0


@pytest.mark.parametrize("branches", [("Softplus", "Neg"), ("Neg", "Softplus")])
def test_a_branch_counts_while_it_runs(branches: tuple[str, str]) -> None:
    """One of the two, the one that needs more; what it makes is the result of the step. As measured."""
    bodies = [replace(_chain("Neg", op), inputs=()) for op in branches]
    conditional = node("If", "c", "y", since=16, then_branch=bodies[0], else_branch=bodies[1])
    plan = bind(graph([conditional], [value("x", N), value("c", element=ElementType.BOOL)], ["y"], value_info=[value("y", N)]))
    feeds = {"x": np.ones(N, np.float32)}
    measured = max(peak_of(lambda which=which: executor.run(plan, {**feeds, "c": np.array(which)})) for which in (True, False))
    assert plan.describe().peak == 2 * 4 * N
    assert measured == pytest.approx(2 * 4 * N, rel=0.05)  # some KB of Python objects


@pytest.mark.parametrize(
    "op, inputs, shape",
    [
        ("HardSwish", "x", (N,)),
        ("Softsign", "x", (N,)),
        ("ConvTranspose", "x w", (4, 8, 40, 40)),
        *((f"Reduce{name}", "x", (N,)) for name in ("Sum", "Max", "L1", "L2", "SumSquare", "LogSumExp")),
    ],
)
def test_the_peak_is_as_measured(op: str, inputs: str, shape: tuple[int, ...]) -> None:
    """Of ops whose results or whose work the graph does not tell."""
    attributes = {"strides": (2, 2)} if op == "ConvTranspose" else {}
    X, W = np.ones(shape, np.float32), np.ones((8, 8, 2, 2), np.float32)
    plan = bind(graph([node(op, inputs, "y", since=28, **attributes)], [value("x", *shape)], ["y"], {"w": W}))
    description = plan.describe()
    assert not description.memory.guessed
    # numpy buffers 8192 elements of each operand: up to 100 KB
    assert description.peak == pytest.approx(peak_of(lambda: executor.run(plan, {"x": X})), rel=0.1, abs=10_000)
