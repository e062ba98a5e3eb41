"""Ops without windows on arrays and settings that do not fit them: the side module never leaves its arrays.

What it does not take is left to numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from pagetrain_accelerator import elementwise, linear
from pagetrain_accelerator.library import Library
from tests.accelerator.outcome import Refused, in_both
from tests.accelerator.running import MS
from tests.cases.case import floats
from tests.graphs import graph, node, value

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

LAYOUTS = ("C", "F", "channels last", "backwards", "gaps", "one number", "one number for all pixels")
NUMBERS = (0.0, 1.0, -1.0, 6.0, 3e38, -3e38, inf, -inf, nan)  # an attribute of a file is a float32
TOLERANCE = 1e-5  # sums of at most 30 products of numbers below 4, in float32


@pytest.fixture(autouse=True)
def everything_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays go to the side module, too."""
    monkeypatch.setattr(linear, "_ENOUGH", 0)
    monkeypatch.setattr(elementwise, "_ENOUGH", 0)


def laid(array: np.ndarray, layout: str) -> np.ndarray:
    """The array, or one of its shape, as it lies in memory that is no plain one; the values are the same twice."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "channels last" and array.ndim > 2:
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)
    if layout == "backwards" and array.ndim:
        return array[::-1]
    if layout == "gaps" and array.ndim:
        return np.repeat(array, 2, -1)[..., ::2]
    if layout == "one number":
        return np.broadcast_to(np.float32(0.5), array.shape)
    if layout == "one number for all pixels" and array.ndim == 4 and array.size:
        return np.broadcast_to(array[:, :, :1, :1], array.shape)
    return array


@st.composite
def arrays(draw: Any, *shapes: Sequence[int], others: bool = True) -> np.ndarray:
    """Mostly of one of these shapes and of float32."""
    other = st.lists(st.integers(0, 3), max_size=5) if others else st.nothing()
    shape = draw(st.one_of(st.sampled_from(shapes), st.sampled_from(shapes), other))
    dtype = draw(st.sampled_from((np.float32, np.float32, np.float32, np.float64, np.float16)))
    values = floats(*shape, seed=draw(st.integers(0, 2))).astype(dtype)
    return laid(values, draw(st.sampled_from(LAYOUTS)))


PICTURES = ((2, 3, 2, 5), (1, 8, 1, 4), (2, 0, 3, 3), (0, 3, 2, 2), (1, 4, 0, 2))


def agree(library: Library, made: Any, feeds: dict[str, Any], tolerance: float = 0) -> None:
    """Both ways make the same, or both refuse."""
    result, twin = in_both(library, made, feeds)
    assert isinstance(result, Refused) == isinstance(twin, Refused), (result, twin)
    if not isinstance(result, Refused) and not isinstance(twin, Refused):
        for got, wanted in zip(result, twin, strict=True):
            np.testing.assert_allclose(got, wanted, tolerance, tolerance)
            assert np.asarray(got).dtype == np.asarray(wanted).dtype


@hypothesis.given(op=st.sampled_from((("Add", ""), ("ReluGrad", MS))), first=arrays(*PICTURES), second=arrays(*PICTURES))
@hypothesis.settings(max_examples=80)
def test_two_arrays(library: Library, op: tuple[str, str], first: np.ndarray, second: np.ndarray) -> None:
    """Of one shape or not."""
    made = graph([node(op[0], "a b", "y", domain=op[1], since=1 if op[1] else 14)], [value("a"), value("b")], ["y"])
    agree(library, made, {"a": first, "b": second})


def bound(x: np.ndarray, of: float) -> np.ndarray:
    """Of the type of x."""
    with np.errstate(over="ignore"):
        return np.asarray(of, x.dtype)


@hypothesis.given(x=arrays(*PICTURES), low=st.sampled_from(NUMBERS), high=st.sampled_from(NUMBERS), how=st.sampled_from((6, 13, "Relu")))
@hypothesis.settings(max_examples=80)
def test_clip(library: Library, x: np.ndarray, low: float, high: float, how: Any) -> None:
    """Bounds that are no numbers, or beyond float32; as attributes and as inputs."""
    inputs = [value("x"), value("low"), value("high")]
    if how == "Relu":
        clip = node("Relu", "x", "y")
    elif how == 6:
        clip = node("Clip", "x", "y", since=6, min=low, max=high)
    else:
        clip = node("Clip", "x low high", "y")
    agree(library, graph([clip], inputs, ["y"]), {"x": x, "low": bound(x, low), "high": bound(x, high)})


@hypothesis.given(dy=arrays(*PICTURES), x=arrays(*PICTURES), low=st.sampled_from(NUMBERS), high=st.sampled_from(NUMBERS))
@hypothesis.settings(max_examples=80)
def test_gradient_of_clip(library: Library, dy: np.ndarray, x: np.ndarray, low: float, high: float) -> None:
    """As training graphs hold it."""
    nodes = [
        node("GreaterOrEqual", "x low", "above", since=16),
        node("LessOrEqual", "x high", "below", since=16),
        node("And", "above below", "inside", since=7),
        node("Cast", "inside", "mask", to=1),
        node("Mul", "dy mask", "dx", since=14),
    ]
    bounds = {"low": np.float32(low), "high": np.float32(high)}
    agree(library, graph(nodes, [value("dy"), value("x")], ["dx"], bounds), {"dy": dy, "x": x})


@hypothesis.given(
    a=arrays((5, 6), (6, 5), (1, 6), (0, 6)),
    b=arrays((6, 9), (9, 6), (6, 0), (6, 1)),
    c=st.one_of(st.none(), arrays((9,), (5, 9), (1, 9), (5, 1), (1,), ())),
    turns=st.tuples(*[st.sampled_from((0, 0, 1, 2, -1, 1 << 62))] * 2),
    factors=st.tuples(*[st.sampled_from((1.0, 1.0, 0.0, 0.5, nan))] * 2),
    constant=st.booleans(),
)
@hypothesis.settings(max_examples=80)
def test_gemm(library: Library, a: Any, b: Any, c: Any, turns: tuple[int, int], factors: tuple[float, float], constant: bool) -> None:
    """Any number but 0 turns an operand."""
    settings = {"transA": turns[0], "transB": turns[1], "alpha": factors[0], "beta": factors[1]}
    gemm = node("Gemm", "a b" if c is None else "a b c", "y", **settings)
    inputs = [value(name) for name in (("a", "c") if constant else ("a", "b", "c"))]
    feeds = {"a": a, "b": b, **({} if c is None else {"c": c})}
    agree(library, graph([gemm], inputs, ["y"], {"b": b} if constant else {}), feeds, TOLERANCE)


@hypothesis.given(
    a=arrays((5, 6), (2, 5, 6), (6,), (0, 6), (3, 0)), b=arrays((6, 9), (6,), (2, 6, 9), (0, 4), (6, 0)), constant=st.booleans()
)
@hypothesis.settings(max_examples=80)
def test_matmul(library: Library, a: np.ndarray, b: np.ndarray, constant: bool) -> None:
    """Of any number of axes."""
    inputs = [value("a")] if constant else [value("a"), value("b")]
    agree(library, graph([node("MatMul", "a b", "y")], inputs, ["y"], {"b": b} if constant else {}), {"a": a, "b": b}, TOLERANCE)


@hypothesis.given(x=arrays(*PICTURES, (2, 3, 4), (2, 3)))
@hypothesis.settings(max_examples=80)
def test_global_average(library: Library, x: np.ndarray) -> None:
    """Of no pixels, too."""
    agree(
        library,
        graph([node("GlobalAveragePool", "x", "y", since=1)], [value("x")], ["y"]),
        {"x": x},
        1e-3 if x.dtype == np.float16 else TOLERANCE,
    )


@hypothesis.given(
    tensors=st.tuples(*[arrays((3, 4), (5,), ())] * 4),
    step=st.sampled_from((1, 2, 0, -1, (1 << 63) - 1)),
    settings=st.fixed_dictionaries(
        {}, optional={name: st.sampled_from((0.0, 0.9, 1.0, -1.0, 2.0, nan, inf)) for name in ("alpha", "beta", "epsilon", "weight_decay")}
    ),
    mode=st.sampled_from((0, 1, 5, -1)),
)
@hypothesis.settings(max_examples=80)
def test_adamw(library: Library, tensors: Any, step: int, settings: dict[str, float], mode: int) -> None:
    """Of different shapes and layouts, with settings that no optimizer has."""
    names = ("weights", "gradients", "m", "v")
    update = node("AdamWOptimizer", f"lr step {' '.join(names)}", "_ w2 m2 v2", since=1, domain=MS, adam_mode=mode, **settings)
    feeds = {"lr": np.float32([0.1]), "step": np.int64([step]), **{name: [tensor] for name, tensor in zip(names, tensors, strict=True)}}
    result, twin = in_both(library, graph([update], [value(name) for name in feeds], ["w2", "m2", "v2"]), feeds)
    if isinstance(result, Refused) or isinstance(twin, Refused):
        return  # Python refuses to divide by 0 where numpy makes infinities of it
    for got, wanted in zip(result, twin, strict=True):
        np.testing.assert_array_equal(got[0], wanted[0])
