"""Models beyond what one file or one copy in memory can hold, in small: the limits are arguments."""

import sys
from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from artifacts_tool import LossType, OptimType
from artifacts_tool.generate import Limits, build, files_of, write
from artifacts_tool.onnx_files import onnx_files
from artifacts_tool.onnx_io import read, to_bytes
from artifacts_tool.ort_writer import to_ort
from artifacts_tool.proto_writer import proto_of
from pagetrain import CheckpointState
from pagetrain.errors import InvalidInputError
from pagetrain.graph import Tensor
from pagetrain.onnxformat import dump_pieces

from .memory import peak_of

pytestmark = pytest.mark.oracle


def test_pieces_are_the_serialised_model(golden):
    """Put together they are what protobuf itself writes, and no weight of some size was copied."""
    for model in golden.build().models().values():
        doc = replace(model.graph, initializers=tuple(Tensor(t.name, t.data, "d") for t in model.graph.initializers))
        for one in (model, replace(model, graph=doc, metadata={"k": "v"}, doc_string="text")):
            assert b"".join(dump_pieces(one)) == proto_of(one).SerializeToString(deterministic=True)
    weights = np.zeros(1 << 20, np.float32)
    large = replace(model, graph=replace(model.graph, initializers=(Tensor("w", weights),)))
    assert any(np.shares_memory(np.frombuffer(piece, np.uint8), weights) for piece in dump_pieces(large) if len(piece))


def test_a_model_beyond_one_message_has_its_weights_in_a_second_file(tmp_path):
    """onnxruntime computes the same from both forms, and our own reader finds the same model in them."""
    write_model(tmp_path, 3, 32)
    model = read(tmp_path / "m.onnx")
    whole = to_bytes(model)
    files = onnx_files("two.onnx", model, len(whole) - 1)
    assert set(files) == {"two.onnx", "two.onnx.data"}
    for name, pieces in files.items():
        (tmp_path / name).write_bytes(b"".join(pieces))
    assert to_bytes(read(tmp_path / "two.onnx")) == whole
    feeds = {"r0": np.eye(32, dtype=np.float32)}
    sessions = [onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"]) for source in (tmp_path / "two.onnx", whole)]
    assert np.array_equal(*(session.run(None, feeds)[0] for session in sessions))
    assert onnx_files("one.onnx", model, len(whole)).keys() == {"one.onnx"}
    with pytest.raises(InvalidInputError, match="without its weights"):
        onnx_files("none.onnx", model, 10)


def test_values_beside_the_model_make_no_difference(tmp_path):
    """The artifacts are those of the same model in one file, byte for byte."""
    write_model(tmp_path, 3, 32)
    one = onnx.load(tmp_path / "m.onnx")
    assert one.graph.initializer[0].raw_data
    made = [build(read(source), ["w2"], ["w0"], LossType.MSELoss, OptimType.AdamW) for source in (one, tmp_path / "m.onnx")]
    first, second = (
        {name: content if isinstance(content, bytes) else b"".join(content) for name, content in files_of(artifacts, True, True).items()}
        for artifacts in made
    )
    assert first == second


def test_an_ort_file_beyond_the_limit_says_where_the_weights_should_be(golden):
    """frozen_params is named; so is the file."""
    artifacts = golden.build()
    model = artifacts.training_model
    grown = replace(model, graph=replace(model.graph, initializers=(*model.graph.initializers, Tensor("w", np.zeros(100, np.float32)))))
    with pytest.raises(InvalidInputError, match=r"p_training_model\.ort .*frozen_params"):
        files_of(replace(artifacts, training_model=grown), True, False, "p_", Limits(ort=399))
    assert len(to_ort(model))


def test_a_large_checkpoint_is_written_in_two_files_and_read_again(golden, tmp_path):
    """With a prefix, too; the values are the parameters'."""
    artifacts = golden.build()
    write(artifacts, tmp_path, "p_", nominal_checkpoint=True, limits=Limits(checkpoint=1 << 20))
    names = {path.name for path in tmp_path.iterdir()}
    assert {"p_checkpoint", "p_checkpoint.data", "p_nominal_checkpoint"} <= names
    state = CheckpointState.load_checkpoint(tmp_path / "p_checkpoint")
    assert state.to_bytes() == CheckpointState.load_checkpoint(artifacts.checkpoint()).to_bytes()


def write_model(folder, layers, width):
    """x -> MatMul, Relu, ... with every weight in one file beside the model. Returns the bytes of all weights."""
    nodes, tensors = [], []
    rows = np.random.default_rng(0).normal(size=(width, width)).astype(np.float32)
    with (folder / "m.bin").open("wb") as file:
        for layer in range(layers):
            tensor = TensorProto(name=f"w{layer}", data_type=1, dims=rows.shape, data_location=TensorProto.EXTERNAL)
            for key, value in (("location", "m.bin"), ("offset", layer * rows.nbytes), ("length", rows.nbytes)):
                tensor.external_data.add(key=key, value=str(value))
            tensors.append(tensor)
            rows.tofile(file)
            nodes.append(helper.make_node("MatMul", [f"r{layer}", f"w{layer}"], [f"m{layer}"]))
            nodes.append(helper.make_node("Relu", [f"m{layer}"], [f"r{layer + 1}"]))
    values = [helper.make_tensor_value_info(name, 1, ["N", width]) for name in ("r0", f"r{layers}")]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "m.onnx")
    return layers * rows.nbytes


GENERATE = """
from artifacts_tool import LossType, OptimType, generate_artifacts
frozen = [f"w{{i}}" for i in range({frozen})]
generate_artifacts({path!r}, ["w11"], frozen, LossType.MSELoss, OptimType.AdamW, {out!r}, nominal_checkpoint=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("frozen", [11, 0], ids=["frozen parameters", "weights inside the graphs"])
def test_weights_are_never_held_twice(tmp_path, frozen):
    """The peak is that of an import, the mapped weights once, and some trainable parts: below twice the weights by far."""
    weights = write_model(tmp_path, 12, 1024)  # 48 MiB
    idle = peak_of("import artifacts_tool")
    peak = peak_of(GENERATE.format(frozen=frozen, path=str(tmp_path / "m.onnx"), out=str(tmp_path / "o")))
    # One trainable weight has 4 MiB; 20 MiB are for the graphs, their schemas and what allocators keep: 14 to 16 MiB were measured.
    assert peak - idle < weights + 4 * (4 << 20) + (20 << 20)
    assert sum(path.stat().st_size for path in (tmp_path / "o").iterdir()) > weights
