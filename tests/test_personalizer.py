"""The whole job in Python: classes, pictures, training, answers, files to take away."""

import contextlib
import hashlib
import io
import itertools
import json
import textwrap
import tracemalloc

import numpy as np
import pytest
from PIL import Image

from pagetrain import CheckpointState, Personalizer, preprocess
from pagetrain import picture as pictures
from pagetrain.errors import FormatError, InvalidInputError, NotLoadedError, PictureError, StateError, TrainingDivergedError
from pagetrain.fit_settings import default_batch_size, default_learning_rate
from pagetrain.gallery import Added
from pagetrain.perceptual_hash import perceptual_hash
from pagetrain.picture import Pixels, key_of
from tests import tiny
from tests.tiny import FOLDER, files, job, picture, trained

MANIFEST = (FOLDER / "manifest.json").read_bytes()
PARAMETERS = (FOLDER / "parameters.bin").read_bytes()


def weights(made):
    return {name: made._state.parameters[name].data.copy() for name in made._state.trainable_names}


def moments(made):
    return {name: {kind: array.copy() for kind, array in by_name.items()} for name, by_name in made._state.optimizer.momentums.items()}


def probabilities(made, data):
    return {answer.label: answer.probability for answer in made.predict(data)}


# Learning


def test_learns_classes_and_answers_unseen_pictures():
    """Three colours, ten pictures each: all of thirty unseen ones are right."""
    made = trained()
    metrics = made.evaluate((picture(label, number), label) for label in made.labels for number in range(100, 110))
    assert metrics.accuracy == 1
    assert metrics.confusion == ((10, 0, 0), (0, 10, 0), (0, 0, 10))
    assert [(one.label, one.count, one.recall, one.precision) for one in metrics.per_class] == [(label, 10, 1, 1) for label in made.labels]


def test_progress_tells_of_every_epoch():
    """Epochs and steps count up to what was announced; all are measured on held-out pictures."""
    made = job()
    fitting = made.fitting(epochs=6, batch_size=5, validation=0.2)
    assert (fitting.train_count, fitting.validation_count) == (30, 6)
    seen = list(made.fit(epochs=6, batch_size=5, validation=0.2))
    assert [progress.epoch for progress in seen] == [1, 2, 3, 4, 5, 6]
    assert {progress.epochs for progress in seen} == {6}
    # in batches of at most 5: all 30 pictures by the head to keep, 24 by the one that measures
    assert [progress.step for progress in seen] == [11, 22, 33, 44, 55, 66]
    assert {progress.steps for progress in seen} == {66}
    assert all(0 <= progress.validation_accuracy <= 1 and progress.validation_loss > 0 for progress in seen)
    assert seen[-1].sure.keys() == {key for label in made.labels for key in made.keys(label)}
    assert seen[-1].loss < seen[0].loss


def test_default_settings_fit_small_and_large_sets():
    """8 pictures a step for small sets, up to 64 for thousands."""
    assert [default_batch_size(count) for count in (2, 40, 120, 256, 500, 1000, 5000)] == [8, 8, 8, 8, 16, 32, 64]


def test_default_learning_rate_comes_from_the_features():
    """Half a unit of logit per step: 0.5 over the mean sum of a row, two digits, never above 0.5; deeper layers get ORT's 0.001."""
    assert default_learning_rate(np.full((3, 1280), -0.19, np.float32), True) == 0.0021
    assert default_learning_rate(np.zeros((3, 4), np.float32), True) == 0.5
    assert default_learning_rate(np.full((3, 1280), 0.19, np.float32), False) == 0.001


def test_same_seed_and_pictures_give_the_same_weights_in_any_order():
    """Bit for bit on one machine, whatever the order of adding; another seed gives others."""
    first, second, other = (Personalizer.load(FOLDER, seed=seed) for seed in (3, 3, 4))
    items = [(label, number) for label in ("red", "blue") for number in range(6)]
    for made, order in ((first, items), (second, items[::-1]), (other, items)):
        made.set_classes(["red", "blue"])
        for label, number in order:
            made.add(picture(label, number), label)
        list(made.fit(epochs=4))
    assert all(np.array_equal(values, weights(second)[name]) for name, values in weights(first).items())
    assert not np.array_equal(weights(first)["classifier.weight"], weights(other)["classifier.weight"])


def test_training_goes_on_from_the_present_weights():
    """A second fit starts with the accuracy of the first, and moments and steps count on."""
    made = trained(epochs=8)
    steps = made._state.optimizer.step
    again = list(made.fit(epochs=2, validation=0))
    assert again[0].accuracy == 1
    assert made._state.optimizer.step > steps


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_pictures_train_without_holding_any_out(count):
    """Classes of fewer than four pictures give none to measure on, and still learn."""
    made = job(count=count)
    seen = list(made.fit(validation=0.2))
    assert all(progress.validation_accuracy is None for progress in seen)
    metrics = made.evaluate((picture(label, number), label) for label in made.labels for number in range(100, 110))
    assert metrics.accuracy >= 0.9


def test_one_picture_against_many():
    """1 against 16: no division by zero, and the small class is still found."""
    made = job(["red", "blue"], count=1)
    for number in range(1, 16):
        made.add(picture("blue", number), "blue")
    list(made.fit())
    assert probabilities(made, picture("red", 50))["red"] > 0.5


def test_identical_pictures_in_two_classes_do_no_harm():
    """The same flat picture in both classes: finite losses, answers near one half."""
    made = Personalizer.load(FOLDER)
    made.set_classes(["a", "b"])
    same = picture("red", 1)
    assert not made.add(same, "a").duplicate
    assert not made.add(same, "b").duplicate
    assert all(np.isfinite(progress.loss) for progress in made.fit(epochs=5))
    assert probabilities(made, same)["a"] == pytest.approx(0.5, abs=0.05)


def test_stopping_keeps_the_best_so_far():
    """Closing after the third epoch leaves the weights that were best in it: its own, as all of them were better than those before."""
    made, whole = job(), job()
    run = made.fit(epochs=10, validation=0)
    steps = [next(run) for _ in range(3)]
    assert all(progress.best for progress in steps)
    at_stop = weights(made)
    run.close()
    assert all(np.array_equal(values, weights(made)[name]) for name, values in at_stop.items())
    list(whole.fit(epochs=10, validation=0))
    assert not np.array_equal(weights(whole)["classifier.weight"], at_stop["classifier.weight"])


def test_stopping_in_mid_epoch_goes_back_to_the_best_epoch():
    """Steps after the last finished epoch are undone, moments and step count too."""
    made = job()
    run = made.fitting(epochs=10, batch_size=5, validation=0).run()
    while getattr(next(run), "best", None) is None:
        pass
    best, best_moments, step = weights(made), moments(made), made._state.optimizer.step
    next(run), next(run)
    assert made._state.optimizer.step == step + 2
    run.close()
    assert made._state.optimizer.step == step
    assert all(np.array_equal(values, weights(made)[name]) for name, values in best.items())
    assert all(np.array_equal(array, moments(made)[name][kind]) for name, kinds in best_moments.items() for kind, array in kinds.items())


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.remove_class("blue"),
        lambda made: made.set_classes(["blue", "red", "green"]),
        lambda made: made.remove(made.keys("red")[0], "red"),
        lambda made: made.load_checkpoint(made.head_state()),
    ],
)
@pytest.mark.parametrize("end", [list, lambda run: run.close()])
@pytest.mark.parametrize("epochs", [1, 3])
def test_a_change_under_a_run_ends_it(change, end, epochs):
    """Going on raises StateError, closing does not; the changed classes, and what they have learnt, stay as the change left them."""
    made = job(count=6)
    run = made.fit(epochs=5)
    for _ in range(epochs):
        next(run)
    change(made)
    before = made.head_state()
    with pytest.raises(StateError, match="start the training again") if end is list else contextlib.nullcontext():
        end(run)
    assert made.head_state() == before
    list(made.fit(epochs=2))


def test_divergence_is_told_and_the_weights_from_before_are_kept(monkeypatch):
    """A loss of NaN ends the run with TrainingDivergedError; weights, moments and steps are those from before it."""
    made = trained(epochs=4)
    before, step = weights(made), made._state.optimizer.step
    train_step = made._module.train_step
    counter = itertools.count()
    nan = {"loss": np.float32("nan")}
    monkeypatch.setattr(made._module, "train_step", lambda *step: nan if next(counter) == 2 else train_step(*step))
    with pytest.raises(TrainingDivergedError, match="lower learning rate"):
        list(made.fit())
    assert made._state.optimizer.step == step
    assert all(np.array_equal(values, weights(made)[name]) for name, values in before.items())


def test_divergence_says_where_it_began(monkeypatch):
    """A gradient that is no number ends the run too, before the optimizer could use it; the message names the first tensor with NaN."""
    made = trained(epochs=2)
    head = next(one.name for one in made.manifest.trainable)
    before = weights(made)
    data = made._state.parameters[head].data.copy()
    data.flat[0] = np.nan
    train_step = made._module.train_step

    def poisoned(*step):
        train_step(*step)
        made._state.parameters[head].data = data
        made._state.parameters[head].grad.flat[0] = np.inf
        return {"loss": np.float32(1)}

    monkeypatch.setattr(made._module, "train_step", poisoned)
    with pytest.raises(TrainingDivergedError, match=f"the gradient of '{head}' is not finite, seen first in input '{head}'"):
        list(made.fit())
    assert all(np.array_equal(values, weights(made)[name]) for name, values in before.items())


@pytest.mark.parametrize(
    "settings",
    [
        {"epochs": 0},
        {"epochs": 2.5},
        {"epochs": True},
        {"epochs": "9"},
        {"batch_size": 0},
        {"learning_rate": 0},
        {"learning_rate": float("nan")},
        {"validation": 1},
        {"validation": -0.1},
        {"seed": -1},
    ],
)
def test_senseless_settings_are_refused(settings):
    """Before anything is trained."""
    made = job(count=2)
    with pytest.raises(InvalidInputError, match=next(iter(settings))):
        made.fit(**settings)


# What must be so first


def test_training_needs_two_classes_with_pictures():
    """No class, one class, two classes of which one is empty: StateError; then it trains."""
    made = Personalizer.load(FOLDER)
    for labels in ([], ["red"], ["red", "blue"]):
        made.set_classes(labels)
        if labels:
            made.add(picture("red", 1), "red")
        with pytest.raises(StateError, match="at least two classes"):
            made.fit()
    made.add(picture("blue", 1), "blue")
    assert list(made.fit(epochs=1))


def test_answers_need_training_first():
    """predict, evaluate and export say so instead of guessing evenly."""
    made = job(count=1)
    for act in (lambda: made.predict(picture("red", 1)), lambda: made.evaluate([]), made.export, made.export_parts):
        with pytest.raises(StateError, match="train first"):
            act()


def test_the_frozen_part_waits_until_the_parameters_are_complete():
    """Classes can be set; pictures and checkpoints wait, and a whole model cannot be taken away."""
    made = Personalizer(MANIFEST, files())
    made.set_classes(["red", "blue"])
    made.load_checkpoint(trained(["red", "blue"], epochs=1).head_state())
    assert not made.feed_parameters(PARAMETERS[:100])
    assert made.parameter_bytes_received == 100
    needing = (lambda: made.add(picture("red", 1), "red"), lambda: made.predict(picture("red", 1)), made.save_checkpoint, made.export)
    for act in needing:
        with pytest.raises(NotLoadedError, match="100 of 4400 bytes"):
            act()
    assert made.feed_parameters(PARAMETERS[100:])
    made.add(picture("red", 1), "red")
    with pytest.raises(StateError, match="complete"):
        made.feed_parameters(b"")


def test_the_last_layer_is_trained_without_the_frozen_part():
    """Features that were made elsewhere: the same head, answers and parts of the model; parameters that come later change none of it."""
    whole, bare = job(), Personalizer(MANIFEST, files())
    bare.set_classes(whole.labels)
    for label in whole.labels:
        for key in whole.keys(label):
            bare.restore(key, label, whole.features(key))
    row = whole.features(picture("red", 100))
    for made in (whole, bare):
        list(made.fit(epochs=4, validation=0.2))
    assert bare.parameter_bytes_received == 0
    assert bare.head_state() == whole.head_state()
    assert bare.answer("one", row) == whole.answer("one", row)
    assert list(bare.export_parts()) == list(whole.export_parts())
    assert bare.feed_parameters(PARAMETERS)
    assert bare.save_checkpoint() == whole.save_checkpoint()
    assert bare.export() == whole.export()


def test_streamed_and_loaded_models_are_the_same():
    """Fed in single bytes or read from the folder: same features."""
    made = Personalizer(MANIFEST, files())
    for at in range(len(PARAMETERS)):
        made.feed_parameters(PARAMETERS[at : at + 1])
    made.set_classes(["red"])
    loaded = job(["red"], count=1)
    key = made.add(picture("red", 0), "red").key
    assert np.array_equal(made.features(key), loaded.features(key))


@pytest.mark.parametrize("key", ["training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model"])
def test_missing_and_damaged_files_are_named(key):
    """FormatError with the file's key."""
    whole = files()
    with pytest.raises(FormatError, match=key):
        Personalizer(MANIFEST, {name: data for name, data in whole.items() if name != key})
    with pytest.raises(FormatError, match=key):
        Personalizer(MANIFEST, {**whole, key: whole[key][:-1] + b"\xff"})


def test_a_folder_without_artifacts_is_refused(tmp_path):
    """Also one with a file missing or cut off."""
    with pytest.raises(FormatError, match=r"manifest\.json.*--preprocessing"):
        Personalizer.load(tmp_path)
    for path in FOLDER.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "parameters.bin").write_bytes(PARAMETERS[:-4])
    with pytest.raises(FormatError, match="cut off"):
        Personalizer.load(tmp_path)
    (tmp_path / "eval_model.ort").unlink()
    with pytest.raises(FormatError, match="eval_model"):
        Personalizer.load(tmp_path)


def test_manifest_and_checkpoint_must_name_the_same_parameters():
    """A manifest that speaks of another head than the nominal checkpoint is refused."""
    root = json.loads(MANIFEST)
    root["trainable"][0]["name"] = "other.weight"
    with pytest.raises(FormatError, match="nominal_checkpoint"):
        Personalizer(json.dumps(root), files())


@pytest.mark.parametrize(
    "change,message",
    [
        (lambda root: root["trainable"][0].update(shape=["num_classes", 11]), r"'classifier\.weight' has shape"),
        (lambda root: root["trainable"][1].update(shape=[3]), r"'classifier\.bias' has shape"),
        (lambda root: root["parameters"][0].update(shape=root["parameters"][0]["shape"][::-1]), r"'conv1\.weight' has shape"),
        (lambda root: root.update(labels_input="targets"), "no input 'targets'"),
    ],
)
def test_manifest_and_training_graph_must_agree(change, message):
    """Other shapes, and labels under another name, are told on loading: not by the first picture or step."""
    root = json.loads(MANIFEST)
    change(root)
    with pytest.raises(FormatError, match=message):
        Personalizer(json.dumps(root), files())


# Classes


def test_adding_a_class_keeps_what_the_others_learnt():
    """Old rows and moments are where they were, the new row is zero and without moments."""
    made = trained()
    before, before_moments = weights(made), moments(made)
    made.add_class("sand")
    assert made.labels == ["red", "green", "blue", "sand"]
    for name, values in weights(made).items():
        assert np.array_equal(values[:3], before[name])
        assert not values[3].any()
        for kind, array in moments(made)[name].items():
            assert np.array_equal(array[:3], before_moments[name][kind])
            assert not array[3].any()
    for number in range(10):
        made.add(picture("sand", number), "sand")
    list(made.fit())
    metrics = made.evaluate((picture(label, number), label) for label in made.labels for number in range(100, 105))
    assert metrics.accuracy >= 0.95


def test_removing_a_class_keeps_what_the_others_learnt():
    """Its row and pictures go; the others' logits stay, so their odds among each other do too."""
    made = trained()
    before, odds = weights(made), probabilities(made, picture("red", 77))
    key = made.keys("green")[0]
    made.remove_class("green")
    assert made.labels == ["red", "blue"]
    assert all(np.array_equal(values, before[name][[0, 2]]) for name, values in weights(made).items())
    after = probabilities(made, picture("red", 77))
    # Two classes' odds do not depend on the third; float32 logits.
    assert after["red"] / after["blue"] == pytest.approx(odds["red"] / odds["blue"], rel=1e-4)
    with pytest.raises(InvalidInputError):
        made.features(key)


def test_renaming_a_class_changes_its_name_only():
    """Same place, pictures, weights."""
    made = trained()
    before, keys = weights(made), made.keys("green")
    made.rename_class("green", " leaf ")
    assert made.labels == ["red", "leaf", "blue"]
    assert made.keys("leaf") == keys
    assert all(np.array_equal(values, before[name]) for name, values in weights(made).items())
    assert made.predict(picture("green", 3))[0].label == "leaf"


def test_another_order_of_classes_moves_their_rows():
    """set_classes with the same names answers the same."""
    made = trained()
    before = probabilities(made, picture("blue", 42))
    made.set_classes(["blue", "red", "green"])
    # The same sums in another order.
    assert probabilities(made, picture("blue", 42)) == pytest.approx(before, rel=1e-6)


def test_all_new_classes_start_untrained():
    """Nothing of the old ones stays."""
    made = trained()
    made.set_classes(["x", "y"])
    assert not made.is_trained
    assert not any(values.any() for values in weights(made).values())


@pytest.mark.parametrize(
    "labels", [["a", ""], ["a", "  "], ["a", "a "], ["a", "x" * 101], ["a", 7], ["a", None], ["a", "\ud83d"], [str(n) for n in range(1001)]]
)
def test_senseless_names_are_refused_and_nothing_changes(labels):
    """Empty, twice after trimming, too long, no text, half an emoji, too many."""
    made = job(["red", "blue"], count=1)
    with pytest.raises(InvalidInputError):
        made.set_classes(labels)
    assert made.labels == ["red", "blue"]


@pytest.mark.parametrize(
    "label", ["__proto__", "<script>alert(1)</script>", "猫 🐈", '"quoted"', "x" * 100, "constructor", "0", "a/b\\c", "\u202egnp"]
)
def test_any_text_names_a_class(label):
    """And comes back as it is."""
    made = Personalizer.load(FOLDER)
    made.set_classes([label, "other"])
    made.add(picture("red", 1), label)
    made.add(picture("blue", 1), "other")
    list(made.fit(epochs=3))
    assert label in probabilities(made, picture("red", 1))


@pytest.mark.parametrize("act", ["add", "keys", "rename", "remove", "move", "restore"])
def test_unknown_classes_are_refused_by_name(act):
    """InvalidInputError with the name and those there are."""
    made = job(["red", "blue"], count=1)
    key = made.keys("red")[0]
    acts = {
        "add": lambda: made.add(picture("red", 5), "dog"),
        "keys": lambda: made.keys("dog"),
        "rename": lambda: made.rename_class("dog", "cat"),
        "remove": lambda: made.remove_class("dog"),
        "move": lambda: made.move(key, "red", "dog"),
        "restore": lambda: made.restore("ab", "dog", bytes(48)),
    }
    with pytest.raises(InvalidInputError, match="'dog'"):
        acts[act]()
    assert made.keys("red") == [key]


# Pictures


def test_a_picture_is_computed_once(monkeypatch):
    """Twice in a class is a duplicate that does not count; in two classes it is computed once, and lives until it left both."""
    made = Personalizer.load(FOLDER)
    made.set_classes(["a", "b"])
    data, runs = picture("red", 1), []
    run_prefix = made._module.run_prefix
    monkeypatch.setattr(made._module, "run_prefix", lambda feeds: runs.append(1) or run_prefix(feeds))
    first, again, other = made.add(data, "a"), made.add(data, "a"), made.add(data, "b")
    assert (first.duplicate, again.duplicate, other.duplicate) == (False, True, False)
    assert first.key == again.key == other.key == hashlib.sha256(data).hexdigest() == key_of(data)
    assert len(runs) == 1
    assert made.keys("a") == made.keys("b") == [first.key]
    made.remove(first.key, "a")
    assert made.features(first.key).shape == (12,)
    made.remove(first.key, "b")
    with pytest.raises(InvalidInputError):
        made.features(first.key)


def test_asking_again_computes_nothing(monkeypatch):
    """A picture that was predicted is not run through the network again, to answer or to add it; the oldest are dropped."""
    made = trained(epochs=1)
    made._gallery._recent._most = 2
    runs, run_prefix = [], made._module.run_prefix
    monkeypatch.setattr(made._module, "run_prefix", lambda feeds: runs.append(1) or run_prefix(feeds))
    for number in (70, 71, 70, 72, 70):
        made.predict(picture("red", number))
    assert len(runs) == 3
    made.add(picture("red", 70), "red")
    assert len(runs) == 3
    made.predict(picture("red", 73))
    made.predict(picture("red", 74))
    made.predict(picture("red", 72))
    assert len(runs) == 6


def test_features_are_those_of_the_picture():
    """add keeps what features() of the same bytes gives; it is 4 bytes a float."""
    made = job(["red"], count=0)
    data = picture("red", 1)
    expected = made.features(data)
    key = made.add(data, "red").key
    assert np.array_equal(made.features(key), expected)
    assert made.feature_bytes == expected.nbytes == 48


def test_restored_features_train_the_same():
    """Keys, labels and feature bytes are all that has to be kept of a picture."""
    whole, restored = job(), Personalizer.load(FOLDER)
    restored.set_classes(whole.labels)
    for label in whole.labels:
        for key in whole.keys(label):
            assert not restored.restore(key, label, whole.features(key).tobytes()).duplicate
            assert restored.restore(key, label, whole.features(key)).duplicate
    list(whole.fit(epochs=4))
    list(restored.fit(epochs=4))
    assert all(np.array_equal(values, weights(restored)[name]) for name, values in weights(whole).items())


@pytest.mark.parametrize("features", [bytes(44), bytes(52), bytes(47), np.full(12, np.nan, np.float32), np.zeros((2, 12), np.float32)])
def test_features_of_another_model_are_refused(features):
    """Wrong length, not finite, not one row; the class stays as it was."""
    made = job(["red"], count=0)
    with pytest.raises(InvalidInputError):
        made.restore("ab", "red", features)
    assert made.keys("red") == []


def test_moving_and_removing():
    """A picture changes its class; where it stands already it is not doubled; what is not there cannot be moved."""
    made = job(["red", "blue"], count=2)
    one, two = made.keys("red")
    made.move(one, "red", "blue")
    assert (made.keys("red"), len(made.keys("blue"))) == ([two], 3)
    made.add(picture("red", 0), "red")
    made.move(one, "red", "blue")
    assert (made.keys("red"), len(made.keys("blue"))) == ([two], 3)
    made.move(two, "red", "red")
    for act in (lambda: made.move(one, "red", "blue"), lambda: made.remove("nothing", "red")):
        with pytest.raises(InvalidInputError):
            act()
    made.remove(two, "red")
    assert made.keys("red") == []


def test_places_of_removed_pictures_are_used_again():
    """A thousand pictures coming and going do not grow the table past the largest number at one time."""
    made = job(["red"], count=0)
    for number in range(1000):
        made.restore(f"key{number}", "red", np.full(12, number, np.float32))
        if number >= 50:
            made.remove(f"key{number - 50}", "red")
    assert made._gallery.features._rows.shape[0] <= 128
    assert made.features("key990")[0] == 990


def test_broken_pictures_leave_everything_as_it_was():
    """PictureError from add, and the class is as before."""
    made = job(["red"], count=1)
    for data in (b"", b"no picture", picture("red", 9)[:60]):
        with pytest.raises(PictureError):
            made.add(data, "red")
    assert len(made.keys("red")) == 1


@pytest.mark.parametrize("ask", ["restore", "move", "evaluate"])
def test_one_picture_costs_the_same_in_a_large_class(ask):
    """Nothing lists the pictures of a class to look at one of them: with 20,000 there the list alone would be 160 KB."""
    made = trained(("red", "blue"), 4, epochs=1)
    [row] = made.features(made.keys("red")[0])[np.newaxis]
    for number in range(20_000):
        made.restore(f"{number}", "red", row)
    calls = {
        "restore": lambda key: made.restore(key, "red", row),
        "move": lambda key: made.move(key, "red", "blue"),
        "evaluate": lambda key: made.evaluate([(key, "red")]),
    }
    calls[ask]("0")  # caches fill
    tracemalloc.start()
    try:
        calls[ask]("1")
        assert tracemalloc.get_traced_memory()[1] < 80_000
    finally:
        tracemalloc.stop()


# Answers


def test_probabilities_sum_to_one_and_are_sorted():
    """Also for extreme logits, where float32 would overflow."""
    made = trained()
    made._state.parameters["classifier.weight"].data *= 1e4
    for label in made.labels:
        answers = made.predict(picture(label, 200))
        assert sum(answer.probability for answer in answers) == pytest.approx(1, abs=1e-12)
        assert answers == sorted(answers, key=lambda answer: -answer.probability)


def test_evaluating_by_key_and_by_bytes_is_the_same():
    """A key stands for the picture that was added."""
    made = trained()
    items = [(number, label) for label in made.labels for number in range(5)]
    by_bytes = made.evaluate((picture(label, number), label) for number, label in items)
    assert made.evaluate((key_of(picture(label, number)), label) for number, label in items) == by_bytes
    with pytest.raises(InvalidInputError):
        made.evaluate([("unknown", "red")])


def test_no_pictures_evaluate_to_zero():
    """No division by zero."""
    metrics = trained().evaluate([])
    assert (metrics.accuracy, metrics.per_class[0].recall) == (0, 0)


def test_what_the_model_sees_can_be_looked_at():
    """pixels: the crop before normalisation, as preprocess makes it."""
    made, data = job(["red"], count=0), picture("red", 1)
    assert np.array_equal(made.pixels(data), preprocess.pixels(made.manifest.steps, pictures.decode(data)))


def test_pixels_of_the_models_size_are_taken_as_they_are():
    """What the model sees of a file, handed in as pixels, has the same features; an alpha of 255 is none."""
    made, data = job(["red"], count=0), picture("red", 1)
    seen = made.pixels(data)
    rgb = Pixels(16, 16, seen.tobytes(), 3)
    rgba = Pixels(16, 16, np.dstack([seen, np.full((16, 16), 255, np.uint8)]).tobytes(), 4)
    assert np.array_equal(made.features(rgb), made.features(data))
    assert made.add(rgba, "red") == Added(key_of(rgb), "red", False, perceptual_hash(seen))
    assert made.add(rgb, "red").duplicate
    assert key_of(rgb) != key_of(data)


def test_other_pixels_are_resized_and_cropped_as_files_are():
    """The same picture as a file without loss and as pixels: the model sees the same, also where it is seen through."""
    made, rng = job(["red"], count=0), np.random.default_rng(3)
    for channels in (3, 4):
        values = rng.integers(0, 256, (21, 30, channels), np.uint8)
        stream = io.BytesIO()
        Image.fromarray(values).save(stream, "PNG")
        assert np.array_equal(made.pixels(Pixels(30, 21, values.tobytes(), channels)), made.pixels(stream.getvalue()))


def test_equal_bytes_of_another_size_are_another_picture():
    """The key says the size too."""
    assert key_of(Pixels(2, 3, bytes(18), 3)) != key_of(Pixels(3, 2, bytes(18), 3))


def test_answers_from_features_are_those_of_the_picture():
    """Features made elsewhere answer as the picture does, and are known from then on; others than finite floats are refused."""
    made, data = trained(), picture("red", 60)
    row = made.embed(made.pixels(data))
    assert made.known(key_of(data)) is None
    assert made.answer(key_of(data), row) == trained().predict(data)
    assert np.array_equal(made.known(key_of(data)).row, row)
    for wrong, message in ((row[1:], "got shape"), (np.full_like(row, np.nan), f"{row.size} are NaN"), (row.tobytes()[1:], "left over")):
        with pytest.raises(InvalidInputError, match=message):
            made.answer("key", wrong)


def test_similar_pictures_are_those_with_the_nearest_features():
    """By cosine, best first, for a picture, a key or features; a picture in two classes counts twice, and is most like itself."""
    made = job()
    data = picture("green", 60)
    row = made.features(data).astype(np.float64)
    cosines = {}
    for label in made.labels:
        for key in made.keys(label):
            other = made.features(key).astype(np.float64)
            cosines[key, label] = float(row @ other / np.sqrt((row @ row) * (other @ other)))
    expected = sorted(cosines, key=lambda place: -cosines[place])[:4]
    for found in (made.similar(data, 4), made.similar(row.astype(np.float32), 4)):
        assert [(one.key, one.label) for one in found] == expected
        assert [one.similarity for one in found] == pytest.approx([cosines[place] for place in expected], abs=1e-5)  # float32
    key = made.add(picture("red", 0), "blue").key
    assert [(one.key, one.label) for one in made.similar(key, 2)] == [(key, "red"), (key, "blue")]
    assert made.similar(key, 1)[0].similarity == pytest.approx(1, abs=1e-6)
    assert len(made.similar(key, 100)) == 31
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(InvalidInputError, match="count"):
            made.similar(key, wrong)


def test_the_threshold_leaves_with_the_model_and_comes_back():
    """In checkpoints and head states; None leaves none, also after there was one; the answers do not look at it."""
    made, data = trained(["red", "blue"], count=4), picture("red", 70)
    before = made.predict(data)
    assert made.none_below is None
    made.none_below = 0.625
    assert made.predict(data) == before
    for saved in (made.save_checkpoint(), made.head_state()):
        fresh = Personalizer.load(FOLDER)
        fresh.load_checkpoint(saved)
        assert fresh.none_below == 0.625
    made.none_below = None
    fresh.load_checkpoint(made.head_state())
    assert fresh.none_below is None
    for wrong in (-0.1, 1.5, float("nan"), "0.5", True):
        with pytest.raises(InvalidInputError, match="probability"):
            made.none_below = wrong
    state = CheckpointState.load_checkpoint(made.head_state())
    state.properties["pagetrain.none_below"] = "often"
    with pytest.raises(FormatError, match="'often'"):
        made.load_checkpoint(state.to_bytes(include_optimizer_state=True))


# Checkpoints


def test_a_checkpoint_carries_everything_but_pictures():
    """Loaded into a fresh job it answers the same and trains on the same, also where no parameters were streamed."""
    made = trained(epochs=6)
    fresh = Personalizer(MANIFEST, files())
    fresh.load_checkpoint(made.save_checkpoint())
    assert fresh.labels == made.labels
    assert fresh.predict(picture("red", 55)) == made.predict(picture("red", 55))
    for label in made.labels:
        for number in range(10):
            fresh.add(picture(label, number), label)
    list(made.fit(epochs=3))
    list(fresh.fit(epochs=3))
    assert all(np.array_equal(values, weights(fresh)[name]) for name, values in weights(made).items())


def test_head_state_is_small_and_restores_a_restarted_worker():
    """Without frozen parameters; onto the same artifacts; the pictures of equally named classes stay."""
    made, fresh = trained(epochs=6), job()
    data = made.head_state()
    assert len(data) < len(made.save_checkpoint()) - 4000
    fresh.load_checkpoint(data)
    assert fresh.predict(picture("red", 55)) == made.predict(picture("red", 55))
    assert len(fresh.keys("red")) == 10
    assert fresh.head_state() == data


def test_a_checkpoint_before_training_keeps_the_classes():
    """Nothing learnt is nothing learnt after loading too."""
    made, fresh = job(count=1), Personalizer.load(FOLDER)
    fresh.set_classes(["x", "y"])
    fresh.load_checkpoint(made.save_checkpoint())
    assert fresh.labels == made.labels
    assert not fresh.is_trained


def test_foreign_checkpoints_are_refused_and_nothing_changes():
    """Of other artifacts, cut off, without names, no checkpoint at all."""
    made = trained(epochs=2)
    before = made.save_checkpoint()
    root = json.loads(MANIFEST)
    root["fingerprint"] = "sha256:other"
    foreign = Personalizer(json.dumps(root), files())
    foreign.feed_parameters(PARAMETERS)
    foreign.set_classes(["a", "b"])
    nominal = files()["nominal_checkpoint"]
    for data in (foreign.save_checkpoint(), before[:-30], nominal, b"", b"ODTC" * 9):
        with pytest.raises(FormatError):
            made.load_checkpoint(data)
    assert made.save_checkpoint() == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda saved: saved.optimizer.momentums.pop("classifier.bias"),
        lambda saved: saved.optimizer.momentums["classifier.bias"].pop("momentum1"),
        lambda saved: saved.optimizer.momentums["classifier.weight"]["momentum1"].fill(-1),
        lambda saved: saved.optimizer.momentums["classifier.weight"]["momentum0"].fill(np.inf),
        lambda saved: saved.parameters["classifier.weight"].data.fill(np.nan),
        lambda saved: setattr(saved.optimizer, "step", 2**63 - 1),
    ],
)
def test_checkpoints_that_could_not_be_trained_on_are_refused_and_nothing_changes(damage):
    """Moments missing, of another optimizer or impossible; values that are not finite; a step count at the end of int64."""
    made, other = trained(epochs=2), trained(epochs=2)
    other.rename_class("red", "crimson")
    saved = CheckpointState.load_checkpoint(other.save_checkpoint())
    damage(saved)
    before = made.save_checkpoint()
    with pytest.raises(FormatError):
        made.load_checkpoint(saved.to_bytes(include_optimizer_state=True))
    assert made.save_checkpoint() == before


def test_module_documentation_is_code_that_runs(tmp_path, monkeypatch):
    """The example in the module's docstring, with drawn pictures and the tiny artifacts in place of its paths."""
    from pagetrain import personalizer

    example = personalizer.__doc__.split("script:\n\n", 1)[1]
    (tmp_path / "artifacts").mkdir()
    target = tmp_path / "artifacts" / "efficientnet-lite0"
    target.mkdir()
    for path in FOLDER.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    for label, colour in (("cat", "red"), ("dog", "blue")):
        (tmp_path / "photos" / label).mkdir(parents=True)
        for number in range(4):
            (tmp_path / "photos" / label / f"{number}.jpg").write_bytes(picture(colour, number))
    (tmp_path / "who.jpg").write_bytes(picture("blue", 9))
    monkeypatch.chdir(tmp_path)
    exec(textwrap.dedent(example), {})
    assert (tmp_path / "cat-or-dog.onnx").stat().st_size > 4000


def test_colours_of_the_drawn_classes_differ():
    """The test pictures are what they claim: of different classes, different for each number."""
    assert len({picture(label, number) for label in tiny.COLOURS for number in range(3)}) == 12
