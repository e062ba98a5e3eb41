"""artifacts_tool.onnxblock: code written for ORT's onnxblock does the same here."""

import inspect

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from artifacts_tool import onnxblock
from artifacts_tool.onnxblock import blocks
from pagetrain.errors import FormatError, InvalidInputError, ShapeMismatchError, StateError
from pagetrain.ortformat import checkpoint

pytestmark = pytest.mark.oracle


@pytest.fixture
def model():
    """y = x w, and a second output z = -x."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="product"), helper.make_node("Neg", ["x"], ["z"], name="minus")]
    values = {name: helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", ["N", 2]), ("y", ["N", 3]), ("z", ["N", 2]))}
    weight = helper.make_tensor("w", 1, [2, 3], np.arange(6) / 4)
    graph = helper.make_graph(nodes, "g", [values["x"]], [values["y"], values["z"]], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


# Arguments and defaults as ORT 1.19.2 documents them.
SURFACE = {
    "MSELoss": "(reduction='mean')",
    "L1Loss": "(reduction='mean')",
    "CrossEntropyLoss": "(weight=None, reduction='mean', ignore_index=None)",
    "BCEWithLogitsLoss": "(weight=None, reduction='mean', pos_weight=None)",
    "AdamW": "(bias_correction=True, betas=(0.9, 0.999), eps=1e-06, weight_decay=0.0, clip_grad=None)",
    "SGD": "(clip_grad=None)",
    "ClipGradNorm": "(max_norm)",
}


@pytest.mark.parametrize("name", SURFACE)
def test_arguments_are_ort_s(name):
    """Same names, order and defaults."""
    block = getattr(onnxblock.loss, name, None) or getattr(onnxblock.optim, name)
    bare = [p.replace(annotation=p.empty) for p in inspect.signature(block).parameters.values()]
    assert str(inspect.Signature(bare)) == SURFACE[name]


UNARY = {"Pow": blocks.Pow(3.0), "Clip": blocks.Clip(-0.5, 0.5), "Cast": blocks.Cast(TensorProto.DOUBLE), "Linear": blocks.Linear(3, 2)}
UNARY |= {op: getattr(blocks, op)() for op in ("ReduceMean", "ReduceSum", "Sigmoid", "Softplus", "Log", "Neg", "Abs")}
BINARY = ("Add", "Sub", "Mul", "Div")


@pytest.mark.parametrize("op", [*UNARY, *BINARY])
def test_a_block_appends_its_node_to_a_copy(model, op):
    """The model handed in stays; the new one is valid and its last node is the op."""
    before = model.SerializeToString()
    with onnxblock.base(model) as accessor:
        output = UNARY[op]("y") if op in UNARY else getattr(blocks, op)()("y", "y")
        made = accessor.model
    assert model.SerializeToString() == before
    assert made.graph.node[-1].op_type == {"Linear": "Gemm"}.get(op, op)
    assert made.graph.node[-1].output[0] == output


def test_constants_have_the_type_of_their_operand(model):
    """Pow on doubles gets a double exponent, where ORT's float one fails."""
    model.graph.input[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    with onnxblock.base(model) as accessor:
        blocks.Pow(2.0).build("x")
        assert accessor.model.graph.initializer[-1].data_type == TensorProto.DOUBLE


def test_label_encoder_sequence_and_norm(model):
    """The blocks of other domains and types."""
    with onnxblock.base(model) as accessor:
        accessor.model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 2))
        blocks.LabelEncoder(keys_int64s=[1, 2], values_floats=[0.5, 1.5], default_float=0.0).build(
            blocks.Cast(TensorProto.INT64).build("y")
        )
        blocks.ReduceAllL2().build("y", "z")
        blocks.SequenceConstruct().build("y", "z")
        assert [n.op_type for n in accessor.model.graph.node][2:] == ["Cast", "LabelEncoder", "ReduceAllL2", "SequenceConstruct"]


def test_an_input_like_another_value(model):
    """InputLike takes type and shape of a graph's input or of any value, under the given or a new name."""
    with onnxblock.base(model) as accessor:
        assert blocks.InputLike("y")("wanted") == "wanted"
        assert blocks.InputLike("x")() == "onnx::input::1"
        added = accessor.model.graph.input[1:]
    assert [value.type for value in added] == [model.graph.output[0].type, model.graph.input[0].type]
    with onnxblock.base(model), pytest.raises(InvalidInputError, match="'nothing'"):
        blocks.InputLike("nothing")()


def test_forward_blocks_register_their_outputs(model):
    """to_model_proto is the model with build's result as its only output."""

    class Mean(onnxblock.ForwardBlock):
        def build(self, name):
            return blocks.ReduceMean(keepdims=False)(name)

    block = Mean()
    with pytest.raises(StateError, match="not built"):
        block.to_model_proto()
    with onnxblock.base(model):
        output = block("y")
    made = block.to_model_proto()
    onnx.checker.check_model(made, full_check=True)
    assert [value.name for value in made.graph.output] == [output]


def test_blocks_need_a_base_and_only_one(model):
    """Outside of base, and base inside base."""
    with pytest.raises(StateError, match=r"with onnxblock\.base"):
        blocks.Neg()("y")
    with onnxblock.base(model), pytest.raises(StateError, match="one model at a time"), onnxblock.empty_base():
        pass
    with onnxblock.empty_base(15) as accessor:
        assert {entry.domain: entry.version for entry in accessor.model.opset_import} == {"com.microsoft": 1, "": 15}


def test_an_invalid_model_is_refused_by_its_block(model):
    """The outermost block checks what was built."""
    with onnxblock.base(model), pytest.raises(FormatError, match="Add makes a model that is not valid"):
        blocks.Add()("y", "nowhere")


def test_a_native_library_is_named_but_not_read(model, tmp_path):
    """Blocks build inside as outside; a file that is not there and a second library are refused, as ORT does."""
    (tmp_path / "ops.so").write_bytes(b"no code")
    with onnxblock.custom_op_library(tmp_path / "ops.so"), onnxblock.base(model):
        blocks.Add()("y", "y")
        with pytest.raises(StateError, match="one at a time"), onnxblock.custom_op_library(tmp_path / "ops.so"):
            pass
    with onnxblock.custom_op_library(tmp_path / "ops.so"):
        pass
    with pytest.raises(InvalidInputError, match="no such file"), onnxblock.custom_op_library(tmp_path / "none.so"):
        pass


def test_a_value_whose_type_is_not_said_has_none(model):
    """A declaration without an element type says nothing."""
    model.graph.output[0].type.tensor_type.elem_type = 0
    name = model.graph.output[0].name
    del model.graph.node[:]
    with onnxblock.base(model), pytest.raises(InvalidInputError, match=f"no value '{name}' with a known type"):
        blocks.Pow(2.0).build(name)


def test_blocks_can_infer_shapes(model):
    """The result is typed, the base is not changed."""
    with onnxblock.base(model) as accessor:
        block = blocks.Add()
        name = block("y", "y")
        before = accessor.model.SerializeToString(deterministic=True)
        typed = block.infer_shapes_on_base()
        assert name in [value.name for value in typed.graph.value_info]
        assert accessor.model.SerializeToString(deterministic=True) == before


@pytest.mark.parametrize("name", ["MSELoss", "L1Loss", "BCEWithLogitsLoss", "CrossEntropyLoss"])
def test_unknown_reductions_are_refused(name):
    """When the block is made."""
    with pytest.raises(InvalidInputError, match="'median'"):
        getattr(onnxblock.loss, name)(reduction="median")


def test_class_weights_are_one_per_class(model):
    """Two weights for three classes, or a matrix."""
    for weight in ([1.0, 2.0], [[1.0, 2.0, 3.0]]):
        with onnxblock.base(model), pytest.raises(ShapeMismatchError, match="one weight per class"):
            onnxblock.loss.CrossEntropyLoss(weight=weight)("y")


def test_the_target_may_be_in_the_graph_already(model):
    """A value of that name is used, not declared anew."""
    with onnxblock.base(model) as accessor:
        onnxblock.loss.MSELoss()("y", target_name="y")
        assert [value.name for value in accessor.model.graph.input] == ["x"]


def test_a_checkpoint_fills_a_model(model, tmp_path):
    """save_checkpoint, then load_checkpoint_to_model into a model with other values; nominal ones hold none."""
    weight = helper.make_tensor("w", 1, [2, 3], np.full(6, 7.0))
    onnxblock.save_checkpoint(([weight], []), tmp_path / "full")
    onnxblock.save_checkpoint(([weight], []), tmp_path / "nominal", nominal_checkpoint=True)
    assert list(checkpoint.load((tmp_path / "full").read_bytes()).trainable) == ["w"]
    onnxblock.load_checkpoint_to_model(tmp_path / "full", model)
    assert np.array_equal(onnx.numpy_helper.to_array(model.graph.initializer[0]), np.full((2, 3), 7.0))
    with pytest.raises(InvalidInputError, match="nominal"):
        onnxblock.load_checkpoint_to_model(tmp_path / "nominal", model)


@pytest.mark.parametrize("clip", [None, onnxblock.optim.ClipGradNorm(0.5)])
@pytest.mark.parametrize("kind", ["AdamW", "SGD"])
def test_optimizer_graphs_have_ort_s_nodes(kind, clip):
    """Clipping first, then the update on what it returns; nothing to train is refused."""
    block = getattr(onnxblock.optim, kind)(clip_grad=clip)
    with onnxblock.empty_base(17):
        block(([helper.make_tensor("w", 1, [1], [1.0])], []))
    *first, update = block.to_model_proto().graph.node
    assert update.op_type == {"AdamW": "AdamWOptimizer", "SGD": "SGDOptimizerV2"}[kind]
    assert [node.op_type for node in first] == (["InplaceClipGradNorm"] if clip else [])
    assert (first[0].output[0] if first else "gradients") in update.input
    with onnxblock.empty_base(17), pytest.raises(InvalidInputError, match="nothing to train"):
        block(([], []))


class Distance(onnxblock.TrainingBlock):
    """The squared error of a value, a new layer behind it, and the value itself as a further output."""

    def __init__(self):
        super().__init__()
        self.layer, self.loss = blocks.Linear(3, 1), onnxblock.loss.MSELoss()

    def build(self, name):
        return self.loss(self.layer(name)), name


def test_training_blocks_append_the_backward_pass(model):
    """Training and eval model, parameters as ORT hands them out; weights that the block itself made can be trained."""
    block = Distance()
    with pytest.raises(StateError, match="not built"):
        block.parameters()
    for name, value in (("w", True), ("onnx::linear.weight::1", True), ("onnx::linear.bias::2", False)):
        block.requires_grad(name, value)
    with onnxblock.base(model) as accessor:
        loss, extra = block("y")
        assert [n.op_type for n in accessor.model.graph.node].count("InPlaceAccumulatorV2") == 2
    training, evaluation = block.to_model_proto()
    assert [value.name for value in evaluation.graph.output] == [loss, extra]
    assert [value.name for value in training.graph.input][:2] == ["x", "target"]
    assert [[tensor.name for tensor in part] for part in block.parameters()] == [["w", "onnx::linear.weight::1"], ["onnx::linear.bias::2"]]
    for made in (training, evaluation):
        onnx.checker.check_model(made, full_check=True)


def test_requires_grad_can_be_taken_back(model):
    """The last word counts."""

    class Square(onnxblock.TrainingBlock):
        def build(self, name):
            return onnxblock.loss.MSELoss()(name)

    block = Square()
    block.requires_grad("w")
    block.requires_grad("w", False)
    with onnxblock.base(model), pytest.raises(InvalidInputError, match="nothing to train"):
        block("y")


def test_a_loss_block_may_bring_its_own_weights(model):
    """generate_artifacts trains them when they are named, as in ORT."""
    from artifacts_tool.generate import build
    from artifacts_tool.proto_reader import model_of

    class Scored(onnxblock.Block):
        def build(self, name):
            return onnxblock.loss.CrossEntropyLoss()(blocks.Linear(3, 2)(name))

    artifacts = build(model_of(model), ["onnx::linear.weight::1"], ["w"], Scored(), None, loss_input_names=["y"])
    assert [(p.name, p.trainable) for p in artifacts.parameters] == [("w", False), ("onnx::linear.weight::1", True)]
