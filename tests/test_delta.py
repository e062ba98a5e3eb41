"""A delta: what one has learnt, given to another on the same base model."""

import dataclasses
import json

import numpy as np
import pytest

from pagetrain import CheckpointState, Personalizer
from pagetrain.errors import FormatError, StateError
from pagetrain.ortformat import checkpoint as codec
from tests.tiny import FOLDER, files, job, picture, trained

LABELS = ("red", "green", "blue")


def answers(made):
    return [made.predict(picture(label, number)) for label in LABELS for number in range(100, 104)]


@pytest.fixture(scope="module")
def giver():
    made = trained(LABELS, 4, epochs=4)
    made.none_below = 0.3
    return made


def test_who_takes_it_answers_as_who_gave_it(giver):
    """Bit for bit, as a head begins from nothing; with pictures of one's own, which stay, or with none, and then its classes are taken."""
    taker = job(LABELS, 2)
    keys = taker.keys("red")
    taker.apply_delta(giver.save_delta())
    assert answers(taker) == answers(giver)
    assert (taker.keys("red"), taker.none_below, taker.is_trained) == (keys, 0.3, True)
    fresh = Personalizer.load(FOLDER)
    fresh.set_classes(["Class 1", "Class 2"])
    fresh.apply_delta(giver.save_delta())
    assert fresh.labels == list(LABELS)
    assert answers(fresh) == answers(giver)


def test_it_is_small_and_holds_no_more_than_it_says(giver):
    """12 features and a bias for each of 3 classes, in float32, and words; no moments, no frozen parameters. ORT's format."""
    data = giver.save_delta()
    state = CheckpointState.load_checkpoint(data)
    assert {name: state.parameters[name].data.shape for name in state.trainable_names} == {
        "classifier.weight": (3, 12),
        "classifier.bias": (3,),
    }
    assert (state.frozen_names, state.optimizer.momentums) == ((), {})
    properties = dict(state.properties)
    assert properties["pagetrain.kind"] == "delta"
    assert json.loads(properties["pagetrain.labels"]) == list(LABELS)
    assert len(data) < 4 * 39 + 4 * sum(len(key) + len(str(value)) for key, value in properties.items())


def test_training_goes_on_from_it(giver):
    """The first step moves no weight by more than the learning rate, as AdamW promises of a beginning."""
    taker = job(LABELS, 4)
    taker.apply_delta(giver.save_delta())
    before = {name: taker._state.parameters[name].data.copy() for name in taker._state.trainable_names}
    list(taker.fit(epochs=1, batch_size=12, learning_rate=0.01, schedule="constant", validation=0))
    moved = max(np.abs(taker._state.parameters[name].data - values).max() for name, values in before.items())
    # AdamW's bias correction in its second step, from zero moments: 0.1 / (1 - 0.9²) over sqrt(0.001 / (1 - 0.999²)) = 0.744, and decay
    assert 0 < moved < 0.01


def test_what_differs_is_said(giver):
    """Another base model, preparation of pictures, build, or other classes; nothing changes."""
    data = giver.save_delta()
    taker = job(("red", "blue"), 2)
    with pytest.raises(FormatError, match=r"of the classes red, green, blue; here they are red, blue\."):
        taker.apply_delta(data)
    with pytest.raises(FormatError, match=r"of the classes red, green, blue; here they are blue, green, red\."):
        job(("blue", "green", "red"), 1).apply_delta(data)
    for change, said in (
        ({"pagetrain.base": "other", "pagetrain.fingerprint": "x"}, "its base model is 'other'"),
        ({"pagetrain.preprocessing": "{}", "pagetrain.fingerprint": "x"}, "prepares pictures in another way"),
        ({"pagetrain.fingerprint": "x"}, "other weights, or other layers"),
        ({"pagetrain.labels": "[1]"}, "class names cannot be read"),
    ):
        with pytest.raises(FormatError, match=said):
            taker.apply_delta(changed(data, properties=change))
    assert taker.labels == ["red", "blue"]
    assert not taker.is_trained


def changed(data, properties=None, **values):
    """The file with other properties, or other parameters."""
    loaded = codec.load(data)
    trainable = {name: values.get(name.split(".")[1], array) for name, array in loaded.trainable.items()}
    return codec.dump_state(dataclasses.replace(loaded, trainable=trainable, properties={**loaded.properties, **(properties or {})}))


def test_hostile_ones(giver):
    """Cut off, of another shape, not finite: refused, and nothing changes."""
    data = giver.save_delta()
    taker = job(LABELS, 1)
    for wrong in (
        b"",
        data[:-40],
        changed(data, bias=np.zeros(4, np.float32)),
        changed(data, bias=np.full(3, np.nan, np.float32)),
        changed(data, bias=np.zeros(3)),
    ):
        with pytest.raises(FormatError):
            taker.apply_delta(wrong)
    assert not taker.is_trained


def test_a_delta_is_no_checkpoint(giver):
    """Neither is taken for the other."""
    with pytest.raises(FormatError, match="This is a delta, where a checkpoint is expected"):
        job(LABELS, 1).load_checkpoint(giver.save_delta())
    with pytest.raises(FormatError, match="This is a checkpoint, where a delta is expected"):
        job(LABELS, 1).apply_delta(giver.head_state())


def test_not_yet():
    """Nothing learnt, nothing to give; a head alone needs no parameters, neither to take nor to give."""
    with pytest.raises(StateError, match="Nothing has been learnt"):
        job(LABELS, 1).save_delta()
    unloaded = Personalizer((FOLDER / "manifest.json").read_bytes(), files())
    delta = trained(LABELS, 2, epochs=1).save_delta()
    unloaded.apply_delta(delta)
    assert unloaded.save_delta() == delta
