"""Module: names, modes, checks of what is handed in, nominal states, open shapes, the cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagetrain import CheckpointState, Module, Optimizer, non_finite_grad
from pagetrain.errors import InvalidInputError, ShapeMismatchError, StateError, UnsupportedOpError
from pagetrain.graph import ElementType, Model
from pagetrain.ortformat import model as codec
from pagetrain.ortformat.checkpoint import CheckpointData
from tests.api.golden import Golden, assert_close
from tests.cases.case import int64
from tests.graphs import graph, model, node, value

MLP = Golden("mlp_ce_adamw_frozen")
CONV = Golden("dwconv_relu6_gap")
MS = "com.microsoft"


def head(classes: int | str = "num_classes") -> Model:
    """Training graph of features (frozen scale) -> Gemm, as artifacts for the page are: the class dimension is open."""
    w, b = value("w", classes, 4), value("b", classes)
    buffers = [replace(v, name=f"{v.name}_grad.accumulation.buffer") for v in (w, b)]
    nodes = [
        node("Mul", "x scale", "f"),
        node("Gemm", "f w b", "logits", transB=1),
        node("SoftmaxCrossEntropyLoss", "logits labels", "loss log_prob"),
        node("SoftmaxCrossEntropyLossGrad", "seed log_prob labels", "d", 1, MS),
        node("Gemm", "d f", "w_grad", transA=1, beta=0.0),
        node("ReduceSum", "d axis", "b_grad", keepdims=0),
        node("InPlaceAccumulatorV2", f"{buffers[0].name} w_grad lazy_reset_grad", "w_grad.accumulation.out", 1, MS),
        node("InPlaceAccumulatorV2", f"{buffers[1].name} b_grad lazy_reset_grad", "b_grad.accumulation.out", 1, MS),
    ]
    inputs = [value("x", "batch", 4), value("labels", "batch", element=ElementType.INT64), value("scale", 4), w, b, *buffers]
    inputs.append(value("lazy_reset_grad", 1, element=ElementType.BOOL))
    constants = {"seed": np.float32(1), "axis": int64(0)}
    return model(graph(nodes, inputs, ["loss", "w_grad.accumulation.out", "b_grad.accumulation.out"], constants))


def head_state(classes: int, nominal: bool = False) -> CheckpointState:
    shapes = {"w": (classes, 4), "b": (classes,)}
    trainable = {name: np.zeros((0,) if nominal else shape, np.float32) for name, shape in shapes.items()}
    scale = np.empty(0, np.float32) if nominal else np.float32([1, 2, 3, 4])
    return CheckpointState(CheckpointData(trainable, {"scale": scale}, nominal))


def test_names_are_the_user_s_alone() -> None:
    """Parameters, gradient buffers, flags and accumulator outputs are not the caller's business."""
    module, _ = MLP.trainer()
    assert module.input_names() == MLP.meta["user_inputs"]
    assert module.output_names() == MLP.meta["outputs"]
    assert module.eval().input_names() == MLP.meta["user_inputs"]
    assert module.eval().output_names() == MLP.meta["outputs"]


def test_calls_take_positions_or_names() -> None:
    """One output comes as an array, several as a tuple. Lists of numbers are arrays of the input's type."""
    module, _ = MLP.trainer()
    images, labels = MLP.batch(0)
    by_position = module.eval()(images, labels)
    assert isinstance(by_position, tuple)
    for others in (module(images, labels=labels), module(images.tolist(), labels.tolist())):
        for one, other in zip(by_position, others, strict=True):
            np.testing.assert_array_equal(one, other)
    loss = Module(head(), head_state(3))(np.ones((2, 4), np.float32), int64(0, 1))
    assert isinstance(loss, np.ndarray)
    with pytest.raises(InvalidInputError, match="each once"):
        module(images, labels, input=images)
    with pytest.raises(InvalidInputError, match="each once"):
        module(images, labels, labels)


def test_models_come_as_bytes_path_or_model() -> None:
    """All three are the same module."""
    path = MLP.path("training_model.ort")
    for source in (path, str(path), path.read_bytes(), codec.load(path.read_bytes())):
        assert Module(source, CheckpointState.load_checkpoint(MLP.path("checkpoint"))).input_names() == MLP.meta["user_inputs"]


def test_inputs_that_do_not_fit_are_named() -> None:
    """Element type, rank, sizes, batch sizes that differ: with what was expected and what came; nothing is changed."""
    module, _ = MLP.trainer()
    images, labels = MLP.batch(0)
    with pytest.raises(InvalidInputError, match="Input 'input' must be float32, got float64"):
        module(images.astype(np.float64), labels)
    with pytest.raises(InvalidInputError, match="Input 'labels' must be int64, got int32"):
        module(images, labels.astype(np.int32))
    with pytest.raises(ShapeMismatchError, match=r"Input 'input' must have 2 axes, .* got shape \(1,"):
        module(images[None], labels)
    with pytest.raises(ShapeMismatchError, match=r"Input 'input' must have shape .* axis 1 is 1 instead of"):
        module(images[:, :1], labels)
    with pytest.raises(InvalidInputError, match=r"missing: \['labels'\], unknown: \['target'\]"):
        module(images, target=labels)
    with pytest.raises(InvalidInputError, match=r"as \{name: array\}, got list"):
        module.train_step([images, labels])  # type: ignore[arg-type]
    open_batch = Module(head(), head_state(3))
    with pytest.raises(ShapeMismatchError, match=r"Input 'labels' \(3,\) has batch = 3 at axis 0; Input 'x' has 2"):
        open_batch(np.ones((2, 4), np.float32), int64(0, 1, 2))
    for any_module in (module, open_batch):
        assert not any(parameter.grad.any() for _, parameter in any_module.state.parameters if parameter.grad is not None)


def test_eval_needs_an_eval_model() -> None:
    """ORT crashes here; we say what is missing."""
    module = Module(MLP.path("training_model.ort"), CheckpointState.load_checkpoint(MLP.path("checkpoint"))).eval()
    assert module.input_names() == module.output_names() == []
    with pytest.raises(StateError, match="without an eval model"):
        module.eval_step(MLP.feeds(0))
    with pytest.raises(StateError, match="without an eval model"):
        module(*MLP.batch(0))


@pytest.mark.parametrize("other", ["eval_model.ort", "optimizer_model.ort"])
def test_a_graph_without_gradients_is_no_training_model(other: str) -> None:
    """Files taken for each other are told when they are loaded, rather than when nothing is learnt."""
    with pytest.raises(InvalidInputError, match="computes no gradients"):
        Module(MLP.path(other), CheckpointState.load_checkpoint(MLP.path("checkpoint")))


def test_gradients_are_zeros_at_first() -> None:
    """From the making of the Module on; frozen parameters have none."""
    module, _ = MLP.trainer()
    for _name, parameter in module.state.parameters:
        if parameter.requires_grad:
            assert parameter.grad is not None
            assert not parameter.grad.any()
        else:
            assert parameter.grad is None


def stepping(data: bytes) -> memoryview:
    """The same bytes, every second of a buffer."""
    return memoryview(np.repeat(np.frombuffer(data, np.uint8), 2))[::2]


def test_a_state_s_bytes_may_lie_apart() -> None:
    """In a view with steps."""
    data = Golden("mlp_clipgrad").path("checkpoint").read_bytes()
    assert CheckpointState.load_checkpoint(stepping(data)).to_bytes() == CheckpointState.load_checkpoint(data).to_bytes()


@pytest.mark.parametrize("state", [None, "checkpoint", b""])
def test_a_state_must_be_one(state: Any) -> None:
    """Not the path it is loaded from."""
    with pytest.raises(InvalidInputError, match=r"expected what CheckpointState\.load_checkpoint returns"):
        Module(Golden("mlp_clipgrad").path("training_model.ort"), state)


def test_what_is_handed_in_for_a_module_or_a_state_must_be_one(tmp_path: Path) -> None:
    """As when arguments are swapped."""
    golden = Golden("mlp_clipgrad")
    module, _ = golden.trainer()
    wrong: Any = module.state
    with pytest.raises(InvalidInputError, match="module is a CheckpointState, expected the Module"):
        Optimizer(golden.path("optimizer_model.ort"), wrong)
    wrong = str(tmp_path / "state")
    with pytest.raises(InvalidInputError, match="state is a str, expected a CheckpointState, then the path"):
        CheckpointState.save_checkpoint(wrong, wrong)
    assert not list(tmp_path.iterdir())


def test_checkpoint_of_other_artifacts_is_refused() -> None:
    """When the Module is made, with the parameter's name."""
    other = CheckpointState.load_checkpoint(CONV.path("checkpoint"))
    with pytest.raises(InvalidInputError, match="no trainable parameter of that name"):
        Module(MLP.path("training_model.ort"), other)
    with pytest.raises(ShapeMismatchError, match="Parameter 'w' of the checkpoint must have shape"):
        Module(head(classes=5), head_state(3))


def test_all_unknown_ops_are_reported_by_the_constructor() -> None:
    """Before any training."""
    unknown = model(graph([node("Foo", "x", "y"), node("Bar", "y", "z")], [value("x")], ["z"]))
    with pytest.raises(UnsupportedOpError, match=":Bar:13, :Foo:13"):
        Module(unknown, head_state(3))


def test_buffer_is_in_the_order_of_the_graph() -> None:
    """Trainable and frozen parameters mixed, as the training graph's inputs are; there and back again."""
    module, _ = MLP.trainer()
    order = MLP.meta["contiguous_order"]
    parameters = module.state.parameters
    everything = np.concatenate([parameters[name].data.ravel() for name in order])
    trainable = np.concatenate([parameters[name].data.ravel() for name in order if parameters[name].requires_grad])
    np.testing.assert_array_equal(module.get_contiguous_parameters(), everything)
    np.testing.assert_array_equal(module.get_contiguous_parameters(True), trainable)
    assert (module.get_parameters_size(), module.get_parameters_size(False)) == (trainable.size, everything.size)
    module.copy_buffer_to_parameters(trainable[None] + 1)
    np.testing.assert_array_equal(module.get_contiguous_parameters(True), trainable + 1)
    frozen = [name for name in order if not parameters[name].requires_grad]
    assert frozen
    module.copy_buffer_to_parameters(everything * 2, trainable_only=False)
    np.testing.assert_array_equal(module.get_contiguous_parameters(), everything * 2)


def test_buffers_that_do_not_fit_change_nothing() -> None:
    """Another size, another element type."""
    module, _ = MLP.trainer()
    before = module.get_contiguous_parameters()
    with pytest.raises(ShapeMismatchError, match=f"must have {before.size} elements .* got {before.size - 1}"):
        module.copy_buffer_to_parameters(before[1:] + 1, trainable_only=False)
    with pytest.raises(InvalidInputError, match="float32, got float64"):
        module.copy_buffer_to_parameters(before.astype(np.float64), trainable_only=False)
    np.testing.assert_array_equal(module.get_contiguous_parameters(), before)


def test_nominal_state_says_so_everywhere() -> None:
    """Made, measured and asked for names: fine. Steps, reads and optimizer steps: StateError, where ORT raises or crashes."""
    module, optimizer = MLP.trainer("nominal_checkpoint")
    full, _ = MLP.trainer()
    assert module.get_parameters_size(False) == full.get_parameters_size(False)
    assert optimizer.get_learning_rate() == np.float32(MLP.meta["lr"])
    for call in (
        lambda: module(*MLP.batch(0)),
        lambda: module.eval_step(MLP.feeds(0)),
        module.get_contiguous_parameters,
        optimizer.step,
        lambda: module.copy_buffer_to_parameters(full.get_contiguous_parameters(True)),
    ):
        with pytest.raises(StateError):
            call()


def test_open_shapes_come_from_the_state() -> None:
    """The number of classes is whatever the state's head has, and may change between steps."""
    module = Module(head(), head_state(3))
    features, labels = np.ones((2, 4), np.float32), int64(0, 2)
    assert module.get_parameters_size() == 15
    module(features, labels)
    module.state.replace_parameter("w", np.zeros((5, 4), np.float32))
    module.state.replace_parameter("b", np.zeros(5, np.float32))
    np.testing.assert_allclose(module(features, labels), np.log(5), rtol=1e-6)
    assert module.state.parameters["w"].grad is not None
    assert module.state.parameters["w"].grad.shape == (5, 4)
    assert module.get_contiguous_parameters().shape == (4 + 25,)


def test_open_shapes_of_a_nominal_state_are_not_known() -> None:
    """The frozen part can already run: pictures are prepared before the classes are known."""
    module = Module(head(), head_state(3, nominal=True))
    with pytest.raises(StateError, match="shape of 'w' is not known yet"):
        module.get_parameters_size()
    module.state.replace_parameter("scale", np.float32([1, 2, 3, 4]))
    kept = module.run_prefix({"x": np.ones((2, 4), np.float32)})
    assert module.cut == ("f",)
    np.testing.assert_array_equal(kept["f"], np.float32([[1, 2, 3, 4]] * 2))
    with pytest.raises(StateError, match="'w' has no values"):
        module.train_step({**kept, "labels": int64(0, 1)})


def test_any_value_of_the_training_graph_is_returned_beside_its_outputs() -> None:
    """One that is an output anyway stands in its place; the gradients are the same; one that is not there is refused."""
    module, _ = CONV.trainer()
    images, labels = CONV.batch(0)
    feeds, (loss, logits) = {"image": images, "labels": labels}, module.output_names()
    plain = module.train_step(feeds)
    gradients = {name: parameter.grad.copy() for name, parameter in module.state.parameters if parameter.grad is not None}
    module.lazy_reset_grad()
    inner = next(node.outputs[0] for node in module._train.graph.nodes if node.op_type == "Conv")
    asked = module.train_step(feeds, [logits, inner])
    assert list(asked) == [loss, logits, inner]
    np.testing.assert_array_equal(asked[logits], plain[logits])
    assert asked[inner].shape[0] == len(images)
    for name, gradient in gradients.items():
        np.testing.assert_array_equal(module.state.parameters[name].grad, gradient)
    with pytest.raises(InvalidInputError, match="'nowhere'"):
        module.train_step(feeds, ["nowhere"])


def test_step_on_the_cut_is_the_step_on_the_data() -> None:
    """Same loss, same gradients; kept values are C-contiguous, one row per picture, and can be put together from parts."""
    module, _ = CONV.trainer()
    images, labels = CONV.batch(0)
    loss = module.train_step({"image": images, "labels": labels})
    gradients = {name: parameter.grad.copy() for name, parameter in module.state.parameters if parameter.grad is not None}
    parts = [module.run_prefix({"image": image[None]}) for image in images]
    kept = {name: np.concatenate([part[name] for part in parts]) for name in module.cut}
    assert all(array.flags.c_contiguous for part in parts for array in part.values())
    module.lazy_reset_grad()
    again = module.train_step({**kept, "labels": labels})
    # Another batch size may sum in another order.
    for name, array in loss.items():
        np.testing.assert_allclose(again[name], array, rtol=1e-5, atol=1e-6)
    for name, gradient in gradients.items():
        np.testing.assert_allclose(module.state.parameters[name].grad, gradient, rtol=1e-5, atol=1e-6)
    assert module.eval_step({**kept}, ["logits"])["logits"].shape == loss["logits"].shape


def test_data_inputs_can_be_named() -> None:
    """By default the first user input; with none the prefix is empty and the data are given at each step."""
    state = head_state(3)
    assert Module(head(), state, data_inputs=["x"]).cut == ("f",)
    assert Module(head(), state, data_inputs=[]).cut == ()
    with pytest.raises(InvalidInputError, match=r"\['image'\], but .* \['x', 'labels'\]"):
        Module(head(), state, data_inputs=["image"])


def test_parameter_edits_are_seen_by_the_next_step() -> None:
    """`data` is the live array."""
    module, _ = MLP.trainer()
    before = module.eval_step(MLP.feeds(0), ["logits"])["logits"]
    module.state.parameters["fc2.bias"].data[0] += 1
    after = module.eval_step(MLP.feeds(0), ["logits"])["logits"]
    np.testing.assert_allclose(after[:, 0] - before[:, 0], 1, rtol=1e-5)
    np.testing.assert_array_equal(after[:, 1:], before[:, 1:])


def test_a_head_with_open_shape_learns() -> None:
    """The optimizer of any artifacts trains it: the loss falls to a tenth."""
    module = Module(head(), head_state(3))
    optimizer_graph = MLP.path("optimizer_model.ort")
    optimizer = Optimizer(optimizer_graph, module)
    optimizer.set_learning_rate(0.1)
    features, labels = np.eye(3, 4, dtype=np.float32), int64(0, 1, 2)
    losses = []
    for _ in range(20):
        losses.append(float(module(features, labels)))
        optimizer.step()
        module.lazy_reset_grad()
    assert losses[-1] < 0.1 * losses[0]


@pytest.mark.parametrize("suffix", ["ort", "onnx"])
def test_the_place_is_named_after_the_step_that_went_wrong(suffix: str) -> None:
    """The gradients, which hold NaN then, are not where it came from, and with other inputs there is nothing to find."""
    module, _ = MLP.trainer(suffix=suffix)
    module.state.parameters["fc2.weight"].data[...] *= np.float32(1e36)
    good = MLP.feeds(0)
    bad = {**good, "input": good["input"] * np.float32(1e4)}
    place = module.first_non_finite(bad)
    assert place is not None
    assert place.startswith("output ")
    module.train_step(bad)
    assert non_finite_grad(module.state)
    assert module.first_non_finite(bad) == place
    assert module.first_non_finite(good) is None


def test_the_place_where_nan_appears_is_named() -> None:
    """In the graph's own names, from the data inputs or from the cut; gradients stay as they were."""
    module = Module(head(2), head_state(2))
    feeds = {"x": np.ones((1, 4), np.float32), "labels": int64(0)}
    assert module.first_non_finite(feeds) is None
    assert module.first_non_finite({**feeds, "x": np.full((1, 4), np.nan, np.float32)}) == "input 'x'"
    module.state.parameters["b"].data = np.float32([np.inf, 0])
    assert module.first_non_finite(feeds) == "output 'loss' of SoftmaxCrossEntropyLoss 'SoftmaxCrossEntropyLoss_loss'"
    features = module.run_prefix({"x": feeds["x"]})
    module.state.parameters["b"].data = np.float32([np.nan, 0])
    assert module.first_non_finite({**features, "labels": feeds["labels"]}) == "input 'b'"
    assert not np.any(module.state.parameters["w"].grad)


@pytest.mark.parametrize("suffix", ["ort", "onnx"])
def test_paths_and_bytes_of_either_format_are_models(suffix: str) -> None:
    """What a file holds is seen from its bytes, so its name and how it is handed in make no difference."""
    golden = Golden("mlp_ce_adamw_frozen")
    data = golden.path(f"eval_model.{suffix}").read_bytes()
    for source in (
        golden.path(f"eval_model.{suffix}"),
        str(golden.path(f"eval_model.{suffix}")),
        data,
        bytearray(data),
        memoryview(data),
        stepping(data),
    ):
        module = Module(golden.path(f"training_model.{suffix}"), CheckpointState.load_checkpoint(golden.path("checkpoint")), source)
        loss = module.eval()(*golden.batch(0))
        assert_close(loss[0] if isinstance(loss, tuple) else loss, golden.trace["eval_loss_before"])
