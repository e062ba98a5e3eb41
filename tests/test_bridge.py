"""The bridge answers every call with plain values, and every failure as a value too."""

import hashlib
import io
import json
import math
import re
import time

import numpy as np
import pytest
from PIL import Image

from pagetrain import backend, errors
from pagetrain.bridge import FIT_OPTIONS, Session
from pagetrain.export import PIECE
from pagetrain.fit_settings import FitOptions
from pagetrain.picture import Pixels
from tests.tiny import FOLDER, files, picture, trained

PARAMETERS = (FOLDER / "parameters.bin").read_bytes()
PLAIN = (dict, list, str, int, float, bool, bytes, memoryview, type(None))


def check_plain(value):
    """No tuple, dataclass, array or numpy number: the worker could not send it."""
    assert type(value) in PLAIN, type(value)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        check_plain(part)


def ok(session, name, **arguments):
    answer = session.call(name, arguments)
    check_plain(answer)
    assert "ok" in answer, answer["error"]["traceback"]
    return answer["ok"]


def failure(session, name, **arguments):
    answer = session.call(name, arguments)
    check_plain(answer)
    assert set(answer) == {"error"}, answer
    assert set(answer["error"]) == {"kind", "code", "message", "traceback"}
    return answer["error"]


def features(session, **given):
    """Key and features of a picture, as the worker asks for them."""
    seen = ok(session, "look", **given)
    row = seen["features"] if "features" in seen else ok(session, "embed", pixels=memoryview(seen["pixels"]))["features"]
    return seen["key"], row, seen["hash"]


def add(session, label, **given):
    key, row, looks = features(session, **given)
    return ok(session, "restore", key=key, label=label, features=memoryview(row), hash=looks)


def predict(session, data):
    key, row, looks = features(session, data=data)
    return ok(session, "answer", key=key, features=memoryview(row), hash=looks)["answers"]


@pytest.fixture
def session():
    """Open, complete, two classes with six pictures each."""
    made = Session()
    ok(made, "open", manifest=(FOLDER / "manifest.json").read_text(), files=files())
    ok(made, "feedParameters", chunk=PARAMETERS)
    ok(made, "setClasses", labels=["red", "blue"])
    for label in ("red", "blue"):
        for number in range(6):
            add(made, label, data=picture(label, number), pixels=None)
    return made


def exported(session):
    """All parts of the model."""
    ok(session, "exportStart")
    parts, done = [], False
    while not done:
        answer = ok(session, "exportNext")
        parts, done = [*parts, *answer["parts"]], answer["done"]
    return parts


def train(session, **settings):
    ok(session, "fitStart", **settings)
    progress = []
    while not (answer := ok(session, "fitNext"))["done"]:
        progress.append(answer["progress"])
    return progress, answer["history"]


def test_opening_tells_what_it_is():
    """Name, title, backend, and the sizes to plan with, before any parameter is there."""
    session = Session()
    answer = ok(session, "open", manifest=(FOLDER / "manifest.json").read_text(), files=files())
    assert answer == {"name": "tiny", "title": "A tiny network", "backend": backend.name(), "featureBytes": 48, "parameterBytes": 4400}
    assert ok(session, "feedParameters", chunk=memoryview(PARAMETERS)[:1000]) == {"done": False, "bytes": 1000}
    assert ok(session, "feedParameters", chunk=PARAMETERS[1000:]) == {"done": True, "bytes": 4400}


def test_a_hash_that_the_page_compared_is_not_computed_again():
    """Other parameters than the manifest names are taken from whoever says that they were checked, and from nobody else."""
    other = bytes(len(PARAMETERS))
    for checked, taken in ((True, True), (False, False), (None, False)):
        session = Session()
        ok(session, "open", manifest=(FOLDER / "manifest.json").read_text(), files=files())
        answer = session.call("feedParameters", {"chunk": other, "checked": checked})
        assert ("ok" in answer) is taken


def test_the_backend_is_chosen_when_a_model_is_opened():
    """numpy can be asked for everywhere; one that is not there is refused by name. Left out, it stays as it is."""
    before = backend.name()
    description = {"manifest": (FOLDER / "manifest.json").read_text(), "files": files()}
    try:
        assert ok(Session(), "open", backend="numpy", **description)["backend"] == "numpy"
        assert ok(Session(), "open", **description)["backend"] == "numpy"
        refused = Session().call("open", {"backend": "cuda", **description})["error"]
        assert (refused["kind"], backend.name()) == ("InvalidInputError", "numpy")
    finally:
        backend.use(before)


def test_the_whole_flow(session):
    """Judge, train, answer, score: shapes of all answers as the worker expects them."""
    data = picture("red", 50)
    assert ok(session, "judge", data=data) == {"format": "PNG", "width": 24, "height": 20, "decoder": "pillow"}
    started = ok(session, "fitStart", epochs=4, validation=0.2)
    assert started == {
        "epochs": 4,
        "batchSize": 8,
        "learningRate": started["learningRate"],
        "trainCount": 12,
        "validationCount": 2,
        "folds": 0,
    }
    progress, history = [], None
    while history is None:
        answer = ok(session, "fitNext")
        progress, history = ([*progress, answer["progress"]], None) if not answer["done"] else (progress, answer["history"])
    ends = [value for value in progress if "accuracy" in value]
    assert [value["epoch"] for value in ends] == [1, 2, 3, 4]
    assert set(ends[0]) == {
        *(
            "epoch",
            "epochs",
            "step",
            "steps",
            "loss",
            "fold",
            "folds",
            "accuracy",
            "validationLoss",
            "validationAccuracy",
            "best",
            "sure",
        )
    }
    assert len(history["epochs"]) == 4
    assert history["bestEpoch"] in (1, 2, 3, 4)
    assert history["stopped"] is False
    answers = predict(session, data)
    assert answers[0]["label"] == "red"
    assert sum(answer["probability"] for answer in answers) == pytest.approx(1)
    found = [predict(session, picture(label, 70))[0]["label"] for label in ("red", "blue")]
    metrics = ok(session, "score", truth=["red", "blue"], answers=found)
    assert metrics["accuracy"] == 1
    assert metrics["confusion"] == {"labels": ["red", "blue"], "counts": [[1, 0], [0, 1]]}
    assert metrics["perClass"][0] == {"label": "red", "count": 1, "recall": 1.0, "precision": 1.0}
    assert ok(session, "score", truth=["red", "blue"], answers=["red", "red"])["accuracy"] == 0.5


def test_exported_parts_join_to_the_exported_model():
    """Slices of the named files and new bytes, one behind another, are what Personalizer.export gives."""
    session, job = Session(), trained(["red", "blue"], count=3, epochs=2)
    ok(session, "open", manifest=(FOLDER / "manifest.json").read_text(), files=files())
    ok(session, "feedParameters", chunk=PARAMETERS)
    ok(session, "loadHead", data=job.head_state())
    sources = {"parameters": PARAMETERS, "inference_model": files()["inference_model"]}
    joined = b"".join(
        part if isinstance(part, bytes) else sources[part["file"]][part["offset"] :][: part["length"]] for part in exported(session)
    )
    assert joined == job.export()


def test_model_is_handed_over_little_by_little(session, monkeypatch):
    """Of five pieces and a short one, no answer holds more than two; parts are made when they are asked for."""
    train(session, epochs=1)
    made = []
    parts = (made.append(size) or bytes(size) for size in (100, *[PIECE] * 5, 7))
    monkeypatch.setattr(session._job, "export_parts", lambda **_: parts)
    ok(session, "exportStart")
    assert made == []
    sizes = []
    while not (answer := ok(session, "exportNext"))["done"]:
        sizes.append(sum(map(len, answer["parts"])))
        assert sum(made) == sum(sizes)
    assert max(sizes) <= 2 * PIECE
    assert sum(sizes) + sum(map(len, answer["parts"])) == 100 + 5 * PIECE + 7


def test_features_given_out_are_taken_back(session):
    """Bytes of a known picture's features, restored in a fresh session, stand for the picture; it is the file's hash that names it."""
    assert add(session, "red", data=picture("red", 20)) == {"key": hashlib.sha256(picture("red", 20)).hexdigest(), "duplicate": False}
    added = ok(session, "look", data=picture("red", 20))
    assert len(added["features"]) == 48
    assert add(session, "red", data=picture("red", 20))["duplicate"]
    fresh = Session()
    ok(fresh, "open", manifest=(FOLDER / "manifest.json").read_text(), files=files())
    ok(fresh, "setClasses", labels=["red", "blue"])
    assert ok(fresh, "restore", key=added["key"], label="red", features=memoryview(added["features"])) == {
        "key": added["key"],
        "duplicate": False,
    }
    ok(fresh, "move", key=added["key"], **{"from": "red", "to": "blue"})
    ok(fresh, "remove", key=added["key"], label="blue")
    assert failure(fresh, "remove", key=added["key"], label="blue")["kind"] == "InvalidInputError"


def test_a_restarted_session_goes_on_where_the_old_one_was(session):
    """headState into a fresh session: same answers."""
    train(session, epochs=3)
    head = ok(session, "headState")["data"]
    fresh = Session()
    ok(fresh, "open", manifest=(FOLDER / "manifest.json").read_text(), files=files())
    ok(fresh, "feedParameters", chunk=PARAMETERS)
    assert ok(fresh, "loadHead", data=memoryview(head)) == {"labels": ["red", "blue"]}
    assert predict(fresh, picture("blue", 9)) == predict(session, picture("blue", 9))
    assert len(ok(session, "checkpoint")["data"]) > len(head)


def test_stopping_ends_the_run_and_keeps_what_was_learnt(session):
    """fitStop twice is fine; a new run may start."""
    ok(session, "fitStart", epochs=100)
    ok(session, "fitNext")
    stopped = ok(session, "fitStop")
    assert stopped["done"]
    assert stopped["history"]["stopped"]
    assert len(stopped["history"]["epochs"]) == 1
    ok(session, "fitStop")
    assert predict(session, picture("red", 9))
    assert failure(session, "fitNext")["kind"] == "StateError"
    train(session, epochs=1)


def test_rows_are_not_pulled_from_under_a_run(session):
    """What changes pictures or classes waits until the training has ended; predicting and renaming need not."""
    ok(session, "fitStart", epochs=5)
    ok(session, "fitNext")
    key = "0" * 64
    for name, arguments in {
        "restore": {"key": key, "label": "red", "features": bytes(48)},
        "remove": {"key": key, "label": "red"},
        "move": {"key": key, "from": "red", "to": "blue"},
        "setClasses": {"labels": ["a", "b"]},
        "fitStart": {},
        "loadHead": {"data": b"x"},
    }.items():
        assert "under way" in failure(session, name, **arguments)["message"], name
    ok(session, "renameClass", **{"from": "red", "to": "rot"})
    assert {answer["label"] for answer in predict(session, picture("red", 9))} == {"rot", "blue"}


def test_one_call_gives_way_soon(session, monkeypatch):
    """With steps of 60 ms, a call of fitNext ends after two of them, in mid-epoch, with the step's loss."""
    module = session._job._module
    train_step = module.train_step
    monkeypatch.setattr(module, "train_step", lambda *step: time.sleep(0.06) or train_step(*step))
    ok(session, "fitStart", epochs=2, batchSize=1)
    first = ok(session, "fitNext")["progress"]
    assert set(first) == {"epoch", "epochs", "step", "steps", "loss", "fold", "folds"}
    assert first["step"] == 2
    assert ok(session, "fitNext")["progress"]["step"] == 4
    ok(session, "fitStop")


def test_numbers_from_javascript_are_taken(session):
    """8.0 is 8; what is no whole number is refused by name."""
    assert ok(session, "fitStart", epochs=2.0, batchSize=4.0, learningRate=0.01, validation=0, seed=3.0)["validationCount"] == 0
    ok(session, "fitStop")
    assert "epochs" in failure(session, "fitStart", epochs=2.5)["message"]


def test_every_option_of_fit_has_a_name_in_javascript():
    """The same words, without underscores."""
    assert set(FIT_OPTIONS.values()) == set(FitOptions.__annotations__)
    assert all(name == re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", key) for key, name in FIT_OPTIONS.items())


def test_options_of_the_loss_and_of_the_loop_are_taken(session):
    """Smoothed labels keep the loss above their entropy, two batches make a step; a class that is not there is refused by name."""
    progress, _ = train(session, epochs=30, validation=0, batchSize=3.0, labelSmoothing=0.8, gradientAccumulationSteps=2.0, patience=30.0)
    entropy = -0.6 * math.log(0.6) - 0.4 * math.log(0.4)
    assert progress[-1]["epoch"] == 30
    assert entropy < progress[-1]["loss"] < 1.05 * entropy
    assert session._job._state.optimizer.step <= 30 * 2
    assert "nobody" in failure(session, "fitStart", classWeights={"nobody": 1})["message"]
    train(session, epochs=1, classWeights={"red": 2.0}, schedule="cosine", warmup=0.5, monitor="loss", maxGradNorm=1.0)


def test_decoded_pixels_are_used(session):
    """Pixels handed in for a JPEG end in the features of these pixels."""
    image = Image.new("RGB", (20, 20), (200, 40, 40))
    stream = io.BytesIO()
    image.save(stream, "JPEG")
    raw = image.convert("RGBA").tobytes()
    _, row, _ = features(session, data=stream.getvalue(), pixels={"width": 20, "height": 20, "data": memoryview(raw), "channels": 4})
    expected = session._job.features(stream.getvalue(), Pixels(20, 20, raw, 4))
    assert np.array_equal(np.frombuffer(row, "<f4"), expected)


def test_pixels_without_a_file_are_a_picture(session):
    """What the model sees of a file, handed in as pixels, has the file's features and a key of its own; an alpha of 255 is none."""
    seen = ok(session, "pixels", data=picture("red", 40))
    rgb = {name: seen[name] for name in ("width", "height", "data")} | {"channels": 3}
    rgba = Image.frombytes("RGB", (16, 16), seen["data"]).convert("RGBA").tobytes()
    key, row, _ = found = features(session, pixels=rgb)
    assert key == hashlib.sha256(b"pagetrain pixels 16 x 16 x 3\n" + seen["data"]).hexdigest()
    assert row == features(session, data=picture("red", 40))[1]
    assert found == features(session, pixels={"width": 16, "height": 16, "data": memoryview(rgba), "channels": 4})


@pytest.mark.parametrize(
    "name, arguments, kind, code",
    [
        ("nonsense", {}, "InvalidInputError", ""),
        ("__init__", {}, "InvalidInputError", ""),
        ("look", {}, "InvalidInputError", ""),
        ("look", {"data": b""}, "PictureError", "empty"),
        ("look", {"data": b"hello"}, "PictureError", "not-a-picture"),
        ("look", {"pixels": {"width": 3, "height": 2, "data": bytes(23), "channels": 4}}, "PictureError", "damaged"),
        ("look", {"pixels": {"width": 0, "height": 0, "data": b"", "channels": 3}}, "PictureError", "damaged"),
        ("look", {"pixels": {"width": 3}}, "InvalidInputError", ""),
        ("embed", {"pixels": bytes(16 * 16 * 3 - 1)}, "InvalidInputError", ""),
        ("restore", {"key": "x", "label": "dog", "features": bytes(48)}, "InvalidInputError", ""),
        ("judge", {"data": b"<svg></svg>"}, "PictureError", "unsupported-format"),
        ("setClasses", {"labels": ["a", "a"]}, "InvalidInputError", ""),
        ("setClasses", {"labels": 7}, "TypeError", ""),
        ("answer", {"key": "x", "features": bytes(48)}, "StateError", ""),
        ("loadHead", {"data": b"x"}, "FormatError", ""),
        ("feedParameters", {"chunk": b"x"}, "StateError", ""),
        ("open", {"manifest": "{}", "files": {}}, "FormatError", ""),
    ],
)
def test_failures_are_answers(session, name, arguments, kind, code):
    """Kind, code, message and traceback; the session lives on."""
    error = failure(session, name, **arguments)
    assert (error["kind"], error["code"]) == (kind, code)
    assert error["message"]
    assert "Traceback" in error["traceback"]
    assert ok(session, "judge", data=picture("red", 1))


def test_nothing_is_open_at_first():
    """Every call but open and judge says so."""
    for name in ("setClasses", "fitStart", "exportStart", "checkpoint", "headState", "loadHead", "feedParameters"):
        assert failure(Session(), name)["kind"] == "StateError", name
    assert failure(Session(), "look", data=picture("red", 1))["kind"] == "StateError"


def test_further_rows_are_made_of_variants_and_learnt_from(session):
    """What a picture lacks comes as pixels, goes through embed, and is then there; training on it gives another head."""
    both = {"mirror": True, "crop": True}
    keys = ok(session, "augmentation", augment=both)["missing"]
    assert len(keys) == 12
    train(session, epochs=2)
    plain = ok(session, "headState")["data"]
    ok(session, "setClasses", labels=["blue", "red"])
    for label in ("red", "blue"):
        for number in range(6):
            varied = ok(session, "vary", data=picture(label, number), pixels=None, augment=both)
            assert varied["key"] in keys
            assert len(varied["variants"]) == 9
            for one in varied["variants"]:
                row = ok(session, "embed", pixels=memoryview(one["pixels"]))["features"]
                ok(session, "restoreRow", key=varied["key"], variant=one["variant"], features=memoryview(row))
    assert ok(session, "augmentation", augment=both) == {"rows": 10, "missing": []}
    assert ok(session, "augmentation", augment={"mirror": True}) == {"rows": 2, "missing": []}
    assert ok(session, "vary", data=picture("red", 0), pixels=None, augment=both)["variants"] == []
    train(session, epochs=2, augment=both)
    assert ok(session, "headState")["data"] != plain
    assert failure(session, "vary", data=picture("sand", 0), pixels=None, augment=both)["kind"] == "InvalidInputError"
    assert failure(session, "augmentation")["kind"] == "InvalidInputError"


@pytest.mark.parametrize("raised", [MemoryError(), KeyboardInterrupt(), RecursionError("deep"), SystemExit(1), ZeroDivisionError("x")])
def test_no_exception_gets_out(session, monkeypatch, raised):
    """Out of memory, interrupts and mistakes of ours are answers too."""

    def fail(*_):
        raise raised

    monkeypatch.setattr(session._job, "pixels", fail)
    error = failure(session, "look", data=b"x")
    assert error["kind"] == type(raised).__name__
    assert error["message"]


def test_divergence_ends_the_run(session, monkeypatch):
    """The error comes from fitNext; afterwards there is no run, and a new one may start."""
    module = session._job._module
    with monkeypatch.context() as patch:
        patch.setattr(module, "train_step", lambda *step: {"loss": np.float32("inf")})
        ok(session, "fitStart")
        assert failure(session, "fitNext")["kind"] == "TrainingDivergedError"
    assert failure(session, "fitNext")["kind"] == "StateError"
    train(session, epochs=1)


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.PagetrainError)]
)
def test_every_kind_of_error_crosses_by_name(session, monkeypatch, kind):
    """The page tells errors apart by the class's name, pictures' also by code."""
    error = kind("damaged", "It is broken.") if kind is errors.PictureError else kind("It is broken.")

    def fail(*_):
        raise error

    monkeypatch.setattr(session._job, "pixels", fail)
    found = failure(session, "look", data=b"x")
    assert (found["kind"], found["message"]) == (kind.__name__, "It is broken.")
    assert found["code"] == ("damaged" if kind is errors.PictureError else "")


def test_a_manifest_of_another_version_is_named():
    """The page shows this sentence to someone whose page is older than the model."""
    root = json.loads((FOLDER / "manifest.json").read_text())
    root["version"] = 2
    error = failure(Session(), "open", manifest=json.dumps(root), files=files())
    assert error["kind"] == "FormatError"
    assert "newer pagetrain" in error["message"]


def test_what_was_judged_is_in_the_history(session):
    """Class names, a key and class for each picture, and a row of float32 probabilities for each, one after another; after a stop too."""
    for stop in (False, True):
        ok(session, "fitStart", epochs=4)
        while True:
            answer = ok(session, "fitNext")
            if answer["done"] or (stop and "accuracy" in answer["progress"]):
                break
        history = answer["history"] if answer["done"] else ok(session, "fitStop")["history"]
        judged, rows = history["judged"], np.frombuffer(history["judged"]["probabilities"], "<f4").reshape(-1, 2)
        assert (history["folds"], judged["labels"]) == (5, ["red", "blue"])
        assert sorted(one["label"] for one in judged["pictures"]) == ["blue"] * 6 + ["red"] * 6
        np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-6)  # float32
        right = [row.argmax() == judged["labels"].index(one["label"]) for row, one in zip(rows, judged["pictures"], strict=True)]
        assert np.mean(right) == history["validationAccuracy"]


def test_near_duplicates_similar_pictures_and_the_threshold_cross(session):
    """As plain values; a look at a known picture tells its hash again."""
    assert ok(session, "nearDuplicates") == {"groups": []}
    added = add(session, "blue", data=picture("red", 0))
    (group,) = ok(session, "nearDuplicates")["groups"]
    assert sorted(one["label"] for one in group) == ["blue", "red"]
    assert {one["key"] for one in group} == {added["key"]}
    _, row, looks = features(session, data=picture("red", 0))
    assert re.fullmatch("[0-9a-f]{16}", looks)
    found = ok(session, "similar", features=memoryview(row), count=2.0)["pictures"]
    assert [one["key"] for one in found] == [added["key"]] * 2
    assert found[0]["similarity"] == pytest.approx(1, abs=1e-6)  # float32
    assert ok(session, "setNoneBelow", probability=0.5) == {"probability": 0.5}
    assert ok(session, "setNoneBelow", probability=None) == {"probability": None}
    assert failure(session, "setNoneBelow", probability=7)["kind"] == "InvalidInputError"
