"""What check remarks on although nothing is in the way, on the smallest model that has it; and nothing where there is nothing."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType

from .small_models import checked, model, network

pytestmark = pytest.mark.oracle

NODE = helper.make_node
LOGITS = [("logits", 1, ["N", 3])]
W = {"w": (4, 3)}
X = {"x": ["N", 4]}
HEAD = NODE("MatMul", ["h", "w"], ["logits"], name="head")


def only(report):
    """The one note of a report without blockers."""
    assert report.ready, report.blockers
    assert len(report.notes) == 1, report.notes
    return report.notes[0]


def test_a_plain_model_needs_no_remark():
    """So that every note means something."""
    assert checked(model([NODE("Relu", ["x"], ["h"]), HEAD], X, LOGITS, W), "w").notes == []


TRAINING = {"ratio": np.array(0.5, np.float32), "yes": np.array(True)}


def test_dropout_that_drops():
    """Exported in training mode, and behind a trained weight."""
    nodes = [NODE("MatMul", ["x", "v"], ["m"]), NODE("Dropout", ["m", "ratio", "yes"], ["h"], name="drop"), HEAD]
    assert only(checked(model(nodes, X, LOGITS, {**W, **TRAINING, "v": (4, 4)}), "*")).startswith("Dropout 'drop': drops in training")
    assert "before all that is trained" in only(checked(model(nodes, X, LOGITS, {**W, **TRAINING, "v": (4, 4)}), "w"))


def test_dropout_that_does_nothing():
    """Exported for evaluation."""
    made = model([NODE("Dropout", ["x"], ["h"], name="drop"), HEAD], X, LOGITS, W)
    assert "Dropout 'drop': exported for evaluation, so nothing is dropped" in only(checked(made, "w"))


def test_dropout_of_nothing():
    """A ratio of 0 drops nothing in either mode."""
    nodes = [NODE("MatMul", ["x", "v"], ["m"]), NODE("Dropout", ["m", "ratio", "yes"], ["h"]), HEAD]
    values = {**TRAINING, "ratio": np.array(0, np.float32)}
    assert checked(model(nodes, X, LOGITS, {**W, **values, "v": (4, 4)}), "*").notes == []


def test_batch_normalization():
    """By the statistics of the batch: the frozen prefix ends before it. By running ones, as exported, there is nothing to say."""
    assert checked(network(), "w3").notes == []
    asked = checked(network(), "w3", batch_statistics=True)
    assert "goes by the statistics of each batch in training, as --batch-statistics says" in only(asked)
    assert [cached.value for cached in asked.prefix] == ["h2"]
    made = network()
    made.graph.node[5].attribute.append(helper.make_attribute("training_mode", 1))
    made.graph.node[5].output.extend(["mean_now", "var_now"])
    exported = checked(made, "w3")
    assert "BatchNormalization 'norm': goes by the statistics of each batch in training, as exported" in only(exported)
    assert [cached.value for cached in exported.prefix] == ["h2"]


def test_vectors_without_their_matrix():
    """A pattern for the names of a layer misses a weight that the exporter has renamed; not so when it is named too."""
    nodes = [NODE("MatMul", ["x", "onnx::MatMul_1"], ["m"]), NODE("Add", ["m", "fc.bias"], ["h"]), HEAD]
    made = model(nodes, X, LOGITS, {**W, "onnx::MatMul_1": (4, 4), "fc.bias": (4,)})
    assert only(checked(made, "fc.*", "w")).startswith("'fc.bias' trains without the matrix of its layer, 'onnx::MatMul_1': exporters")
    assert checked(made, "fc.*", "onnx::*").notes == []


def test_a_loss_of_several_numbers():
    """Taken for the loss as it is, it is summed."""
    nodes = [NODE("Relu", ["x"], ["h"]), HEAD]
    note = only(checked(model(nodes, X, LOGITS, W), "w", loss=None))
    assert note == "'logits' is taken for the loss itself, but is (N, 3), not one number: what falls in training is the sum."


def test_shared_weights():
    """By every node that reads them, a Transpose on the way or not."""
    nodes = [
        NODE("MatMul", ["x", "v"], ["h1"], name="in"),
        NODE("Transpose", ["v"], ["vt"], perm=[1, 0], name="turn"),
        NODE("MatMul", ["h1", "vt"], ["h"], name="back"),
        HEAD,
    ]
    shared, turned = checked(model(nodes, X, LOGITS, {**W, "v": (4, 4)}), "v").notes
    assert shared.startswith("'v' is shared by MatMul 'in', MatMul 'back': a shared weight is one weight")
    assert turned.startswith("'v' is used through Transpose 'turn'")


def test_weights_that_an_exporter_has_merged():
    """Equal when exported, as the scales of layers that were never trained."""
    nodes = [NODE("Mul", ["x", "g"], ["a"], name="one"), NODE("Relu", ["a"], ["b"]), NODE("Mul", ["b", "g"], ["h"], name="two"), HEAD]
    shared, merged = checked(model(nodes, X, LOGITS, {**W, "g": np.ones(4, np.float32)}), "g").notes
    assert shared.startswith("'g' is shared by Mul 'one', Mul 'two'")
    assert merged.startswith("'g' holds one number throughout: separate weights that were equal")
    assert len(checked(model(nodes, X, LOGITS, {**W, "g": np.arange(4, dtype=np.float32)}), "g").notes) == 1


def test_many_shared_weights_are_one_note():
    """The first in full."""
    nodes = [
        NODE("Mul", ["x", "g"], ["a"], name="one"),
        NODE("Add", ["a", "s"], ["b"], name="two"),
        NODE("Mul", ["b", "g"], ["c"], name="three"),
    ]
    made = model([*nodes, NODE("Add", ["c", "s"], ["h"], name="four"), HEAD], X, LOGITS, {**W, "g": (4,), "s": (4,)})
    assert "so is 's', by nodes of its own" in only(checked(made, "*"))


def test_wrapped_weights():
    """Named as the file names them; an Identity changes nothing that were worth a note."""
    for op, shape in (("Identity", (4, 3)), ("Transpose", (3, 4))):
        made = model([NODE(op, ["v"], ["w"], name="wrap"), NODE("MatMul", ["x", "w"], ["logits"])], X, LOGITS, {"v": shape})
        report = checked(made, "v")
        assert [weight.name for weight in report.trainable] == ["v"]
        assert [note.split(";")[0] for note in report.notes] == (["'v' is used through Transpose 'wrap'"] if op == "Transpose" else [])


def test_weights_in_constant_nodes():
    """Go by the name of the node's output."""
    value = onnx.numpy_helper.from_array(np.ones((4, 3), np.float32))
    made = model([NODE("Constant", [], ["w"], value=value), NODE("MatMul", ["x", "w"], ["logits"])], X, LOGITS, {})
    assert [weight.name for weight in checked(made, "w").trainable] == ["w"]


@pytest.mark.parametrize("kind,dtype", [(TensorProto.FLOAT16, np.float16), (TensorProto.BFLOAT16, ml_dtypes.bfloat16)])
def test_half_precision(kind, dtype):
    """Trained as float32."""
    made = model([NODE("MatMul", ["x", "w"], ["logits"])], X, [("logits", kind, ["N", 3])], {"w": np.ones((4, 3), dtype)})
    made.graph.input[0].type.tensor_type.elem_type = kind
    assert only(checked(made, "w")).startswith(f"'w': {TensorProto.DataType.Name(kind).lower()} in the model, float32 in training")


def test_a_sigmoid_is_no_softmax():
    """Scored by CrossEntropyLoss it stays where it is, and the loss that fits is proposed."""
    made = model([NODE("MatMul", ["x", "w"], ["s"]), NODE("Sigmoid", ["s"], ["y"], name="squash")], X, [("y", 1, ["N", 3])], W)
    note = only(checked(made, "w"))
    assert "'y' comes out of Sigmoid 'squash', but CrossEntropyLoss wants scores" in note
    assert "--loss BCEWithLogitsLoss --loss-input-names 's'" in note
    assert "so BCEWithLogitsLoss belongs on 's'" in only(checked(made, "w", loss=LossType.BCEWithLogitsLoss))


def test_a_softmax_that_was_asked_for():
    """By name."""
    made = model([NODE("MatMul", ["x", "w"], ["s"]), NODE("Softmax", ["s"], ["y"], name="soft")], X, [("y", 1, ["N", 3])], W)
    assert "'y' comes out of Softmax 'soft'" in only(checked(made, "w", loss_input_names=["y"]))


def test_a_fixed_batch():
    """As many examples in every step."""
    made = model([NODE("MatMul", ["x", "w"], ["logits"])], {"x": [5, 4]}, [("logits", 1, [5, 3])], W)
    assert "the batch is fixed: 'logits' has 5 rows" in only(checked(made, "w"))


def test_an_open_number_of_classes():
    """With its name."""
    made = model(
        [NODE("MatMul", ["x", "y"], ["p"]), NODE("Mul", ["p", "w"], ["logits"])],
        {**X, "y": [4, "C"]},
        [("logits", 1, ["N", "C"])],
        {"w": (1, 1)},
    )
    assert "the number of classes of 'logits' is open (C)" in " ".join(checked(made, "w").notes)


def test_classes_on_axis_1():
    """ONNX's rule, said where there are more axes."""
    made = model([NODE("MatMul", ["x", "w"], ["logits"])], {"x": ["N", 7, 4]}, [("logits", 1, ["N", 7, 3])], W)
    assert "axis 1 of 'logits' (N, 7, 3) is that of the classes" in only(checked(made, "w"))


def test_open_sizes_before_a_layer_of_fixed_width():
    """The layer, its width, and the input whose sizes are open."""
    made = model(
        [NODE("Relu", ["x"], ["r"]), NODE("Flatten", ["r"], ["h"]), NODE("Gemm", ["h", "w"], ["logits"], name="head")],
        {"x": ["N", 1, "H", "W"]},
        LOGITS,
        W,
    )
    report = checked(made, "w")
    assert "Gemm 'head' takes exactly 4 numbers, but how many come depends on the open sizes of 'x' (N, 1, H, W)" in only(report)
    assert report.prefix[0].open_sizes == ("H", "W")


def test_a_width_that_no_open_size_moves():
    """Pooled away before, though ONNX cannot infer it from a Reshape by calculated sizes."""
    nodes = [
        NODE("GlobalAveragePool", ["x"], ["g"]),
        NODE("Shape", ["g"], ["s"], end=2),
        NODE("Reshape", ["g", "s"], ["h"]),
        NODE("Gemm", ["h", "w"], ["logits"], name="head"),
    ]
    assert checked(model(nodes, {"x": ["N", 4, "H", "W"]}, LOGITS, W), "w").notes == []


def test_an_input_for_the_labels():
    """Of the model's own."""
    made = model([NODE("MatMul", ["x", "w"], ["logits"])], {**X, "target": ["N", 3]}, LOGITS, W)
    assert "the model's own input 'target' is taken for the labels" in only(checked(made, "w", loss=LossType.MSELoss))


@pytest.mark.parametrize(
    "opset,ir_version,note",
    [
        (22, 8, "cannot load these artifacts (pagetrain can): opset 22"),
        (13, 11, "cannot load the .onnx artifacts (pagetrain can): IR version 11"),
    ],
)
def test_what_the_real_trainer_does_not_load(opset, ir_version, note):
    """Seen with onnxruntime-training 1.19.2: opset 22 fails in both formats, IR version 11 as .onnx only; opset 21 and IR 10 load."""
    made = model([NODE("Relu", ["x"], ["h"]), HEAD], X, LOGITS, W, opset=opset)
    made.ir_version = ir_version
    assert note in only(checked(made, "w"))


def test_what_the_real_trainer_does_not_run():
    """ConvTransposeGrad, where padding follows from sizes: onnxruntime-training 1.19.2 has no kernel for it."""
    first = NODE("ConvTranspose", ["x", "k"], ["c"], auto_pad="SAME_UPPER")
    nodes = [first, NODE("GlobalAveragePool", ["c"], ["g"]), NODE("Flatten", ["g"], ["logits"])]
    made = model(nodes, {"x": ["N", 2, 4, 4]}, LOGITS, {"k": (2, 3, 2, 2)})
    assert "it has no kernel for ConvTransposeGrad" in only(checked(made, "k"))


def test_what_the_real_trainer_does_not_read():
    """Frozen float16 parameters: seen with onnxruntime-training 1.19.2, "Unsupported data type: 10" when the checkpoint is loaded."""
    nodes = [NODE("Cast", ["v"], ["v32"], to=TensorProto.FLOAT), NODE("Mul", ["x", "v32"], ["h"]), HEAD]
    made = model(nodes, X, LOGITS, {**W, "v": np.ones((1, 4), np.float16)})
    assert "cannot read this checkpoint (pagetrain can): 'v' are frozen parameters of half precision" in only(checked(made, "w"))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers(value):
    """Frozen ones too: they spread all the same."""
    frozen = np.zeros((4, 4), np.float32)
    frozen[2, 1] = value
    made = model([NODE("MatMul", ["x", "v"], ["h"]), HEAD], X, LOGITS, {**W, "v": frozen})
    assert only(checked(made, "w")).startswith("'v': holds NaN or infinite values")
