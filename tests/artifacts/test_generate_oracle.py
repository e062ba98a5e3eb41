"""artifacts_tool.generate against artifacts that the real generator made from the same models."""

from collections import Counter
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType, OptimType, generate_artifacts
from artifacts_tool.generate import build
from artifacts_tool.onnx_io import read, to_bytes
from artifacts_tool.ort_writer import to_ort
from artifacts_tool.proto_reader import model_of
from artifacts_tool.proto_writer import proto_of
from pagetrain import CheckpointState, Module, Optimizer
from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.topology import subgraphs

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("stem", ["training_model", "eval_model", "optimizer_model"])
def test_interfaces_are_those_of_the_real_generator(golden, stem):
    """Names, order, types and shapes of inputs and outputs, IR version and opsets equal ONNX Runtime's."""
    ours, real = golden.build().models()[stem], read(golden.folder / f"{stem}.onnx")
    assert ours.graph.inputs == real.graph.inputs
    assert ours.graph.outputs == real.graph.outputs
    assert (ours.ir_version, ours.producer_name, ours.graph.name) == (real.ir_version, real.producer_name, real.graph.name)
    assert list(ours.opset_import.items()) == list(real.opset_import.items())


OWN_WAYS = {  # where our graphs are others than ORT's on purpose
    "mlp_mse_sgd": "the gradient of Pow is right at 0 too",
    "custom_two_mse": "as above",
    "attention_block": "as above, and nothing is fused",
    "mlp_bce_adamw_sched": "the loss is written with Softplus, finite for all logits",
    "mlp_dropout0": "Dropout of ratio 0 stays in the training graph, and the gradient of Pow as above",
}


@pytest.mark.parametrize("stem", ["training_model", "eval_model", "optimizer_model"])
def test_the_same_ops_do_the_work(golden, stem):
    """As many nodes of each op as in the real graph, and nodes of the same names where those are not numbered."""
    if golden.name in OWN_WAYS and stem != "optimizer_model":
        pytest.skip(OWN_WAYS[golden.name])
    ours, real = golden.build().models()[stem].graph.nodes, read(golden.folder / f"{stem}.onnx").graph.nodes
    assert Counter((n.domain, n.op_type) for n in ours) == Counter((n.domain, n.op_type) for n in real)
    assert {n.name for n in ours if "_Grad/" not in n.name} == {n.name for n in real if "_Grad/" not in n.name}


def test_checkpoints_are_the_real_ones_byte_for_byte(golden):
    """checkpoint and nominal_checkpoint equal ONNX Runtime's files."""
    artifacts = golden.build()
    assert artifacts.checkpoint() == (golden.folder / "checkpoint").read_bytes()
    assert artifacts.checkpoint(nominal=True) == (golden.folder / "nominal_checkpoint").read_bytes()


def test_graphs_pass_the_checker(golden):
    """onnx.checker with full_check accepts all three graphs, but for those with an op that ORT alone has in the default domain."""
    models = golden.build().models().values()
    for model in (model for model in models if all(node.op_type != "MaxPoolGrad" for node in model.graph.nodes)):
        onnx.checker.check_model(proto_of(model), full_check=True)


def test_every_value_is_typed(golden):
    """Shape inference leaves no value of the training graph without type and shape, but for nodes' unnamed outputs."""
    graph = golden.build().training_model.graph
    typed = {v.name for v in (*graph.inputs, *graph.outputs, *graph.value_info) if v.type} | {t.name for t in graph.initializers}
    assert {name for node in graph.nodes for name in node.outputs if name} <= typed


def call(model, folder, **changed):
    arguments = {
        "requires_grad": ["fc2.weight"],
        "frozen_params": ["fc1.weight"],
        "loss": LossType.CrossEntropyLoss,
        "optimizer": OptimType.AdamW,
        "artifact_directory": folder,
    }
    generate_artifacts(model, **{**arguments, **changed})
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def mlp(convnet):
    return onnx.load(convnet.parent.parent / "mlp_ce_adamw_frozen" / "base.onnx")


def test_files_are_named_as_onnx_runtime_names_them(mlp, tmp_path):
    """Prefix, .ort forms and the nominal checkpoint come when asked for, else not."""
    names = {"training_model.onnx", "eval_model.onnx", "checkpoint"}
    assert set(call(mlp, tmp_path / "a", optimizer=None)) == names
    more = call(mlp, tmp_path / "b", prefix="p_", ort_format=True, nominal_checkpoint=True)
    stems = {"training_model", "eval_model", "optimizer_model"}
    assert set(more) == {f"p_{s}.{e}" for s in stems for e in ("onnx", "ort")} | {"p_checkpoint", "p_nominal_checkpoint"}


def test_a_model_may_be_a_proto_its_bytes_or_its_path(mlp, tmp_path):
    """All three give the same files, and two runs the same bytes."""
    onnx.save(mlp, tmp_path / "m.onnx")
    sources = (mlp, mlp.SerializeToString(), str(tmp_path / "m.onnx"), tmp_path / "m.onnx")
    made = [call(source, tmp_path / str(i), ort_format=True) for i, source in enumerate(sources)]
    assert all(files == made[0] for files in made)


def test_initializers_in_neither_list_stay_inside(mlp):
    """They are no inputs and not in the checkpoint."""
    artifacts = build(model_of(mlp), ["fc2.weight"], [], LossType.CrossEntropyLoss, None)
    assert [p.name for p in artifacts.parameters] == ["fc2.weight"]
    assert {"fc1.weight", "fc1.bias", "fc2.bias"} <= {t.name for t in artifacts.training_model.graph.initializers}


@pytest.mark.parametrize(
    "changed,message",
    [
        ({"requires_grad": None}, "nothing to train"),
        ({"requires_grad": ["fc2.wieght"]}, "did you mean 'fc2.weight'"),
        ({"requires_grad": ["fc2.*"]}, "patterns are for the command line"),
        ({"requires_grad": "fc2.weight"}, "must be a list of names"),
        ({"frozen_params": ["other"]}, "no initializer 'other'"),
        ({"requires_grad": ["fc1.weight"]}, "in requires_grad and frozen_params at once"),
        ({"loss": "MSELoss"}, "choose one of MSELoss, CrossEntropyLoss"),
        ({"additional_output_names": "logits"}, "list of names"),
        ({"optimizer": "AdamW"}, "choose one of AdamW"),
        ({"additional_output_names": ["nothing"]}, "computes no value 'nothing'"),
        ({"additional_output_names": ["input"]}, "computes no value 'input'"),
        ({"loss_input_names": ["nothing"]}, "loss_input_names"),
        ({"custom_op_library": "ops.so"}, "no such file"),
    ],
)
def test_wrong_arguments_are_one_sentence_and_write_nothing(mlp, tmp_path, changed, message):
    """Each names what is wrong; no file is left behind."""
    with pytest.raises(InvalidInputError, match=message):
        call(mlp, tmp_path / "out", **changed)
    assert not (tmp_path / "out").exists()


def test_unused_and_unreachable_parameters_are_told_apart(mlp):
    """One that no node uses and one whose result the loss does not see stand in one error."""
    mlp.graph.initializer.append(helper.make_tensor("idle", TensorProto.FLOAT, [1], [0.0]))
    mlp.graph.initializer.append(helper.make_tensor("aside", TensorProto.FLOAT, [1], [0.0]))
    mlp.graph.node.append(helper.make_node("Neg", ["aside"], ["nowhere"]))
    with pytest.raises(InvalidInputError, match=r"no node uses 'idle'; the loss '.*' does not depend on 'aside'"):
        build(model_of(mlp), ["idle", "aside", "fc2.weight"], [], LossType.CrossEntropyLoss, None)


def test_all_ops_without_gradient_are_named_at_once(mlp):
    """Two such ops between parameter and loss: one error, both names. Before the parameter they do not matter."""
    model = model_of(mlp)
    relu = next(node for node in model.graph.nodes if node.op_type == "Relu")
    odd = (
        replace(relu, op_type="Bernoulli", outputs=("e",), name="first"),
        replace(relu, op_type="RandomUniformLike", inputs=("e",), name="second"),
    )
    first, last = model.graph.nodes[0], model.graph.nodes[-1]
    model = replace(model, graph=replace(model.graph, nodes=(first, *odd, last)))
    with pytest.raises(UnsupportedOpError, match=r"Bernoulli.*RandomUniformLike") as caught:
        build(model, ["fc1.weight"], [], LossType.CrossEntropyLoss, None)
    assert [op.split(":")[1] for op in caught.value.ops] == ["Bernoulli", "RandomUniformLike"]
    build(model, ["fc2.weight"], ["fc1.weight"], LossType.CrossEntropyLoss, None)


def test_lists_may_be_any_iterable_and_empty_as_in_onnx_runtime(mlp, tmp_path):
    """ORT goes over the names once, and takes the outputs for a loss_input_names without names."""
    names = ["fc1.weight", "fc2.weight"]
    expected = call(mlp, tmp_path / "a", requires_grad=names, frozen_params=None)
    found = call(mlp, tmp_path / "b", requires_grad=(name for name in names), frozen_params=iter(()), loss_input_names=[])
    assert found == expected


def test_names_the_trainer_keeps_are_refused(mlp):
    """A user output called ..._grad would be taken for a gradient."""
    mlp.graph.node[0].output[0] = mlp.graph.node[1].input[0] = "h_grad"
    with pytest.raises(InvalidInputError, match="'h_grad'"):
        build(model_of(mlp), ["fc2.weight"], [], LossType.CrossEntropyLoss, None, ["h_grad"])


def test_parameters_may_not_have_such_names_either(mlp):
    """A frozen parameter called as the gradient of a trained one would be written twice."""
    mlp.graph.initializer[0].name = mlp.graph.node[0].input[1] = "fc2.weight_grad"
    with pytest.raises(InvalidInputError, match=r"'fc2\.weight_grad'"):
        build(model_of(mlp), ["fc2.weight"], ["fc2.weight_grad"], LossType.CrossEntropyLoss, None)


def test_values_called_as_gradients_will_be_are_refused(mlp):
    """Two nodes would make one value, or a node would write over a constant: no runtime loads such a graph."""
    mlp.graph.node[0].output[0] = mlp.graph.node[1].input[0] = "fc2.weight_grad"
    with pytest.raises(InvalidInputError, match=r"'fc2\.weight_grad'"):
        build(model_of(mlp), ["fc2.weight"], [], LossType.CrossEntropyLoss, None)


def test_constants_called_as_gradients_will_be_are_refused(mlp):
    """As above, where the name is an initializer's that is no parameter."""
    mlp.graph.initializer[0].name = mlp.graph.node[0].input[1] = "fc2.weight_grad"
    with pytest.raises(InvalidInputError, match=r"'fc2\.weight_grad'"):
        build(model_of(mlp), ["fc2.weight"], [], LossType.CrossEntropyLoss, None)


@pytest.mark.parametrize("opset", [6, 1000])
def test_opsets_that_mean_something_else_are_refused(mlp, opset):
    """Opset 6 broadcasts otherwise; what one will mean that is not there yet nobody knows."""
    mlp.opset_import[0].version = opset
    with pytest.raises(InvalidInputError, match=f"opset {opset}, "):
        build(model_of(mlp), ["fc2.weight"], [], LossType.CrossEntropyLoss, None)


def test_a_frozen_dropout_stays_in_evaluation_mode():
    """Nothing behind it would learn to do without what it drops."""
    x, y = (helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["N", 2]), ("y", ["N", 3])))
    weights = [helper.make_tensor("w", 1, [2, 3], np.ones(6))]
    nodes = [
        helper.make_node("Constant", [], ["on"], value=helper.make_tensor("on", TensorProto.BOOL, [], [True])),
        helper.make_node("Dropout", ["x", "", "on"], ["d"]),
        helper.make_node("MatMul", ["d", "w"], ["y"]),
    ]
    proto = helper.make_model(helper.make_graph(nodes, "g", [x], [y], weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    artifacts = build(model_of(proto), ["w"], [], LossType.CrossEntropyLoss, None)
    for model in (artifacts.training_model, artifacts.eval_model):
        assert model.graph.nodes[0].inputs == ("x", "")


def test_dropout_behind_a_trainable_parameter_drops_in_training_alone():
    """The training graph keeps training_mode and reads the mask; the eval graph has lost it."""
    x, y = (helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["N", 2]), ("y", ["N", 3])))
    weights = [helper.make_tensor("w", 1, [2, 3], np.ones(6)), helper.make_tensor("ratio", 1, [], [0.5])]
    nodes = [
        helper.make_node("Constant", [], ["on"], value=helper.make_tensor("on", TensorProto.BOOL, [], [True])),
        helper.make_node("MatMul", ["x", "w"], ["d"]),
        helper.make_node("Dropout", ["d", "ratio", "on"], ["y"], seed=3),
    ]
    proto = helper.make_model(helper.make_graph(nodes, "g", [x], [y], weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    artifacts = build(model_of(proto), ["w"], [], LossType.CrossEntropyLoss, None)
    training, evaluation = (model.graph.nodes[1] for model in (artifacts.training_model, artifacts.eval_model))
    assert (training.inputs, training.outputs) == (("d", "ratio", "on"), ("y", "y_mask"))
    assert (evaluation.inputs, evaluation.outputs) == (("d", "ratio"), ("y",))
    (gradient,) = (node for node in artifacts.training_model.graph.nodes if node.op_type == "DropoutGrad")
    assert gradient.inputs == ("y_grad", "y_mask", "ratio", "on")


def test_layer_normalization_of_opsets_before_onnx_s_own_is_trained():
    """ONNX Runtime has the op in every opset: typed, differentiated, and written for its format."""
    x, y = (helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["N", 4]), ("y", ["N", 4])))
    weights = [helper.make_tensor(name, 1, [4], np.ones(4)) for name in ("scale", "bias")]
    nodes = [helper.make_node("LayerNormalization", ["x", "scale", "bias"], ["n"]), helper.make_node("Tanh", ["n"], ["y"])]
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    artifacts = build(model_of(proto), ["scale", "bias"], [], LossType.CrossEntropyLoss, None)
    module = Module(to_ort(artifacts.training_model), CheckpointState.load_checkpoint(artifacts.checkpoint()))
    assert np.isfinite(module(np.eye(3, 4, dtype=np.float32), np.array([0, 1, 2])))


def test_a_recurrent_op_is_trained_over_any_number_of_steps():
    """The training graph has Scans in place of the LSTM; its loss is that of the eval graph, and a few updates lower it."""
    x, y = (helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["T", "N", 3]), ("y", ["N", 2])))
    rng = np.random.default_rng(0)
    arrays = {"W": (1, 8, 3), "R": (1, 8, 2), "B": (1, 16)}
    weights = [helper.make_tensor(name, 1, shape, rng.normal(size=shape).ravel()) for name, shape in arrays.items()]
    rows = helper.make_tensor("rows", TensorProto.INT64, [2], [-1, 2])
    nodes = [
        helper.make_node("LSTM", ["x", "W", "R", "B"], ["", "last"], hidden_size=2),
        helper.make_node("Reshape", ["last", "rows"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", [x], [y], [*weights, rows])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    artifacts = build(model_of(proto), list(arrays), [], LossType.CrossEntropyLoss, OptimType.AdamW)
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    module = Module(to_ort(artifacts.training_model), state, to_ort(artifacts.eval_model))
    optimizer = Optimizer(artifacts.optimizer_model, module)
    optimizer.set_learning_rate(0.1)
    for length in (1, 5, 50):
        batch = np.asarray(rng.normal(size=(length, 4, 3)), np.float32), np.array([0, 1, 1, 0])
        losses = []
        for _ in range(5):
            np.testing.assert_allclose(module.eval()(*batch), loss := module.train()(*batch), rtol=1e-6)
            losses.append(float(loss))
            optimizer.step()
            module.lazy_reset_grad()
        assert losses == sorted(losses, reverse=True)
    assert artifacts.eval_model.graph.nodes[0].op_type == "LSTM"


def test_without_a_loss_the_first_output_is_minimised():
    """loss=None: the gradient starts from the model's own scalar."""
    w = helper.make_tensor("w", 1, [1, 1], [2.0])
    x, y = helper.make_tensor_value_info("x", 1, [1, 1]), helper.make_tensor_value_info("y", 1, [])
    shape = helper.make_tensor("scalar", TensorProto.INT64, [0], [])
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Reshape", ["p", "scalar"], ["y"])]
    proto = helper.make_model(
        helper.make_graph(nodes, "g", [x], [y], [w, shape]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    artifacts = build(model_of(proto), ["w"], [], None, None)
    assert [value.name for value in artifacts.eval_model.graph.inputs] == ["x", "w"]
    assert artifacts.training_model.graph.outputs[0].name == "y"


def test_the_optimizer_graph_is_the_real_one_byte_for_byte(golden):
    """Not only its interface: the whole file."""
    assert to_bytes(golden.build().optimizer_model) == (golden.folder / "optimizer_model.onnx").read_bytes()


def test_a_dropout_in_a_body_drops_in_training_alone():
    """In a Scan that is trained through; elsewhere, and in the eval graph, it has lost training_mode."""
    body = helper.make_graph(
        [helper.make_node("MatMul", ["x_t", "w"], ["d"]), helper.make_node("Dropout", ["d", "ratio", "on"], ["y_t"])],
        "body",
        [helper.make_tensor_value_info("x_t", 1, None)],
        [helper.make_tensor_value_info("y_t", 1, None)],
    )
    nodes = [
        helper.make_node("Scan", ["x"], ["rows"], body=body, num_scan_inputs=1),
        helper.make_node("ReduceMean", ["rows"], ["mean"], axes=[0], keepdims=0),
        helper.make_node("MatMul", ["mean", "head"], ["y"]),
    ]
    x, y = (helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["T", "N", 2]), ("y", ["N", 3])))
    weights = [helper.make_tensor("w", 1, [2, 2], np.ones(4)), helper.make_tensor("head", 1, [2, 3], np.ones(6))]
    weights += [helper.make_tensor("ratio", 1, [], [0.5]), helper.make_tensor("on", TensorProto.BOOL, [], [True])]
    proto = helper.make_model(helper.make_graph(nodes, "g", [x], [y], weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for trained, drops in ((["w"], True), (["head"], False)):
        artifacts = build(model_of(proto), trained, [], LossType.CrossEntropyLoss, None)
        found = [dropout_inputs(model.graph) for model in (artifacts.training_model, artifacts.eval_model)]
        assert found == [3 if drops else 2, 2]


def dropout_inputs(graph):
    """Of the only Dropout, which is in a body."""
    (count,) = (len(node.inputs) for scan in graph.nodes for body in subgraphs(scan) for node in body.nodes if node.op_type == "Dropout")
    return count
