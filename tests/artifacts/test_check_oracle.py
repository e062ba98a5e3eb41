"""The report of check: what would train, the frozen prefix, sizes, what `fix` does."""

import numpy as np
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType, OptimType
from artifacts_tool.check import Request, check
from artifacts_tool.generate import write
from artifacts_tool.onnx_io import read

from .small_models import ARGMAX, SHAPES, SOFTMAX, checked, model, network

pytestmark = pytest.mark.oracle

NODE = helper.make_node


def test_what_would_train_and_where_the_prefix_ends():
    """Names, shapes, owners, counts, and the size of one cached example."""
    report = checked(network(), "last:1")
    assert (report.ready, report.blockers) == (True, [])
    assert [(one.name, one.shape, one.elements, one.node, one.op) for one in report.trainable] == [("w3", (6, 3), 18, "third", "MatMul")]
    counted = [shape for name, shape in SHAPES.items() if name not in ("mean", "var", "idle")]
    assert (report.trainable_parameters, report.total_parameters) == (18, sum(int(np.prod(shape)) for shape in counted))
    assert [(p.value, p.shape, p.elements, p.bytes, p.open_sizes) for p in report.prefix] == [("n", ("N", 6), 6, 24, ())]


def test_sizes_are_those_of_the_files(convnet, tmp_path):
    """The checkpoint's to the byte; the download's is the sum of what a page fetches."""
    found = check(read(convnet), Request(["head.*"], optimizer=OptimType.AdamW))
    write(found.artifacts, tmp_path, ort_format=True, nominal_checkpoint=True)
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    values = sum(parameter.tensor.data.nbytes for parameter in found.artifacts.parameters)
    fetched = [size for name, size in sizes.items() if name.endswith(".ort") or name == "nominal_checkpoint"]
    assert found.report.checkpoint_bytes == sizes["checkpoint"]
    assert found.report.download_bytes == sum(fetched) + values


def test_a_prefix_of_open_size():
    """Which of the input's sizes leave it open."""
    nodes = [NODE("Conv", ["x", "k"], ["c"]), NODE("GlobalAveragePool", ["c"], ["g"]), NODE("Flatten", ["g"], ["f"])]
    made = model(
        [*nodes, NODE("MatMul", ["f", "w"], ["logits"])],
        {"x": ["N", 3, "height", "width"]},
        [("logits", 1, ["N", 2])],
        {"k": (4, 3, 1, 1), "w": (4, 2)},
    )
    (whole,) = checked(made, "*").prefix
    assert (whole.value, whole.elements, whole.bytes, whole.open_sizes) == ("x", None, None, ("height", "width"))
    (features,) = checked(made, "w").prefix
    assert (features.value, features.bytes) == ("f", 16)


def test_what_only_the_gradients_need_is_said_to_be_theirs():
    """A normalised input, of which the gradient by the scale is made."""
    first, second = checked(network(), "scale", "w3").prefix
    assert (first.value, first.for_gradients) == ("h2", False)
    assert (second.shape, second.bytes, second.for_gradients) == (("N", 6), 24, True)


def test_every_input_of_the_model_is_data():
    """A prefix of two inputs ends at two values."""
    nodes = [NODE("Relu", ["x"], ["a"]), NODE("Tanh", ["y"], ["b"]), NODE("Mul", ["b", "s"], ["c"]), NODE("Add", ["a", "c"], ["h"])]
    made = model(
        [*nodes, NODE("MatMul", ["h", "w"], ["logits"])],
        {"x": ["N", 4], "y": ["N", 4]},
        [("logits", 1, ["N", 3])],
        {"s": (4,), "w": (4, 3)},
    )
    assert [cached.value for cached in checked(made, "s").prefix] == ["a", "b"]


def test_fix_leaves_out_what_cannot_train():
    """With a note for each, and then nothing is in the way."""
    report = checked(network(), "*", fix=True)
    assert report.ready
    assert [weight.name for weight in report.trainable] == ["w1", "b1", "w2", "b2", "scale", "bias", "w3"]
    left_out = [note for note in report.notes if note.startswith("left out of training")]
    assert ["'mean', 'var'" in left_out[0], "'idle'" in left_out[1], len(left_out)] == [True, True, 2]


def test_fix_does_not_leave_out_everything():
    """With nothing left it says so."""
    report = checked(network(), "idle", fix=True)
    assert [blocker.why for blocker in report.blockers] == ["nothing is left to train"]


def test_fix_keeps_what_an_op_without_gradient_cuts_off():
    """To freeze a working part is for the person to decide."""
    nodes = [NODE("Magic", ["x"], ["h"], domain="my.ops"), NODE("Mul", ["h", "v"], ["m"]), NODE("MatMul", ["m", "w"], ["logits"])]
    made = model(nodes, {"x": ["N", 4]}, [("logits", 1, ["N", 3])], {"v": (4,), "w": (4, 3)}, domains=["my.ops"])
    assert [blocker.op for blocker in checked(made, "*", fix=True).blockers] == ["Magic"]


@pytest.mark.parametrize(
    "nodes,outputs,expected",
    [
        ([], [("logits", 1, ["N", 3])], "logits"),
        ([SOFTMAX], [("p", 1, ["N", 3])], "logits"),
        ([SOFTMAX, ARGMAX], [("label", TensorProto.INT64, ["N"]), ("p", 1, ["N", 3])], "logits"),
        ([NODE("ArgMax", ["logits"], ["label"], axis=1, keepdims=0)], [("label", TensorProto.INT64, ["N"])], "logits"),
        ([NODE("NonZero", ["x"], ["seen"])], [("seen", TensorProto.INT64, [2, None]), ("logits", 1, ["N", 3])], "logits"),
    ],
)
def test_a_model_that_ends_in_probabilities_or_a_label_trains(nodes, outputs, expected):
    """On what comes before; a note says so where it is no output."""
    report = checked(network(nodes, outputs), "w3")
    assert (report.ready, report.scored) == (True, expected)
    assert any("so CrossEntropyLoss belongs on 'logits'" in note for note in report.notes) == (
        expected not in [name for name, *_ in outputs]
    )


@pytest.mark.parametrize(
    "nodes,outputs,because",
    [
        ([], [("logits", 1, ["N", 3])], "the model's output"),
        (
            [NODE("Relu", ["logits"], ["r"])],
            [("r", 1, ["N", 3]), ("logits", 1, ["N", 3])],
            "the first of floats among the outputs r, logits",
        ),
        ([SOFTMAX], [("p", 1, ["N", 3])], "'p' comes out of Softmax 'soft'"),
    ],
)
def test_why_a_value_is_scored(nodes, outputs, because):
    """Said for each."""
    assert because in checked(network(nodes, outputs), "w3").scored_because
    assert checked(network(nodes, outputs), "w3", loss_input_names=["n"]).scored_because == "named by --loss-input-names"


def test_the_output_may_be_the_loss():
    """Without a loss of ours the first output is what gets smaller."""
    made = network([NODE("ReduceMean", ["logits"], ["loss"], keepdims=0)], [("loss", 1, [])])
    report = checked(made, "w3", loss=None)
    assert (report.ready, report.loss, report.scored, report.labels) == (True, "", "loss", "")


@pytest.mark.parametrize("loss,labels", [(LossType.CrossEntropyLoss, "labels"), (LossType.MSELoss, "target")])
def test_the_input_that_the_loss_takes(loss, labels):
    """Its usual name, or the one that is asked for."""
    assert checked(network(), "w3", loss=loss).labels == labels
    named = check(read(network()), Request(["w3"], loss=loss, loss_input_names=["logits", "wanted"]))
    assert named.report.labels == "wanted"
    assert "wanted" in [value.name for value in named.artifacts.training_model.graph.inputs]


def test_frozen_names_what_becomes_a_parameter():
    """The other weights stay constants of the graphs."""
    made = check(read(network()), Request(["w3"], frozen=["w2", "b?"])).artifacts
    assert {one.name: one.trainable for one in made.parameters} == {"b1": False, "w2": False, "b2": False, "w3": True}
