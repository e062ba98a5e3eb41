"""InferenceSession against onnxruntime: the same models, asked the same."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

import pagetrain
from pagetrain import onnxformat
from pagetrain.graph import ElementType as E
from pagetrain.graph import Graph, Model, Node, Tensor, TensorType, ValueInfo
from tests.api.golden import DATA

pytestmark = pytest.mark.oracle

MODELS = sorted((DATA.parent / "models").glob("*.onnx"))
TYPES = [E.FLOAT, E.DOUBLE, E.FLOAT16, E.INT8, E.UINT8, E.INT16, E.INT32, E.INT64, E.BOOL, E.STRING]


def both(source):
    """Ours and onnxruntime's."""
    theirs = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"])
    return pagetrain.InferenceSession(source), theirs


def described(values):
    """A size named "?" is none: some exporters write it so where nothing is known."""
    return [(one.name, one.type, [None if size == "?" else size for size in one.shape]) for one in values]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_real_models_are_described_alike(path: Path):
    """Inputs, outputs and metadata."""
    ours, theirs = both(str(path))
    assert described(ours.get_inputs()) == described(theirs.get_inputs())
    assert described(ours.get_overridable_initializers()) == described(theirs.get_overridable_initializers())
    assert described(ours.get_outputs()) == described(theirs.get_outputs())
    mine, other = ours.get_modelmeta(), theirs.get_modelmeta()
    for field in ("producer_name", "graph_name", "domain", "description", "graph_description", "version", "custom_metadata_map"):
        assert getattr(mine, field) == getattr(other, field), field


def without_shapes(path):
    """The model as bytes, with shapes for its inputs alone."""
    model = onnx.load(path)
    del model.graph.value_info[:]
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    return model.SerializeToString()


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_shapes_that_models_leave_open_are_followed(path: Path):
    """To none that onnxruntime contradicts, where it infers them, too; sizes by name are those that a run has."""
    ours, theirs = both(without_shapes(path))
    feeds = feeds_of(path.stem, theirs.get_inputs())
    sizes = {size: fed for one in theirs.get_inputs() for size, fed in zip(one.shape, feeds[one.name].shape, strict=True)}
    for mine, other, made in zip(ours.get_outputs(), theirs.get_outputs(), theirs.run(None, feeds), strict=True):
        if mine.shape and other.shape:
            assert all(a == b or b is None for a, b in zip(mine.shape, other.shape, strict=True)), (mine, other)
        if mine.shape:
            assert [sizes.get(size, size) for size in mine.shape if size is not None] == [
                size for size, known in zip(made.shape, mine.shape, strict=True) if known is not None
            ]


def test_shapes_are_followed_for_most_real_models():
    """So that the test above has something to say."""
    sessions = [pagetrain.InferenceSession(without_shapes(path)) for path in MODELS]
    assert sum(all(one.shape for one in session.get_outputs()) for session in sessions) > len(MODELS) * 3 / 4


@pytest.mark.parametrize("element", TYPES, ids=lambda element: element.name)
def test_types_have_the_same_names(element):
    """Of inputs, with a size, a name and nothing in the shape."""
    kind = TensorType(element, (2, "N", None))
    graph = Graph("g", (Node("Identity", ("x",), ("y",)),), (ValueInfo("x", kind),), (ValueInfo("y", kind),))
    ours, theirs = both(onnxformat.dump(Model(graph, 8, {"": 17})))
    assert described(ours.get_inputs()) == described(theirs.get_inputs())


def test_results_and_refusals_are_alike():
    """Overridden initializers, orders of outputs, all outputs; and what one refuses the other refuses."""
    kind, x = TensorType(E.FLOAT, ("N", 3)), np.arange(6, dtype=np.float32).reshape(2, 3)
    nodes = (Node("Mul", ("x", "w"), ("y",)), Node("Add", ("x", "v"), ("z",)))
    inputs = (ValueInfo("x", kind), ValueInfo("w", TensorType(E.FLOAT, (1,))), ValueInfo("v", kind))
    graph = Graph("g", nodes, inputs, (ValueInfo("y", kind), ValueInfo("z", kind)), (Tensor("w", np.array([2], np.float32)),))
    ours, theirs = both(onnxformat.dump(Model(graph, 8, {"": 17})))
    weight = np.array([3], np.float32)
    for names, feed in [
        (None, {"x": x, "v": x}),
        ([], {"x": x, "v": x}),
        (["z", "y"], {"x": x, "v": x}),
        (["y"], {"x": x, "v": x, "w": weight}),
        (None, {"x": x.tolist(), "v": [[1, 2, 3], [4, 5, 6]]}),
    ]:
        for mine, other in zip(ours.run(names, feed), theirs.run(names, feed), strict=True):
            np.testing.assert_array_equal(mine, other)
            assert mine.dtype == other.dtype
    wide = np.zeros((2, 4), np.float32)
    for names, feed in [
        (["q"], {"x": x, "v": x}),
        ("y", {"x": x, "v": x}),
        (["y"], {"x": x}),
        (None, {"x": x, "v": x, "q": x}),
        (None, {"x": x.astype(float), "v": x}),
        (None, {"x": x[0], "v": x}),
        (None, {"x": wide, "v": x}),
        (None, {"x": [["a", "b", "c"]], "v": x}),
        (None, {"x": [[1], [2, 3]], "v": x}),
        (None, [x, x]),
    ]:
        for session in (ours, theirs):
            with pytest.raises(Exception):  # noqa: B017, PT011 - onnxruntime's types are many
                session.run(names, feed)


DRAWN = "effnet_ts16_train"  # exported in training mode: its Dropout draws
NUMPY = {"tensor(float)": np.float32, "tensor(int64)": np.int64}


@pytest.mark.parametrize("path", [path for path in MODELS if path.stem != DRAWN], ids=lambda path: path.stem)
def test_real_models_answer_alike(path: Path):
    """From the .onnx file as it is, on random inputs of its types."""
    ours, theirs = both(str(path))
    feeds = feeds_of(path.stem, theirs.get_inputs())
    for mine, other in zip(ours.run(None, feeds), theirs.run(None, feeds), strict=True):
        assert mine.dtype == other.dtype
        # Sums in another order: up to 2e-6 of the largest value was seen.
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-5 * (np.abs(other).max() + 1e-2))


def feeds_of(name, inputs):
    """Two rows, 64 for every other open size; whole numbers are 0 or 1."""
    random, feeds = np.random.default_rng(0), {}
    for one in inputs:
        shape = [size if isinstance(size, int) else 64 if axis else 2 for axis, size in enumerate(one.shape)]
        whole = one.type == "tensor(int64)"
        feeds[one.name] = random.integers(0, 2, shape) if whole else random.normal(size=shape).astype(NUMPY[one.type])
    if name == "silero_vad_o15":  # it knows two rates of sound, each with its length
        sound = {"input": random.normal(size=(1, 512)).astype(np.float32), "sr": np.array(16000)}
        feeds = {one.name: sound.get(one.name, np.zeros((2, 1, 128), np.float32)) for one in inputs}
    return feeds
