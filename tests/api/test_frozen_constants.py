"""Frozen parameters are constants of the plans that run: folded once, never stale."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pagetrain import CheckpointState, InferenceSession, Module
from pagetrain.graph import ElementType, Model, Tensor
from pagetrain.ortformat.checkpoint import CheckpointData
from tests.graphs import graph, model, node, value

RANDOM = np.random.default_rng(5)
SIDES = ("scale", "bias", "mean", "var")
FROZEN = {"k": RANDOM.standard_normal((3, 2, 1, 1)).astype(np.float32)}
FROZEN |= {name: RANDOM.uniform(0.5, 2, 3).astype(np.float32) for name in SIDES}
W = RANDOM.standard_normal((4, 3)).astype(np.float32)
X = RANDOM.standard_normal((2, 2, 1, 1)).astype(np.float32)
MS = "com.microsoft"


def _training_model() -> Model:
    """x -> Conv k -> BatchNormalization -> features, all frozen; y = features W'; loss: the sum of its squares."""
    nodes = [
        node("Conv", "x k", "c"),
        node("BatchNormalization", "c scale bias mean var", "n", 15, epsilon=0.01),
        node("Flatten", "n", "features"),
        node("Gemm", "features w", "y", transB=1),
        node("Mul", "y y", "squares"),
        node("ReduceSum", "squares", "loss", keepdims=0),
        node("Gemm", "y features", "w_grad", transA=1, alpha=2.0),
        node("InPlaceAccumulatorV2", "w_grad.accumulation.buffer w_grad lazy_reset_grad", "w_grad.accumulation.out", 1, MS),
    ]
    trained = [value("w", 4, 3), value("w_grad.accumulation.buffer", 4, 3), value("lazy_reset_grad", 1, element=ElementType.BOOL)]
    frozen = [value(name, *array.shape) for name, array in FROZEN.items()]
    outputs, inner = ["loss", "w_grad.accumulation.out"], [value("features", 2, 3)]
    return model(graph(nodes, [value("x", 2, 2, 1, 1), *frozen, *trained], outputs, value_info=inner))


def _module(nominal: bool = False) -> Module:
    arrays = {name: np.empty(0, np.float32) if nominal else array for name, array in FROZEN.items()}
    w = np.empty(0, np.float32) if nominal else W
    return Module(_training_model(), CheckpointState(CheckpointData({"w": w}, arrays, nominal)))


def _features(of: dict[str, np.ndarray]) -> np.ndarray:
    """By the formulas, in float64."""
    k, scale, bias, mean, var = (of[name].astype(np.float64) for name in ("k", *SIDES))
    return (X[:, :, 0, 0].astype(np.float64) @ k[:, :, 0, 0].T - mean) / np.sqrt(var + 0.01) * scale + bias


def _check(module: Module, of: dict[str, np.ndarray]) -> None:
    """The prefix, and the whole step from pictures on."""
    expected = _features(of)
    (cut,) = module.run_prefix({"x": X}).values()
    # float32: a few roundings of numbers below 10
    np.testing.assert_allclose(cut.reshape(2, 3), expected, rtol=1e-5, atol=1e-5)
    module.lazy_reset_grad()
    loss = module.train_step({"x": X})["loss"]
    y = expected @ W.T.astype(np.float64)
    np.testing.assert_allclose(loss, (y * y).sum(), rtol=1e-5)
    np.testing.assert_allclose(module.state.parameters["w"].grad, 2 * y.T @ expected, rtol=1e-4, atol=1e-4)  # sums of products up to 100


def test_folding_is_no_part_of_a_pass() -> None:
    """The steps that run have one convolution, and no normalization that has to be put into it."""
    ops = _module().describe(2).step.ops
    assert ops["Conv"] == 1
    assert ops.keys().isdisjoint(("BatchNormalization", "FoldBatchNormalization"))


@pytest.mark.usefixtures("on_numpy")
def test_what_is_made_of_them_counts_beside_the_parameters() -> None:
    """The folded filters and bias, (3, 2, 1, 1) and (3,), and, where numpy has no BLAS, the filters as they are laid out for products.

    Not the parameters themselves, 18 numbers.
    """
    filters, bias = 4 * 3 * 2, 4 * 3
    assert _module().describe(2).step.constants in (filters + bias, filters + bias + filters)


def _replaced(module: Module, name: str, array: np.ndarray) -> None:
    module.state.replace_parameter(name, array)


def _assigned(module: Module, name: str, array: np.ndarray) -> None:
    module.state.parameters[name].data = array


def _as_item(module: Module, name: str, array: np.ndarray) -> None:
    module.state.parameters[name] = array


def _from_buffer(module: Module, name: str, array: np.ndarray) -> None:
    values = {**FROZEN, "w": W, name: array}
    order = ["k", *SIDES, "w"]
    module.copy_buffer_to_parameters(np.concatenate([values[each].reshape(-1) for each in order]), trainable_only=False)


@pytest.mark.parametrize("name", FROZEN)
@pytest.mark.parametrize("give", [_replaced, _assigned, _as_item, _from_buffer])
def test_other_values_count_from_the_next_pass_on(give: Callable[[Module, str, np.ndarray], None], name: str) -> None:
    """By whatever way a frozen parameter gets them."""
    module = _module()
    _check(module, FROZEN)
    other = FROZEN[name] + np.float32(0.5)
    give(module, name, other)
    _check(module, FROZEN | {name: other})


def _with_own_values(names: Iterable[str]) -> Model:
    """The training model, holding values of its own for these inputs, as files of IR version 3 do."""
    made = _training_model()
    shapes = {"w": W.shape, "w_grad.accumulation.buffer": W.shape, **{name: array.shape for name, array in FROZEN.items()}}
    held = tuple(Tensor(name, np.full(shapes[name], 9, np.float32)) for name in names)
    return replace(made, graph=replace(made.graph, initializers=held))


@pytest.mark.parametrize("names", [["k"], ["w"], ["scale", "var"], ["w_grad.accumulation.buffer"], [*FROZEN, "w"]])
def test_what_the_graph_holds_for_a_parameter_is_not_read(names: list[str]) -> None:
    """The state's values are the parameter: frozen ones that are folded and packed, trainable ones, gradients."""
    module = Module(_with_own_values(names), CheckpointState(CheckpointData({"w": W}, FROZEN)))
    _check(module, FROZEN)
    assert module.input_names() == ["x"]


def test_an_exported_model_holds_a_parameter_once(tmp_path: Path) -> None:
    """The state's values, where the eval graph held others."""
    both = _with_own_values([*FROZEN, "w"])
    module = Module(both, CheckpointState(CheckpointData({"w": W}, FROZEN)), both)
    module.export_model_for_inferencing(tmp_path / "m.onnx", ["features"])
    (found,) = InferenceSession(tmp_path / "m.onnx").run(None, {"x": X})
    np.testing.assert_allclose(found, _features(FROZEN), rtol=1e-5, atol=1e-5)  # float32: a few roundings of numbers below 10


def test_a_nominal_state_is_filled_later() -> None:
    """In any order; what a pass does not need may still be missing."""
    module = _module(nominal=True)
    for name, array in FROZEN.items():
        module.state.replace_parameter(name, array)
    (cut,) = module.run_prefix({"x": X}).values()
    np.testing.assert_allclose(cut.reshape(2, 3), _features(FROZEN), rtol=1e-5, atol=1e-5)
    module.state.replace_parameter("w", W)
    _check(module, FROZEN)


def test_they_are_not_written_behind_the_plans_back() -> None:
    """numpy refuses it in words; those that are trained are live."""
    module = _module()
    with pytest.raises(ValueError, match="read-only"):
        module.state.parameters["scale"].data[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        module.state.parameters["scale"].data *= 2
    module.state.parameters["w"].data[0] = 7
    assert module.state.parameters["w"].data[0, 0] == 7


def test_what_a_training_step_writes_is_read_by_the_evaluation() -> None:
    """Running statistics of a normalization by the batch's are frozen parameters, and ORT's graphs write into them at each step.

    momentum 0.25 keeps a quarter of the old values: mean = 0.25 old + 0.75 batch (com.microsoft BatchNormInternal-1).
    """
    nodes = [
        node(
            "BatchNormInternal",
            "x scale bias mean var",
            "n mean_out var_out saved_mean saved_inv_std",
            1,
            MS,
            training_mode=1,
            momentum=0.25,
        ),
        node("ReduceSum", "n", "loss", keepdims=0),
        node("InPlaceAccumulatorV2", "bias_grad.accumulation.buffer bias lazy_reset_grad", "bias_grad.accumulation.out", 1, MS),
    ]
    sides = [value(name, 2) for name in SIDES]
    inputs = [value("x", 4, 2), *sides, value("bias_grad.accumulation.buffer", 2), value("lazy_reset_grad", 1, element=ElementType.BOOL)]
    training = model(graph(nodes, inputs, ["loss", "bias_grad.accumulation.out"]))
    inference = model(graph([node("BatchNormalization", "x scale bias mean var", "n", 15)], [value("x", 4, 2), *sides], ["n"]))
    ones, zeros = np.ones(2, np.float32), np.zeros(2, np.float32)
    frozen = {"scale": ones, "mean": zeros, "var": ones}
    module = Module(training, CheckpointState(CheckpointData({"bias": zeros}, frozen)), inference)
    x = np.float32([[1, 2], [3, 4], [5, 6], [7, 12]])
    np.testing.assert_allclose(module.eval_step({"x": x})["n"], x, rtol=1e-5)  # epsilon is 1e-5
    module.train_step({"x": x})
    mean = 0.75 * x.mean(axis=0)
    np.testing.assert_allclose(module.state.parameters["mean"].data, mean, rtol=1e-6)
    variance = module.state.parameters["var"].data
    np.testing.assert_allclose(module.eval_step({"x": x})["n"], (x - mean) / np.sqrt(variance + 1e-5), rtol=1e-5, atol=1e-6)
