"""Damaged and hostile models: one error of ours from every entry, none of Python's or onnx's."""

import json

import numpy as np
import onnx
import pytest
from onnx import helper

from artifacts_tool import LossType, generate_artifacts
from artifacts_tool.cli import main
from artifacts_tool.onnx_io import read
from pagetrain.errors import FormatError, PagetrainError

from .hostile_models import FILES, MODELS, W, good, good_external, graphs_deep_inside_each_other, model
from .memory import run

pytestmark = pytest.mark.oracle


def test_the_good_ones_are_read(tmp_path):
    """So that the others are refused for what is wrong with them."""
    assert read(good()).graph.initializers[0].data.tolist() == W.tolist()
    tensor = read(good_external(tmp_path)).graph.initializers[0]
    assert tensor.data.tolist() == W.tolist()
    assert not tensor.data.flags.owndata


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_hostile_models_are_refused(make):
    """As a proto and as bytes: a FormatError of one line."""
    proto = make()
    for source in (proto, proto.SerializeToString()):
        with pytest.raises(FormatError) as caught:
            read(source)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("levels", [40, 5000])
def test_graphs_deep_inside_each_other_are_refused(levels):
    """Neither Python's nor C's stack is used up."""
    with pytest.raises(FormatError, match="deep"):
        read(graphs_deep_inside_each_other(levels))


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_hostile_files_are_refused(make, tmp_path, capsys):
    """From read, generate_artifacts and all commands: exit code 1, one line, nothing written."""
    path = make(tmp_path)
    with pytest.raises(FormatError):
        read(path)
    with pytest.raises(FormatError):
        generate_artifacts(path, ["w"], loss=LossType.MSELoss, artifact_directory=tmp_path / "out")
    for command in (["inspect"], ["check", "--trainable", "w"], ["generate", "--trainable", "w", "--out", str(tmp_path / "out")]):
        assert main([command[0], str(path), *command[1:]]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_cut_short_anywhere():
    """A model that ends early is an error, or a smaller model where a whole field is missing."""
    data = good().SerializeToString()
    refused = 0
    for size in range(len(data)):
        try:
            read(data[:size])
        except PagetrainError:
            refused += 1
    assert refused > len(data) * 0.9


def test_external_values_need_a_path(tmp_path):
    """A proto or bytes do not say in which folder to look, so nothing is opened."""
    data = good_external(tmp_path).read_bytes()
    with pytest.raises(FormatError, match="give the path"):
        read(data)


def test_places_in_a_file_may_overlap(tmp_path):
    """Tied weights are stored once."""
    path = good_external(tmp_path)
    proto = onnx.load(path, load_external_data=False)
    second = proto.graph.initializer.add()
    second.CopyFrom(proto.graph.initializer[0])
    second.name = "tied"
    path.write_bytes(proto.SerializeToString())
    assert [tensor.data.tolist() for tensor in read(path).graph.initializers] == [W.tolist()] * 2


def test_unsorted_nodes_are_sorted():
    """ONNX asks for an order; a model that lost it is as good as one that has it."""
    nodes = [helper.make_node("Neg", ["b"], ["w"]), helper.make_node("Abs", ["a"], ["b"])]
    made = read(model(nodes, [("a", np.ones((2, 3), np.float32))]))
    assert [node.op_type for node in made.graph.nodes] == ["Abs", "Neg", "MatMul"]


def test_bombs_are_defused():
    """Each is refused with an error of ours, or built with its nodes as they are, in 4 GB of addresses and a minute at most."""
    done = run("from tests.artifacts.bombs import main; main()", memory=4_000_000_000)
    assert done.returncode == 0, done.stderr[-2000:]
    outcome = json.loads(done.stdout)
    assert len(outcome) > 20
    assert {name: result for name, result in outcome.items() if result not in ("built", "FormatError", "InvalidInputError")} == {}
