"""Convolutions whose sizes, strides, dilations and pads are no honest ones: the side module never leaves its arrays.

What it computes is right; what it declines ends in numpy's result or in an error of our own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pagetrain_accelerator.library import Library
from tests.accelerator.outcome import Refused, in_both
from tests.accelerator.running import MS
from tests.accelerator.window_by_window import Windows, conv, conv_grad
from tests.cases.case import floats
from tests.graphs import graph, node, value

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

# At the ends of 31, 32, 33 and 63 bits. None in between: numpy would really allocate that many pads.
HOSTILE = (-(1 << 63), -(1 << 31), -1, 1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) + 1, (1 << 63) - 1)
TOLERANCE = 1e-5  # sums of at most 45 products of numbers below 4, in float32


def numbers(*usual: int) -> Any:
    """Mostly usual ones."""
    return st.one_of(st.sampled_from(usual), st.sampled_from(usual), st.sampled_from(usual), st.sampled_from(HOSTILE))


@st.composite
def problems(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]:
    """Shapes of X and W, mostly such that fit, and attributes."""
    sizes = [draw(st.integers(0, 6)) for _ in range(2)]
    batch, channels, filters = (draw(st.sampled_from(of)) for of in ((1, 2, 0), (5, 1, 3, 4, 0), (1, 2, 8, 0)))
    group = draw(st.sampled_from((1, 1, channels, channels, 2, 0, -1, 1 << 31)))
    w_shape = (channels, 1) if group == channels else (filters, channels // 2 if group == 2 else channels)
    kernel = draw(st.sampled_from(((1, 1), (3, 3), (1, 3), (5, 2), (2, 1), (0, 1), (3, 0))))
    attributes: dict[str, Any] = {} if group == 1 else {"group": group}
    for name, usual, count in (("strides", (1, 2, 3), 2), ("dilations", (1, 1, 2), 2), ("pads", (0, 1, 2, 7), 4)):
        if draw(st.booleans()):
            attributes[name] = tuple(draw(st.lists(numbers(*usual), min_size=count, max_size=count)))
    if draw(st.integers(0, 5)) == 0:
        attributes["auto_pad"] = draw(st.sampled_from(("SAME_UPPER", "SAME_LOWER", "VALID", "SAME", "NOTSET")))
    return (batch, channels, *sizes), (*w_shape, *kernel), attributes


def wraps_32_bits(test: Any) -> Any:
    """Problems where the C files' own sums would leave 32 bits: one at a time, over one group and over filters for each channel."""
    most = (1 << 31) - 1
    for group, w_shape in ((1, (2, 3)), (3, (3, 1))):
        for attributes in (
            {"dilations": (1, most), "pads": (0, 2, 0, 2)},
            {"dilations": (2, most - 1), "pads": (0, 5, 0, 5)},
            {"strides": (most, 1), "pads": (2, 0, 2, 0)},
            {"strides": (most, most), "pads": (1, most, 1, 0)},
            {"strides": (1 << 30, 1), "pads": (1 << 30, 0, 1 << 30, 0)},
            {"strides": (1 << 31, 1), "pads": (most, 0, 1 << 32, 0)},
        ):
            attributes = {**attributes, "group": group}
            for kernel in ((3, 1), (1, 1)):
                test = hypothesis.example(problem=((2, 3, 4, 5), (*w_shape, *kernel), attributes), constant=False)(test)
    return test


def windows_of(x_shape: tuple[int, ...], w_shape: tuple[int, ...], attributes: dict[str, Any]) -> Windows | None:
    """None where the definition says nothing of such a convolution."""
    given = {"strides": (1, 1), "dilations": (1, 1), "pads": (0, 0, 0, 0), **attributes}
    group = given.pop("group", 1)
    if min(*given["strides"], *given["dilations"]) < 1 or given.get("auto_pad") == "SAME":
        return None
    if group < 1 or x_shape[1] != w_shape[1] * group or w_shape[0] % group:
        return None
    windows = Windows(x_shape[2:], w_shape[2:], **given)
    return windows if min(windows.output) > 0 and max(windows.output) < 50 else None


@wraps_32_bits
@hypothesis.given(problem=problems(), constant=st.booleans())
@hypothesis.settings(max_examples=120)
def test_conv(library: Library, problem: Any, constant: bool) -> None:
    """With the filters known beforehand and not."""
    x_shape, w_shape, attributes = problem
    X, W, B = floats(*x_shape), floats(*w_shape, seed=1), floats(w_shape[0], seed=2)
    inputs = [value("x"), value("b")] if constant else [value("x"), value("w"), value("b")]
    made = graph([node("Conv", "x w b", "y", **attributes)], inputs, ["y"], {"w": W} if constant else {})
    result, twin = in_both(library, made, {"x": X, "w": W, "b": B})
    judge(result, twin, lambda windows: [conv(X, W, B, attributes.get("group", 1), windows)], windows_of(*problem))


@wraps_32_bits
@hypothesis.given(problem=problems(), constant=st.booleans())
@hypothesis.settings(max_examples=120)
def test_conv_grad(library: Library, problem: Any, constant: bool) -> None:
    """All three gradients; where the definition knows no shape of dY, some shape."""
    x_shape, w_shape, attributes = problem
    windows = windows_of(*problem)
    dY = floats(x_shape[0], w_shape[0], *(windows.output if windows else (3, 3)), seed=2)
    X, W = floats(*x_shape), floats(*w_shape, seed=1)
    nodes = [node("ConvGrad", "dy x w", "dx dw db", since=1, domain=MS, **attributes)]
    inputs = [value("dy"), value("x")] if constant else [value("dy"), value("x"), value("w")]
    made = graph(nodes, inputs, ["dx", "dw", "db"], {"w": W} if constant else {})
    result, twin = in_both(library, made, {"dy": dY, "x": X, "w": W})
    judge(result, twin, lambda known: list(conv_grad(dY, X, W, attributes.get("group", 1), known)), windows)


def judge(result: Any, twin: Any, definition: Any, windows: Windows | None) -> None:
    """What there is of results agrees, and where numpy has one the accelerated way has, too."""
    if isinstance(result, Refused):
        assert isinstance(twin, Refused), result.why
        return
    expected = definition(windows) if windows else twin
    assert not isinstance(expected, Refused), "numpy refuses what was computed, and the definition says nothing of it"
    for got, wanted in zip(result, expected, strict=True):
        np.testing.assert_allclose(got, wanted, TOLERANCE, TOLERANCE)
