"""A second choice of layers beside the first: one more file of the set, whose pieces and parameters.bin are a whole set of their own."""

import json

import numpy as np
import onnxruntime
import pytest

from artifacts_tool.cli import main
from artifacts_tool.more_layers import add_layers
from pagetrain import Personalizer, manifest
from pagetrain.errors import InvalidInputError

pytestmark = pytest.mark.oracle
BLOCK = ["blocks.15.*", "head.*"]
LABELS = ["dark", "bright"]


@pytest.fixture(scope="module")
def folder(weights, tmp_path_factory):
    made = tmp_path_factory.mktemp("layers")
    layers = f"last-block={','.join(BLOCK)}"
    zoo = ["zoo", "efficientnet-lite0", "--weights", str(weights), "--store-frozen", "float16", "--out", str(made)]
    assert main([*zoo, "--layers", layers]) == 0
    return made


def pieces(folder, name="last-block"):
    root = json.loads((folder / "manifest.json").read_text())
    data = (folder / root["files"][name]["path"]).read_bytes()
    return {key: data[place["offset"] : place["offset"] + place["bytes"]] for key, place in root["layers"][name].items()}


def job_of(folder):
    """On the last block, from the pieces and the parameters of the set."""
    found = pieces(folder)
    made = Personalizer(found.pop("manifest"), found, seed=0)
    assert made.feed_parameters((folder / "parameters.bin").read_bytes())
    made.set_classes(LABELS)
    return made


def seen(number):
    """Noise, dark or bright."""
    base = 60 if number % 2 == 0 else 190
    return np.clip(np.random.default_rng(number).normal(base, 40, (224, 224, 3)), 0, 255).astype(np.uint8)


def test_the_pieces_fill_the_file_and_the_set_reads_as_before(folder):
    """No byte belongs to none or two of them; the manifest is one that readers of the first choice alone take."""
    root = json.loads((folder / "manifest.json").read_text())
    end = 0
    for place in root["layers"]["last-block"].values():
        assert place["offset"] == end
        end += place["bytes"]
    assert end == root["files"]["last-block"]["bytes"] == (folder / "last-block.bin").stat().st_size
    parsed = manifest.parse((folder / "manifest.json").read_bytes())
    assert [one.name for one in parsed.trainable] == ["classifier.weight", "classifier.bias"]
    assert parsed.fingerprint != manifest.parse(pieces(folder)["manifest"]).fingerprint


def test_untrained_it_is_the_same_network(folder):
    """The same head on both gives the same logits for the same pictures, although one is cut a block earlier: to sums in float32."""
    shallow, deep = Personalizer.load(folder), job_of(folder)
    shallow.set_classes(LABELS)
    assert deep.feature_bytes > shallow.feature_bytes
    head = np.random.default_rng(1).normal(0, 0.1, (2, 1280)).astype(np.float32)
    logits = []
    for job in (shallow, deep):
        job._state.replace_parameter("classifier.weight", head)
        logits.append(job._logits(np.stack([job.embed(seen(number)) for number in range(2)])))
    np.testing.assert_allclose(logits[1], logits[0], atol=1e-3 * np.abs(logits[0]).max())


def test_what_it_learns_is_in_the_exported_model(folder, tmp_path):
    """The block moves, and onnxruntime answers with it as the trainer does."""
    job = job_of(folder)
    for number in range(8):
        job.restore(f"{number:064x}", LABELS[number % 2], job.embed(seen(number)))
    name = "blocks.15.project.weight"
    before = job._state.parameters[name].data.copy()
    list(job.fit(epochs=2, validation=0))
    assert not np.array_equal(job._state.parameters[name].data, before)
    (tmp_path / "model.onnx").write_bytes(job.export())
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    picture = ((seen(9).astype(np.float32) - 127) / 128).transpose(2, 0, 1)[np.newaxis]
    (found,) = session.run(["logits"], {"input": np.ascontiguousarray(picture)})
    expected = job._logits(job.embed(seen(9))[np.newaxis])
    np.testing.assert_allclose(found, expected, atol=1e-3 * np.abs(expected).max())  # float32 sums in another order, through the network


def test_another_file_of_parameters_is_refused(folder, weights, tmp_path):
    """The same layers stored in float32 would have to be fetched a second time."""
    other = ["zoo", "efficientnet-lite0", "--weights", str(weights), "--out", str(tmp_path)]
    assert main([*other, "--trainable", ",".join(BLOCK)]) == 0
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(InvalidInputError, match="store both in the same way"):
        add_layers(folder, "again", tmp_path)
    with pytest.raises(InvalidInputError, match="choose another name"):
        add_layers(folder, "parameters", folder)
    assert (folder / "manifest.json").read_bytes() == before


@pytest.mark.parametrize("text", ["last-block", "=a", "last block=a", "../x=a", "last-block=", "last-block=a,"])
def test_other_forms_of_the_option_are_refused(text, capsys, tmp_path):
    """In one line, before anything is built."""
    with pytest.raises(SystemExit):
        main(["zoo", "efficientnet-lite0", "--out", str(tmp_path / "none"), "--layers", text])
    assert "is not" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
