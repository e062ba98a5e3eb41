"""pagetrain.spare_memory: results are written over inputs that nobody else holds, and over no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pagetrain import executor, spare_memory
from pagetrain.graph import ElementType, Graph, Node
from pagetrain.plan import Plan, Step, bind
from tests.graphs import graph, node, value
from tests.memory_measured import peak_of

pytestmark = pytest.mark.usefixtures("on_numpy")
N = 50_000  # elements: 200 KB as float32, beside which Python's own objects are nothing


@pytest.fixture
def however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests whose arrays are small."""
    monkeypatch.setattr(spare_memory, "SMALLEST", 0)


def without(plan: Plan) -> Plan:
    """The plan whose results all have memory of their own."""
    return replace(plan, steps=tuple(_alone(step) for step in plan.steps))


def _alone(step: Step) -> Step:
    return replace(step, spare=(), bodies={name: replace(body, plan=without(body.plan)) for name, body in step.bodies.items()})


EXP = node("Exp", "x", "a")
TO_BOOL_AND_BACK = [EXP, node("Greater", "a c", "b", 9), node("Cast", "b", "d", to=1), node("Neg", "d", "y")]
CHAINS = {
    "Relu and Add": ([EXP, node("Relu", "a", "b"), node("Add", "b c", "d"), node("Sigmoid", "d", "y")], 1, 2),
    "a value that is needed twice": ([EXP, node("Relu", "a", "b"), node("Mul", "a b", "y")], 2, 3),
    "a view that is read later": ([EXP, node("Reshape", "a s", "r"), node("Neg", "a", "b"), node("Add", "b r", "y")], 2, 3),
    "a view that is all there is": ([EXP, node("Reshape", "a s", "r"), node("Neg", "r", "y")], 1, 2),
    "a fetch": ([node("Exp", "x", "z"), node("Neg", "z", "a"), node("Abs", "a", "y")], 2, 3),
    "a feed": ([node("Neg", "x", "y")], 1, 1),
    "an initializer": ([node("Neg", "x", "a"), node("Add", "c a", "y")], 1, 2),
    "one value as two inputs": ([EXP, node("Add", "a a", "y")], 2, 2),
    "a broadcast operand": ([node("ReduceSum", "x", "a", keepdims=1), node("Add", "a c", "y")], 1, 1),
    "another type": (TO_BOOL_AND_BACK, 1.25, 2),
    "gradients": ([EXP, node("Neg", "x", "g"), node("ReluGrad", "g a", "y", 1, "com.microsoft")], 2.25, 3.25),
}


@pytest.mark.parametrize("nodes, arrays, fresh", CHAINS.values(), ids=CHAINS)
def test_memory_is_saved_as_told(nodes: list[Node], arrays: float, fresh: float) -> None:
    """So many arrays at once instead of so many, as measured; nothing that others hold is written."""
    x, c = (np.random.default_rng(seed).standard_normal(N).astype(np.float32) for seed in (0, 1))
    types = [value(name, N) for one in nodes for name in one.outputs if one.op_type not in ("Greater", "ReduceSum")]
    fetches = [name for one in nodes for name in one.outputs if name in "yz"]
    types += [value("b", N, element=ElementType.BOOL)] if any(one.op_type == "Greater" for one in nodes) else []
    plan = bind(graph(nodes, [value("x", N)], fetches, {"c": c.copy(), "s": np.array([N])}, types))
    x.flags.writeable = False
    results, expected = executor.run(plan, {"x": x}), executor.run(without(plan), {"x": x})
    for name in fetches:
        np.testing.assert_array_equal(results[name], expected[name])
    if "c" in plan.initializers:
        np.testing.assert_array_equal(plan.initializers["c"], c)
    for each, told in ((plan, arrays), (without(plan), fresh)):
        # some KB of Python objects, and numpy's buffers of 8192 elements where it converts bools
        assert peak_of(lambda each=each: executor.run(each, {"x": x})) == pytest.approx(told * 4 * N, rel=0.05, abs=40_000)
        assert each.describe().peak == pytest.approx(told * 4 * N, rel=0.05, abs=1000)


ELEMENTWISE = ("Relu", "Neg", "Abs", "Sigmoid", "Tanh", "Softplus", "Sign", "Floor", "HardSigmoid")
PAIRS = ("Add", "Mul", "Sub", "Max", "Min")


def _random_graph(seed: int) -> Graph:
    """Elementwise ops among all that makes two values share memory: views, parts, ops that hand their input on, and branches that do."""
    draw = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {"x": (4, 6), "row": (6,), "c": (4, 6), "one": (1,)}
    nodes: list[Node] = []

    def pick(*fitting: tuple[int, ...]) -> str:
        names = [name for name, shape in shapes.items() if not fitting or shape in fitting]
        return str(names[min(len(names) - 1, len(names) - 1 - int(draw.exponential(2)) % len(names))])

    for index in range(24):
        made, kind = f"v{index}", draw.integers(10)
        source = pick()
        shape = shapes[source]
        if kind < 3:
            nodes.append(node(str(draw.choice(ELEMENTWISE)), source, made))
        elif kind < 6:
            other = pick(shape, *[(6,)] * (shape[-1] == 6), (1,))
            pair = [source, other] if draw.integers(2) else [other, source]
            nodes.append(node(str(draw.choice(PAIRS)), " ".join(pair), made))
        elif kind == 6:
            nodes.append(node("Transpose", source, made))
            shape = shape[::-1]
        elif kind == 7:
            target = {(4, 6): "wide", (6, 4): "wide", (24,): "tall"}.get(shape)
            nodes.append(node("Reshape", f"{source} {target}", made, since=14) if target else node("Identity", source, made))
            shape = {"wide": (24,), "tall": (4, 6)}.get(target or "", shape)
        elif kind == 8:
            nodes.append(node("Dropout", source, made, since=10))
        else:
            kept, other = (graph([node(op, source, "inner")], [], ["inner"]) for op in ("Identity", "Neg"))
            nodes.append(node("If", "which", made, since=16, then_branch=kept, else_branch=other))
        shapes[made] = shape
    fetches = list(dict.fromkeys([f"v{draw.integers(24)}" for _ in range(3)] + ["v23"]))
    constants = {"c": draw.standard_normal((4, 6)), "one": np.ones(1), "wide": np.array([24]), "tall": np.array([4, 6])}
    return graph(nodes, [value("x", 4, 6), value("row", 6), value("which", element=ElementType.BOOL)], fetches, constants)


@pytest.mark.parametrize("seed", range(150))
def test_random_graphs_give_the_same_bits(seed: int, however_small: None) -> None:
    """With and without, several times; feeds and initializers stay as they are."""
    plan, draw = bind(_random_graph(seed)), np.random.default_rng(seed + 1000)
    feeds = {"x": draw.standard_normal((4, 6)), "row": draw.standard_normal(6), "which": np.array(bool(draw.integers(2)))}
    feeds = {name: feeds[name] for name in plan.inputs}
    held = {name: array.copy() for name, array in {**feeds, **plan.initializers}.items()}
    expected = executor.run(without(plan), feeds)
    for _ in range(2):
        for name, result in executor.run(plan, feeds).items():
            assert result.tobytes() == expected[name].tobytes()
            assert result.strides == expected[name].strides
    for name, array in {**feeds, **plan.initializers}.items():
        np.testing.assert_array_equal(array, held[name])


def test_random_graphs_do_write_over_inputs(however_small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the test above would show nothing: in many steps of them; and where it is not done, often because others hold the value."""
    found: list[int] = []

    def counted(*given: object) -> list[int]:
        result = spare_memory.unshared(*given)  # type: ignore[arg-type]
        found.append(len(result))
        return result

    monkeypatch.setattr(executor, "unshared", counted)
    for seed in range(20):
        plan = bind(_random_graph(seed))
        executor.run(plan, {"x": np.ones((4, 6)), "row": np.ones(6), "which": np.array(True)})
    assert sum(found) > 20
    assert found.count(0) > 5


WHOLE = {"an array": lambda: np.ones((4, 3)), "turned": lambda: np.ones((3, 4)).T, "reshaped": lambda: np.ones(12).reshape(4, 3)}
OTHERS = {
    "one row seen many times": lambda: np.broadcast_to(np.ones(3), (4, 3)),
    "the same, writeable": lambda: np.lib.stride_tricks.as_strided(np.ones(12), (4, 3), (0, 8)),
    "backwards": lambda: np.ones((4, 3))[::-1],
    "a part": lambda: np.ones((8, 3))[:4],
    "memory that is not numpy's": lambda: np.frombuffer(bytearray(96)).reshape(4, 3),
    "a number": lambda: np.float64(1),
    "a sequence": lambda: [np.ones((4, 3))],
    "half precision": lambda: np.ones((4, 3), np.float16),
}  # fmt: skip


@pytest.mark.parametrize("make, is_spare", [*((make, True) for make in WHOLE.values()), *((make, False) for make in OTHERS.values())])
def test_only_whole_arrays_are_written_over(make: Callable[[], Any], is_spare: bool, however_small: None) -> None:
    """And only where nothing but the pass refers to them, or to the array that they are a view of; and if they are writeable."""
    values = {"a": make()}
    inputs = [values["a"]]
    assert spare_memory.unshared(values, inputs, ((0, "a"),)) == [0] * is_spare
    held = values["a"]
    assert spare_memory.unshared(values, inputs, ((0, "a"),)) == []
    del held
    if is_spare:
        view = values["a"][:]
        assert spare_memory.unshared(values, inputs, ((0, "a"),)) == []
        del view
        assert spare_memory.unshared(values, inputs, ((0, "a"),)) == [0]
        values["a"].flags.writeable = False
        assert spare_memory.unshared(values, inputs, ((0, "a"),)) == []


def test_small_arrays_are_left_alone() -> None:
    """There is no memory to speak of."""
    values = {"a": np.ones(3)}
    assert spare_memory.unshared(values, [values["a"]], ((0, "a"),)) == []
