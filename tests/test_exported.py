"""Exported models opened again from their bytes: the answers of the trainer, and a receipt that says what was checked."""

import hashlib
import json

import pytest

from pagetrain import onnxformat
from pagetrain.bridge import Session
from pagetrain.errors import FormatError
from pagetrain.exported import ExportedModel
from tests.tiny import FOLDER, files, picture, trained

# float32 through the whole graph and through the trained part alone; the project's promise is 1e-4.
SAME = 1e-4
# One gray level of a pixel in ten thousand, see test_picture_input.py; of 16 x 16 pixels that is none or one.
SAME_PICTURE = 5e-3


@pytest.fixture(scope="module")
def job():
    made = trained()
    made.none_below = 0.4
    return made


@pytest.mark.parametrize("picture_input", [False, True])
def test_it_answers_as_the_trainer_does(job, picture_input):
    """Labels, threshold and input are read from the file; probabilities of pictures that were never added are predict's."""
    exported = ExportedModel(job.export(picture_input=picture_input))
    assert (exported.labels, exported.none_below) == (job.labels, 0.4)
    assert (exported.input, exported.picture_input) == (("image", True) if picture_input else ("input", False))
    for label in job.labels:
        for number in range(50, 60):
            data = picture(label, number)
            expected = {one.label: one.probability for one in job.predict(data)}
            assert exported.probabilities(data) == pytest.approx(expected, abs=SAME_PICTURE if picture_input else SAME)


def test_another_head_is_seen(job):
    """What is compared with is the file, not what it was made of: a file of another training answers otherwise."""
    other = ExportedModel(trained(seed=1, epochs=1).export())
    data = picture("red", 50)
    assert other.probabilities(data) != pytest.approx({one.label: one.probability for one in job.predict(data)}, abs=SAME)


def test_the_receipt_is_inside_and_says_which_bytes_it_is_of(job):
    """The file with its receipt is a model with one more property, which has the hash of the file before; the hash told is of the whole."""
    data = job.export()
    entry, sha256 = ExportedModel(data).receipt({"pictures": 30, "same": 30})
    whole = data + entry
    assert sha256 == hashlib.sha256(whole).hexdigest()
    before, after = onnxformat.load(data), onnxformat.load(whole)
    assert after.graph == before.graph
    receipt = json.loads(after.metadata["pagetrain.receipt"])
    assert receipt == {"pictures": 30, "same": 30, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert {**after.metadata, "pagetrain.receipt": None} == {**before.metadata, "pagetrain.receipt": None}
    assert ExportedModel(whole).probabilities(picture("red", 50)) == ExportedModel(data).probabilities(picture("red", 50))


def test_a_model_that_says_too_little_is_refused(job):
    """The skeleton alone has no values and no metadata; a damaged file is no model: FormatError, as for every file."""
    data = job.export()
    for wrong in (
        data[: len(data) // 2],
        b"",
        (FOLDER / "eval_model.onnx").read_bytes() if (FOLDER / "eval_model.onnx").exists() else b"\0",
    ):
        with pytest.raises(FormatError):
            ExportedModel(wrong)


def test_the_pages_calls(job):
    """Open, ask, end with facts; ended, or never opened, nothing can be asked."""
    session = Session()
    asked = {"data": picture("red", 50)}
    assert session.call("exportedAnswer", asked)["error"]["kind"] == "StateError"
    opened = session.call("exportedOpen", {"data": memoryview(job.export(picture_input=True))})["ok"]
    assert (opened["labels"], opened["noneBelow"], opened["input"], opened["pictureInput"]) == (job.labels, 0.4, "image", True)
    assert json.loads(opened["preprocessing"]) == job.manifest.preprocessing
    answers = session.call("exportedAnswer", asked)["ok"]["answers"]
    assert {one["label"] for one in answers} == set(job.labels)
    ended = session.call("exportedEnd", {"facts": {"pictures": 1}})["ok"]
    assert b"pagetrain.receipt" in ended["entry"]
    assert len(ended["sha256"]) == 64
    assert session.call("exportedAnswer", asked)["error"]["kind"] == "StateError"
    assert session.call("exportedEnd", {"facts": None})["ok"] == {"entry": None, "sha256": ""}


def test_the_page_exports_both(job):
    """exportStart with pictureInput gives the skeleton as bytes, without it as a slice of the fetched file."""
    session = Session()
    session.call("open", {"manifest": (FOLDER / "manifest.json").read_text(), "files": files()})
    session.call("feedParameters", {"chunk": (FOLDER / "parameters.bin").read_bytes()})
    session.call("setClasses", {"labels": job.labels})
    assert "ok" in session.call("loadHead", {"data": job.head_state()})
    first = []
    for picture_input in (False, True):
        assert session.call("exportStart", {"pictureInput": picture_input}) == {"ok": {}}
        first.append(session.call("exportNext", {})["ok"]["parts"][0])
    assert first[0] == {"file": "inference_model", "offset": 0, "length": len(files()["inference_model"])}
    assert isinstance(first[1], bytes)
