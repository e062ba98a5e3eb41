"""Initializers that are inputs, too: what is handed in counts, whatever was folded and packed of what the file holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pagetrain import CheckpointState, InferenceSession, Module, Optimizer
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Attribute, AttributeType, ElementType, Tensor
from pagetrain.ortformat.checkpoint import CheckpointData
from tests.api.test_module import head, head_state
from tests.graphs import graph, model, node, value

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((2, 3, 1, 1)).astype(np.float32)
SIDES = {
    "scale": np.float32([2, 3, 4, 5]),
    "shift": np.float32([1, 0, -1, 0]),
    "mean": np.zeros(4, np.float32),
    "var": np.ones(4, np.float32),
}


def filters(seed: int, count: int = 4) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, 3, 1, 1)).astype(np.float32)


HELD = {"w": filters(0), "b": np.float32([1, 2, 3, 4]), **SIDES}


def session(ir_version: int = 8) -> InferenceSession:
    """y = Relu(BatchNormalization(Conv(x, w, b))), which is folded, fused and packed."""
    nodes = [
        node("Conv", "x w b", "c"),
        node("BatchNormalization", "c scale shift mean var", "n", 15, epsilon=0.0),
        node("Relu", "n", "y"),
    ]
    listed = [value("x", "N", 3, 1, 1), value("w", "M", 3, 1, 1), *(value(name, "M") for name in ("b", *SIDES))]
    return InferenceSession(replace(model(graph(nodes, listed, ["y"], HELD)), ir_version=ir_version))


def expected(of: dict[str, np.ndarray]) -> np.ndarray:
    """By the formula, in float64."""
    convolved = X[:, :, 0, 0].astype(np.float64) @ of["w"][:, :, 0, 0].T + of["b"]
    return np.maximum((convolved - of["mean"]) / np.sqrt(of["var"]) * of["scale"] + of["shift"], 0)[:, :, None, None]


@pytest.mark.parametrize(
    "given",
    [
        {"w": filters(1)},
        {"b": np.float32([5, 6, 7, 8])},
        {"scale": np.float32([1, 1, 1, -1])},
        {"w": filters(2, 19), "b": np.ones(19, np.float32), **{name: np.ones(19, np.float32) for name in SIDES}},
    ],
)
def test_what_is_handed_in_counts_for_that_call_alone(given: dict[str, np.ndarray]) -> None:
    """Filters, also of another size, the bias, one side of the normalization; before and after it is as the file says."""
    run = session()
    for feeds in ({}, given, {}):
        (found,) = run.run(None, {"x": X, **feeds})
        np.testing.assert_allclose(found, expected({**HELD, **feeds}), rtol=1e-5, atol=1e-5)  # float32: a few roundings of numbers below 50


def test_before_ir_version_4_none_may_be_handed_in() -> None:
    """Every initializer had to be listed then, which said nothing; onnxruntime refuses them, too."""
    assert session(3).get_overridable_initializers() == []
    with pytest.raises(InvalidInputError, match=r"unknown: \['w'\]"):
        session(3).run(None, {"x": X, "w": filters(1)})


def test_a_body_that_lists_its_initializers_takes_them_as_they_are() -> None:
    """As files of IR version 3 have it: the loop hands in its own values alone."""
    body_inputs = [value("t", element=ElementType.INT64), value("going", element=ElementType.BOOL), value("a", 2), value("two", 1)]
    body = graph([node("Mul", "a two", "b", 14), node("Identity", "going", "on")], body_inputs, ["on", "b"], {"two": np.float32([2])})
    loop = node("Loop", "n _ x", "y", 13)
    loop = replace(loop, attributes={"body": Attribute(AttributeType.GRAPH, body)})
    made = model(graph([loop], [value("x", 2)], ["y"], {"n": np.int64(3)}))
    assert InferenceSession(made).run(None, {"x": np.float32([1, -1])})[0].tolist() == [8, -8]


def test_a_user_input_of_a_module_that_the_graph_holds() -> None:
    """It need not be handed in; by name it may be, for that step alone. loss: the mean over the rows of -log softmax."""
    state, made = head_state(2), head(2)
    state.parameters["w"].data[...] = [[1, 0, 0, 0], [0, 1, 0, 0]]
    labels = Tensor("labels", np.int64([0, 0]))
    module = Module(replace(made, graph=replace(made.graph, initializers=(*made.graph.initializers, labels))), state)
    assert module.input_names() == ["x"]
    x = np.float32([[1, 0, 0, 0], [0, 1, 0, 0]])
    logits = (x * [1, 2, 3, 4])[:, :2].astype(np.float64)
    log_probabilities = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    for given in (None, [1, 0], None):
        loss = module(x) if given is None else module(x, labels=np.int64(given))
        wanted = -log_probabilities[[0, 1], given or [0, 0]].mean()
        np.testing.assert_allclose(loss, wanted, rtol=1e-6)  # float32


def test_what_an_optimizer_graph_holds_for_its_inputs_is_not_read() -> None:
    """Its learning rate is the state's: w - lr g, exactly."""
    listed = [value("learning_rate", 1), value("step", 1, element=ElementType.INT64), value("params"), value("gradients")]
    rule = graph(
        [node("SGDOptimizerV2", "learning_rate params gradients", "done", 1, "com.microsoft")],
        listed,
        ["done"],
        {"learning_rate": np.float32([7])},
    )
    state = CheckpointState(
        CheckpointData({"w": np.float32([[1, 2, 3, 4]] * 2), "b": np.zeros(2, np.float32)}, {"scale": np.ones(4, np.float32)})
    )
    optimizer = Optimizer(model(rule), Module(head(2), state))
    optimizer.set_learning_rate(0.5)
    gradient = state.parameters["w"].grad
    assert gradient is not None
    gradient[...] = 0.25
    optimizer.step()
    assert state.parameters["w"].data.tolist() == [[0.875, 1.875, 2.875, 3.875]] * 2
