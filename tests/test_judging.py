"""The heads that judge, beside the one that is kept: who learns from what, what is told, and what is left however it ends."""

import numpy as np
import pytest

from pagetrain.errors import StateError
from pagetrain.holdout import held_out
from pagetrain.metrics import Score
from pagetrain.progress import EpochProgress
from tests.tiny import job, picture

SETTINGS = {"epochs": 5, "learning_rate": 0.05}


def weights(made):
    return {name: made._state.parameters[name].data.copy() for name in made._state.trainable_names}


def same(one, other):
    return all(np.array_equal(data, other[name]) for name, data in one.items())


def epochs_of(run):
    return [progress for progress in run if isinstance(progress, EpochProgress)]


def judged(made, **settings):
    """{(key, class index): row of probabilities} after a whole run."""
    run = made.fitting(**SETTINGS, **settings)
    list(run.run())
    rows = run.judged
    return {(key, int(label)): row for key, label, row in zip(rows.keys, rows.labels, rows.probabilities, strict=True)}


def test_a_picture_under_the_wrong_name_is_found():
    """Its judge has never been told the wrong name and says what it looks like, whatever the kept head was taught."""
    made = job(["red", "blue"], count=8)
    wrong = made.add(picture("blue", 50), "red").key
    rows = judged(made)
    assert len(rows) == 17
    assert rows[wrong, 0][1] > 0.5
    assert sum(row.argmax() == label for (_, label), row in rows.items()) == 16


@pytest.mark.parametrize("together", [{"looks": "0123456789abcdef"}, {"group": "a film"}], ids=["near-duplicates", "given group"])
def test_no_head_that_judges_has_learnt_from_what_it_judges(together):
    """Other features of one group of pictures change what is said of pictures in other folds, and of none else in its own."""

    def made_with(shift):
        made = job(["red", "blue"], count=7)
        for key in list(made.keys("red")[:2]):
            known = made.known(key)
            made.remove(key, "red")
            made.restore(key, "red", known.row + np.float32(shift), **together)
        return made

    one, other = made_with(0), made_with(1)
    changed = set(one.keys("red")[-2:])
    before, after = judged(one), judged(other)
    run = one.fitting(**SETTINGS)
    (own,) = [fold.judged for fold in run._folds if {run._learner.data.keys[place] for place in fold.judged} & changed]
    beside = {run._learner.data.keys[place] for place in own}
    assert changed < beside
    for (key, label), row in before.items():
        if key not in changed:
            assert np.array_equal(row, after[key, label]) == (key in beside)


def test_the_kept_head_learns_as_without_folds():
    """Cross-validation looks on: epoch by epoch the same losses, and in the end the same weights as a training on everything."""
    watched, alone = job(), job()
    run = watched.fitting(monitor="loss", **SETTINGS)
    seen = epochs_of(run.run())
    assert [one.loss for one in seen] == [one.loss for one in alone.fit(validation=0, **SETTINGS)]
    assert seen[-1].best  # of five falling losses, each way
    assert same(weights(watched), weights(alone))


def test_progress_counts_the_steps_of_all_heads():
    """30 pictures in batches of 8 for the kept head, 24 for each of five: 4 + 5 * 3 steps an epoch, and who made them."""
    run = job().fitting(epochs=2, batch_size=8)
    assert (run.train_count, run.validation_count, run.folds, run.steps) == (30, 30, 5, 38)
    seen = list(run.run())
    assert [one.step for one in seen if isinstance(one, EpochProgress)] == [19, 38]
    assert [one.fold for one in seen if one.epoch == 1] == [0] * 3 + [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0]
    assert {(one.epochs, one.steps, one.folds) for one in seen} == {(2, 38, 5)}


def test_what_is_judged_is_what_was_measured():
    """The score of the best epoch, and the probabilities that it told of each picture."""
    run = job(count=6).fitting(epochs=12, learning_rate=0.3, schedule="constant")
    best = [one for one in epochs_of(run.run()) if one.best][-1]
    score = Score.of(np.log(run.judged.probabilities), run.judged.labels)
    assert score.accuracy == best.validation_accuracy
    assert score.loss == pytest.approx(best.validation_loss, rel=1e-9)  # float64
    np.testing.assert_allclose(run.judged.probabilities.sum(axis=1), 1, rtol=1e-9)
    for key, label, row in zip(run.judged.keys, run.judged.labels, run.judged.probabilities, strict=True):
        assert best.sure[key] == pytest.approx(row[label], rel=1e-9)


@pytest.mark.parametrize("steps", [1, 3, 7, 20, 31])
def test_a_stop_anywhere_leaves_one_epoch(steps):
    """In mid-epoch, whosever turn it is: the kept head and the judged answers are those at the end of the best whole epoch before."""
    made = job()
    run = made.fitting(batch_size=8, **SETTINGS)
    going, at_end = run.run(), None
    for _ in range(steps):
        progress = next(going)
        if isinstance(progress, EpochProgress) and progress.best:
            at_end = weights(made), progress.validation_accuracy
    going.close()
    if at_end is None:
        assert len(run.judged.keys) == 0
        return
    assert same(weights(made), at_end[0])
    assert Score.of(np.log(run.judged.probabilities), run.judged.labels).accuracy == at_end[1]


def test_patience_ends_all_heads():
    """After so many epochs whose judged answers were no better; the counts say so."""
    run = job(count=6).fitting(epochs=60, patience=2, learning_rate=0.9, schedule="constant", monitor="loss")
    seen = list(run.run())
    ends = [one for one in seen if isinstance(one, EpochProgress)]
    assert len(ends) < 60
    assert (seen[-1].epochs, seen[-1].steps) == (len(ends), seen[-1].step)
    assert "".join("x" if one.best else "." for one in ends).endswith("x..")


def test_classes_without_enough_are_not_judged():
    """The only picture of a class is learnt from by all heads and judged by none; with one picture in each class there are no folds."""
    made = job(["red", "blue"], count=5)
    made.add_class("green")
    alone = made.add(picture("green", 0), "green").key
    rows = judged(made)
    assert len(rows) == 10
    assert (alone, 2) not in rows
    run = job(count=1).fitting(folds=5)
    assert (run.folds, run.validation_count) == (0, 0)


def test_classes_smaller_than_the_folds_are_judged():
    """Two pictures a class, five folds: all six are judged, no class wholly in one fold."""
    run = job(count=2).fitting(folds=5, **SETTINGS)
    list(run.run())
    assert (run.folds, len(run.judged.keys)) == (5, 6)


@pytest.mark.parametrize(
    "options", [{"class_weights": "balanced"}, {"label_smoothing": 0.1}, {"gradient_accumulation_steps": 2}, {"warmup": 0.2}]
)
def test_every_option_works_with_folds(options):
    """And gives the same again with the same seed."""
    first, again = judged(job(count=6), **options), judged(job(count=6), **options)
    assert all(np.array_equal(row, again[place]) for place, row in first.items())
    assert sum(row.argmax() == label for (_, label), row in first.items()) >= 12  # of 18; a third is chance


def test_a_change_under_a_run_ends_it():
    """Also while a fold's head has its turn: what the classes have learnt stays as the change left it."""
    made = job(count=6)
    run = made.fitting(batch_size=4, **SETTINGS).run()
    while next(run).fold != 3:
        pass
    made.remove_class("blue")
    left = weights(made)
    with pytest.raises(StateError, match="start the training again"):
        list(run)
    assert same(weights(made), left)


def test_held_out_pictures_are_judged_too():
    """Without folds: by one head beside, that has learnt from the others; no steps are said to be of a fold."""
    run = job().fitting(epochs=8, validation=0.3)
    seen = list(run.run())
    best = [one for one in seen if isinstance(one, EpochProgress) and one.best][-1]
    assert (len(run.judged.keys), run.validation_count, run.folds) == (9, 9, 0)
    assert Score.of(np.log(run.judged.probabilities), run.judged.labels).accuracy == best.validation_accuracy
    assert {(one.fold, one.folds) for one in seen} == {(0, 0)}


def test_a_held_out_picture_under_the_wrong_name_is_found_again_and_again():
    """The head that judges it goes on with each run, and has still not been told the wrong name."""
    made = job(["red", "blue"], count=8)
    wrong = made.add(picture("blue", 50), "red").key
    samples = made._gallery.album.samples()
    seed = next(seed for seed in range(50) if held_out(samples, np.arange(len(samples)), 0.5, seed)[samples.index((wrong, 0))])
    for _ in range(4):
        run = made.fitting(validation=0.5, seed=seed, **SETTINGS)
        list(run.run())
        row = run.judged.probabilities[run.judged.keys.index(wrong)]
        assert row[1] > 0.5


@pytest.mark.parametrize("options", [{}, {"validation": 0.3}])
def test_going_on_is_one_longer_training(options):
    """At a constant rate and one batch an epoch two runs of five epochs measure what one of ten does, head by head."""
    settings = {"batch_size": 64, "learning_rate": 0.02, "schedule": "constant", **options}
    apart, whole = job(), job()
    parts = [one for _ in range(2) for one in epochs_of(apart.fitting(epochs=5, **settings).run())]
    long = epochs_of(whole.fitting(epochs=10, **settings).run())
    assert [one.best for one in long] == [True] * 10  # or the second run would go on from before the end of the first
    for one, other in zip(parts, long, strict=True):
        # the order within the only batch differs: float32 sums
        assert (one.loss, one.validation_loss) == pytest.approx((other.loss, other.validation_loss), rel=1e-4)


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.add(picture("red", 90), "red"),
        lambda made: made.remove(min(made.keys("red")), "red"),
        lambda made: made.move(min(made.keys("red")), "red", "blue"),
        lambda made: made.load_checkpoint(made.head_state()),
        lambda made: made.set_classes([*made.labels, "sand"]),
    ],
)
def test_after_a_change_the_judges_begin_anew(change):
    """What they say is what they say in a fresh job with the same pictures: nothing of what they were told before."""
    made, fresh = job(count=6), job(count=6)
    list(made.fit(**SETTINGS))
    change(made)
    change(fresh)
    after, expected = judged(made), judged(fresh)
    assert after.keys() == expected.keys()
    assert all(np.array_equal(row, expected[place]) for place, row in after.items())


def test_a_stop_before_the_first_epoch_keeps_what_was_judged():
    """Going on and stopping at once: the head is the one from before, and so are the answers of its judges."""
    made = job()
    first = made.fitting(batch_size=8, **SETTINGS)
    list(first.run())
    left, second = weights(made), made.fitting(batch_size=8, **SETTINGS)
    run = second.run()
    next(run)
    run.close()
    assert same(weights(made), left)
    assert np.array_equal(second.judged.probabilities, first.judged.probabilities)
    third = made.fitting(batch_size=8, **SETTINGS)
    assert all(one is other for one, other in zip(third.heads, first.heads, strict=True))
