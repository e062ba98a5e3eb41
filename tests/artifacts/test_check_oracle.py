"""check and inspect: all that is in the way at once, what would train, and the command line around them."""

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType
from artifacts_tool.check import check
from artifacts_tool.cli import main
from artifacts_tool.inspection import inspect
from artifacts_tool.layers import layers_of, matching
from artifacts_tool.logits import find_scored
from artifacts_tool.proto_reader import model_of
from pagetrain.errors import InvalidInputError

pytestmark = pytest.mark.oracle

RNG = np.random.default_rng(3)
SHAPES = {
    "w1": (4, 6),
    "b1": (6,),
    "w2": (6, 6),
    "b2": (6,),
    "scale": (6,),
    "bias": (6,),
    "mean": (6,),
    "var": (6,),
    "w3": (6, 3),
    "idle": (2,),
}


def proto(nodes=(), outputs=(("logits", 1, ["N", 3]),), shapes=SHAPES):
    """x (N, 4) -> MatMul + Add -> Relu -> MatMul + Add -> BatchNormalization -> MatMul -> logits (N, 3), and more nodes."""
    network = [
        helper.make_node("MatMul", ["x", "w1"], ["p1"], name="first"),
        helper.make_node("Add", ["p1", "b1"], ["h1"], name="first_bias"),
        helper.make_node("Relu", ["h1"], ["a1"], name="relu"),
        helper.make_node("MatMul", ["a1", "w2"], ["p2"], name="second"),
        helper.make_node("Add", ["b2", "p2"], ["h2"], name="second_bias"),
        helper.make_node("BatchNormalization", ["h2", "scale", "bias", "mean", "var"], ["n"], name="norm"),
        helper.make_node("MatMul", ["n", "w3"], ["logits"], name="third"),
    ]
    weights = [onnx.numpy_helper.from_array(RNG.random(shape).astype(np.float32), name) for name, shape in shapes.items()]
    values = [helper.make_tensor_value_info(*output) for output in outputs]
    graph = helper.make_graph([*network, *nodes], "g", [helper.make_tensor_value_info("x", 1, ["N", 4])], values, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def checked(*patterns, made=None, **options):
    return check(model_of(made or proto()), patterns, LossType.CrossEntropyLoss, **options)


def test_what_would_train_and_where_the_prefix_ends():
    """Names, shapes, counts, and the size of one cached input."""
    report = checked("last:1")
    assert report.blockers == []
    assert report.trainable == {"w3": (6, 3)}
    assert (report.trainable_parameters, report.total_parameters) == (18, sum(int(np.prod(shape)) for shape in SHAPES.values()))
    assert [(p.value, p.shape, p.elements, p.bytes) for p in report.prefix] == [("n", ("N", 6), 6, 24)]


def test_a_bias_that_is_added_belongs_to_its_layer():
    """On either side of the addition; statistics are no weights of a layer."""
    layers = [(layer.node.name, layer.weights) for layer in layers_of(model_of(proto()).graph)]
    assert layers == [("first", ("w1", "b1")), ("second", ("w2", "b2")), ("norm", ("scale", "bias")), ("third", ("w3",))]


@pytest.mark.parametrize(
    "pattern,names",
    [("last:2", ["scale", "bias", "w3"]), ("last:99", ["w1", "b1", "w2", "b2", "scale", "bias", "w3"]), ("w?", ["w1", "w2", "w3"])],
)
def test_patterns(pattern, names):
    """The last layers (all, if there are fewer), and * and ?."""
    assert matching(model_of(proto()).graph, [pattern]) == names


@pytest.mark.parametrize("pattern", ["last:0", "last:x", "last:", "nothing"])
def test_senseless_patterns(pattern):
    """One sentence that names the pattern."""
    with pytest.raises(InvalidInputError, match=pattern):
        matching(model_of(proto()).graph, [pattern])


def test_everything_in_the_way_is_said_at_once():
    """Statistics, a weight that no node uses, one that the loss does not see, an op without gradient and kernel, a kept name."""
    aside = helper.make_node("Mul", ["p1", "aside"], ["nowhere"], name="dead_end")
    made = proto([aside], shapes={**SHAPES, "aside": (6,), "w3_grad": (2, 2)})
    made.graph.node[2].op_type, made.graph.node[2].name = "Bernoulli", "dice"
    report = checked("*", made=made)
    found = {(blocker.op, blocker.node): blocker.why for blocker in report.blockers if blocker.op}
    assert "'mean', 'var'" in found["BatchNormalization", "norm"]
    assert ("Bernoulli", "dice") in found
    assert "cuts off 'w1', 'b1'" in found["Bernoulli", "dice"]
    others = " ".join(blocker.why for blocker in report.blockers if not blocker.op)
    for why in (
        "'idle', 'w3_grad': no node uses it",
        "'aside': the loss on 'logits' does not depend on it",
        "'w3_grad' is one that the trainer",
    ):
        assert why in others
    assert all(blocker.fix for blocker in report.blockers)
    assert [blocker.why for blocker in report.blockers if "no kernel for :Bernoulli:15" in blocker.why]


def test_fix_leaves_out_what_cannot_train():
    """With a note for each, and then nothing is in the way."""
    report = checked("*", fix=True)
    assert report.blockers == []
    assert list(report.trainable) == ["w1", "b1", "w2", "b2", "scale", "bias", "w3"]
    assert len(report.notes) == 2
    assert "'mean', 'var' left out" in report.notes[0]
    assert "'idle' left out" in report.notes[1]


def test_a_loss_on_a_value_of_the_wrong_shape():
    """Scores of one axis; a value that does not exist."""
    for name, why in (("nothing", "got ['nothing']"), ("mean", "needs scores of shape (N, classes)")):
        assert any(why in blocker.why for blocker in checked("w3", logits=name).blockers)


SOFTMAX = helper.make_node("Softmax", ["logits"], ["p"], name="soft")
ARGMAX = helper.make_node("ArgMax", ["p"], ["label"], axis=1, keepdims=0, name="best")


@pytest.mark.parametrize(
    "nodes,outputs,expected",
    [
        ([], [("logits", 1, ["N", 3])], "logits"),
        ([SOFTMAX], [("p", 1, ["N", 3])], "logits"),
        ([SOFTMAX, ARGMAX], [("label", TensorProto.INT64, ["N"]), ("p", 1, ["N", 3])], "logits"),
        ([helper.make_node("ArgMax", ["logits"], ["label"], axis=1, keepdims=0)], [("label", TensorProto.INT64, ["N"])], "logits"),
        ([helper.make_node("Sigmoid", ["logits"], ["s"])], [("s", 1, ["N", 3])], "s"),
    ],
)
def test_the_loss_is_put_before_the_softmax_or_the_label(nodes, outputs, expected):
    """With a note; a Sigmoid is no Softmax."""
    made = proto(nodes, outputs)
    scored, why = find_scored(model_of(made).graph, LossType.CrossEntropyLoss)
    assert scored == expected
    assert bool(why) == (outputs[0][0] != expected)
    report = checked("w3", made=made)
    assert report.blockers == []
    assert bool(report.notes) == bool(why)


def test_binary_cross_entropy_stands_before_the_sigmoid():
    """And an error of squares stays on the output."""
    graph = model_of(proto([helper.make_node("Sigmoid", ["logits"], ["s"])], [("s", 1, ["N", 3])])).graph
    assert find_scored(graph, LossType.BCEWithLogitsLoss)[0] == "logits"
    assert find_scored(graph, LossType.MSELoss)[0] == "s"


def test_inspect_counts_ops_and_layers():
    """Each op version once, with what it lacks; layers with their weights."""
    found = inspect(model_of(proto([helper.make_node("Bernoulli", ["x"], ["dice"])])))
    ops = {op.op: (op.count, op.runs, op.trains) for op in found.ops}
    assert ops[":MatMul:13"] == (3, True, True)
    assert ops[":Bernoulli:15"] == (1, False, False)
    assert [layer.node for layer in found.layers] == ["first", "second", "norm", "third"]
    assert found.layers[0].parameters == 30
    assert found.inputs == {"x": ("float", ("N", 4))}


@pytest.fixture
def saved(tmp_path):
    onnx.save(proto([SOFTMAX], [("p", 1, ["N", 3])]), tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


def test_check_says_yes_or_no_by_its_exit_code(saved, capsys):
    """0 when the model is ready, 1 when something is in the way; text or JSON."""
    assert main(["check", saved, "--trainable", "last:1"]) == 0
    text = capsys.readouterr().out
    for part in ("trains 18 of", "'n' (N, 6): 6 numbers, 24 bytes", "before it", "ready to train"):
        assert part in text
    assert main(["check", saved, "--trainable", "*"]) == 1
    assert "2 in the way" in capsys.readouterr().out
    assert main(["check", saved, "--trainable", "*", "--fix", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["scored"], report["blockers"]) == ("logits", [])
    assert main(["check", saved, "--trainable", "*", "--json"]) == 1
    assert set(json.loads(capsys.readouterr().out)["blockers"][0]) == {"node", "op", "why", "fix"}


def test_inspect_prints_text_or_json(saved, capsys):
    """The same facts in both."""
    assert main(["inspect", saved]) == 0
    text = capsys.readouterr().out
    assert "last:1 MatMul 'third': w3 (6, 3)" in text
    assert "input 'x': float (N, 4)" in text
    assert main(["inspect", saved, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["opsets"] == {"": 17}


def test_generate_takes_layers_and_finds_the_logits(saved, tmp_path, capsys):
    """last:1, and a note that the loss stands before the Softmax."""
    assert main(["generate", saved, "--trainable", "last:1", "--out", str(tmp_path / "o")]) == 0
    assert "CrossEntropyLoss belongs on 'logits'" in capsys.readouterr().err
    made = onnx.load(tmp_path / "o" / "training_model.onnx")
    assert [node.input[0] for node in made.graph.node if node.op_type == "SoftmaxCrossEntropyLoss"] == ["logits"]


def test_generate_prints_its_files_as_json(saved, tmp_path, capsys):
    """{"files": {path: bytes}}, and the note stays out of it."""
    assert main(["generate", saved, "--trainable", "last:1", "--out", str(tmp_path / "o"), "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files == {str(path): path.stat().st_size for path in (tmp_path / "o").iterdir()}
