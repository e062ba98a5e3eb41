"""The training loop: what each setting does to it."""

import itertools
import math

import numpy as np
import pytest

from pagetrain import Personalizer, clip_grad_norm
from pagetrain.errors import TrainingDivergedError
from tests.make_seed_record import EVERY_OPTION
from tests.tiny import FOLDER, job, picture, trained

BIAS = "classifier.bias"
STEP = "the optimizer step made 'classifier.weight' not finite"


def weights(made):
    return {name: made._state.parameters[name].data.copy() for name in made._state.trainable_names}


def before_each_update(made, monkeypatch, look):
    """The list that what look(state) says before each optimizer step is put into."""
    seen, step = [], made._optimizer.step
    monkeypatch.setattr(made._optimizer, "step", lambda: (seen.append(look(made._state)), step()))
    return seen


def norm(state):
    return clip_grad_norm(state, 1e9)  # which leaves them as they are


def test_accumulated_batches_are_one_larger_batch():
    """Six batches of 5, two to a step: the weights of three batches of 10, to the rounding of float32 sums in another order."""
    small = trained(epochs=5, validation=0, batch_size=5, gradient_accumulation_steps=2, learning_rate=0.01)
    large = trained(epochs=5, validation=0, batch_size=10, learning_rate=0.01)
    assert small._state.optimizer.step == large._state.optimizer.step == 15
    for name, data in weights(large).items():
        np.testing.assert_allclose(weights(small)[name], data, rtol=1e-3, atol=1e-5)


def test_the_rest_of_an_epoch_is_a_step_of_its_own(monkeypatch):
    """Six batches, four to a step: two steps an epoch; progress counts batches."""
    made = job()
    updates = before_each_update(made, monkeypatch, lambda state: state.optimizer.step)
    seen = list(made.fitting(epochs=3, validation=0, batch_size=5, gradient_accumulation_steps=4).run())
    assert [progress.step for progress in seen] == list(range(1, 19))
    assert updates == list(range(6))


def test_gradients_that_no_step_used_are_forgotten():
    """A run closed between the batches of a step leaves nothing for the next."""
    made, fresh = job(), job()
    run = made.fitting(batch_size=5, gradient_accumulation_steps=3).run()
    next(run), next(run)
    run.close()
    for one in (made, fresh):
        list(one.fit(epochs=2))
    for name, data in weights(fresh).items():
        np.testing.assert_array_equal(weights(made)[name], data)


def test_gradients_are_clipped_before_each_step(monkeypatch):
    """No step sees a norm above max_grad_norm, and those that were above are at it; without the setting they are above."""
    free, clipped = job(), job()
    norms = before_each_update(free, monkeypatch, norm)
    list(free.fit(epochs=2))
    limit = float(np.median(norms))
    seen = before_each_update(clipped, monkeypatch, norm)
    list(clipped.fit(epochs=2, max_grad_norm=limit))
    assert max(norms) > 1.01 * limit
    assert max(seen) == pytest.approx(limit, rel=1e-4)  # 1e-6 stands in the formula beside the norm, float32 in the sums


@pytest.mark.parametrize(
    "settings, expected",
    [
        ({}, [1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]),
        ({"schedule": "constant"}, [1] * 6),
        ({"schedule": "constant", "warmup": 0.5}, [0, 1 / 3, 2 / 3, 1, 1, 1]),
        ({"schedule": "cosine"}, [(1 + math.cos(math.pi * s / 6)) / 2 for s in range(6)]),
        ({"schedule": "cosine", "warmup": 1 / 3}, [0, 0.5, 1, (1 + math.cos(math.pi / 4)) / 2, 0.5, (1 + math.cos(3 * math.pi / 4)) / 2]),
        ({"gradient_accumulation_steps": 3}, [1, 0.5]),
    ],
)
def test_the_learning_rate_follows_the_schedule(settings, expected, monkeypatch):
    """Per optimizer step, over all of them, in a second run from its start again."""
    made = job()
    rates = before_each_update(made, monkeypatch, lambda state: state.optimizer.learning_rate / 0.02)
    for _ in range(2):
        list(made.fit(epochs=2, validation=0, batch_size=10, learning_rate=0.02, **settings))
    np.testing.assert_allclose(rates, expected * 2, rtol=1e-6, atol=1e-9)  # the state keeps float32


@pytest.mark.parametrize("patience", [1, 3])
@pytest.mark.parametrize("validation", [0, 0.3])
def test_a_run_ends_when_patience_does(patience, validation):
    """After so many epochs that were no better, no sooner; the counts say so, and the weights of its best epoch are kept."""
    made, seen, best = job(), [], None
    for progress in made.fit(
        epochs=60, validation=validation, patience=patience, learning_rate=0.9, schedule="constant", label_smoothing=0.2, monitor="loss"
    ):
        seen.append(progress)
        best = weights(made) if progress.best else best
    assert len(seen) < 60
    assert [progress.epoch for progress in seen] == list(range(1, len(seen) + 1))
    assert (seen[-1].epochs, seen[-1].steps) == (len(seen), seen[-1].step)
    flags = "".join("x" if progress.best else "." for progress in seen)
    assert flags.endswith("." * patience)
    assert "." * patience not in flags[:-1]
    for name, data in best.items():
        np.testing.assert_array_equal(weights(made)[name], data)


@pytest.mark.parametrize("monitor", ["accuracy", "loss"])
def test_the_monitored_number_says_which_epoch_is_best(monitor):
    """Greatest held-out accuracy and then least loss, or the other way round."""
    made, best, differing = job(count=8), None, 0
    for progress in made.fit(epochs=30, monitor=monitor, learning_rate=0.9, schedule="constant", validation=0.5):
        ranks = (progress.validation_accuracy, -progress.validation_loss)
        rank = ranks if monitor == "accuracy" else ranks[::-1]
        assert progress.best == (best is None or rank > best)
        best = rank if progress.best else best
        differing += not progress.best
    assert differing


def test_what_is_told_of_learnt_pictures_is_from_before_the_step():
    """One batch, a head of zeros: loss log 3, a third right, a third sure, all at once."""
    made = job()
    (progress,) = made.fit(epochs=1, batch_size=30, validation=0)
    assert progress.loss == pytest.approx(math.log(3), rel=1e-6)  # float32
    assert progress.accuracy == pytest.approx(1 / 3)  # with equal scores the first class is the answer
    assert list(progress.sure.values()) == pytest.approx([1 / 3] * 30, rel=1e-6)


def test_where_nothing_is_measured_the_lowest_loss_of_the_steps_is_best():
    """Its weights are those from the end of that epoch, and one that was no better is not kept."""
    made, lowest, kept, flags = job(), math.inf, None, set()
    for progress in made.fit(epochs=40, validation=0, learning_rate=0.9, schedule="constant", label_smoothing=0.2):
        assert progress.best == (progress.loss < lowest)
        lowest, kept = (progress.loss, weights(made)) if progress.best else (lowest, kept)
        flags.add(progress.best)
    assert flags == {True, False}
    for name, data in kept.items():
        np.testing.assert_array_equal(weights(made)[name], data)


@pytest.mark.parametrize("validation", [0.2, 0])
def test_pictures_that_were_learnt_from_are_not_scored_again(validation, monkeypatch):
    """After each epoch one of the last batch is, in which a ruined head shows; the held-out ones are by the other head."""
    made = job()
    eval_step, rows = made._module.eval_step, []

    def counting(feeds, fetches):
        rows.append(len(next(iter(feeds.values()))))
        return eval_step(feeds, fetches)

    monkeypatch.setattr(made._module, "eval_step", counting)
    list(made.fit(epochs=4, batch_size=5, validation=validation))
    assert rows == [1] * 4


def test_balanced_classes_pull_the_same(monkeypatch):
    """2 against 12 and 4 pictures: the first gradient of the bias is 0 for balanced classes; without weights that of their counts."""
    for options, counts in (({"class_weights": "balanced"}, [1, 1, 1]), ({}, [2, 12, 4]), ({"class_weights": {"red": 6}}, [12, 12, 4])):
        made = Personalizer.load(FOLDER)
        made.set_classes(["red", "green", "blue"])
        for label, count in zip(made.labels, (2, 12, 4), strict=True):
            for number in range(count):
                made.add(picture(label, number), label)
        seen = before_each_update(made, monkeypatch, lambda state: state.parameters[BIAS].grad.copy())
        list(made.fit(epochs=1, validation=0, batch_size=18, **options))
        np.testing.assert_allclose(seen[0], 1 / 3 - np.array(counts) / sum(counts), rtol=1e-5, atol=1e-6)  # the head begins with zeros


def test_smoothed_labels_keep_the_loss_above_their_entropy():
    """The cross-entropy with targets 1 - e + e / 3 and e / 3 cannot be less; without smoothing the same training gets below it."""
    e = 0.3
    bound = -(1 - 2 * e / 3) * math.log(1 - 2 * e / 3) - 2 * e / 3 * math.log(e / 3)
    smoothed, sharp = ([progress.loss for progress in job().fit(epochs=40, label_smoothing=value)] for value in (e, 0))
    assert bound < min(smoothed) < 1.1 * bound
    assert min(sharp) < bound / 2


def test_the_order_of_pictures_is_the_same_on_every_machine():
    """What a seed draws: numpy's permutations have the same bits in CPython and in Pyodide, where integers for sizes have 32."""
    order = np.random.default_rng(7).permutation(np.arange(12))
    assert order.tolist() == [4, 6, 10, 0, 1, 3, 8, 7, 2, 5, 9, 11]  # by numpy 2.4.6 in CPython on x86_64


def test_the_same_seed_gives_the_same_weights_with_every_option():
    """Bit for bit on one machine; and the classes are learnt."""
    first, second = trained(**EVERY_OPTION), trained(**EVERY_OPTION)
    for name, data in weights(first).items():
        np.testing.assert_array_equal(weights(second)[name], data)
    assert first.evaluate((picture(label, number), label) for label in first.labels for number in range(100, 105)).accuracy == 1


@pytest.mark.parametrize("wrong", ["loss", "gradient"])
def test_divergence_among_accumulated_batches_is_told_at_once(wrong, monkeypatch):
    """The batch that brings it ends the run, before its gradients are averaged, clipped or used; the weights from before are kept."""
    made = trained(epochs=2)
    before, step = weights(made), made._state.optimizer.step
    updates = before_each_update(made, monkeypatch, lambda state: None)
    train_step, counter = made._module.train_step, itertools.count()

    def poisoned(feeds, fetches):
        outputs = train_step(feeds, fetches)
        if next(counter) == 4:
            if wrong == "loss":
                return {"loss": np.float32("inf")}
            made._state.parameters[BIAS].grad[0] = np.nan
        return outputs

    monkeypatch.setattr(made._module, "train_step", poisoned)
    message = "the loss became inf" if wrong == "loss" else f"the gradient of '{BIAS}' is not finite"
    with pytest.raises(TrainingDivergedError, match=message):
        list(made.fit(batch_size=2, gradient_accumulation_steps=3, max_grad_norm=0.1))
    assert (next(counter), len(updates)) == (5, 1)
    assert made._state.optimizer.step == step
    for name, data in before.items():
        np.testing.assert_array_equal(weights(made)[name], data)


@pytest.mark.parametrize("value, told", [(np.inf, STEP), (np.nan, STEP), (3e38, "'logits' are not finite after the epoch")])
@pytest.mark.parametrize("bad", [1, 3])
def test_weights_that_the_last_step_of_an_epoch_ruins_are_never_kept(bad, value, told, monkeypatch):
    """Also where no batch follows that would tell: the run ends with the error, and the best epoch's weights, or the first ones, stay.

    Weights that are still numbers may be too large for the scores.
    """
    made = job()
    step, counter = made._optimizer.step, itertools.count(1)

    def ruining():
        step()
        if next(counter) == bad:
            for name in made._state.trainable_names:
                made._state.parameters[name].data[1] = value

    monkeypatch.setattr(made._optimizer, "step", ruining)
    kept, run = weights(made), made.fit(epochs=bad, validation=0, batch_size=30)
    for _ in range(bad - 1):
        next(run)
        kept = weights(made)
    with pytest.raises(TrainingDivergedError, match=told):
        next(run)
    for name, data in kept.items():
        np.testing.assert_array_equal(weights(made)[name], data)


def moments(made):
    """(parameter, moment) -> a copy, of those that are not 0 throughout as at the start."""
    kept = {(name, key): moment.copy() for name, both in made._state.optimizer.momentums.items() for key, moment in both.items()}
    return {place: moment for place, moment in kept.items() if moment.any()}


@pytest.mark.parametrize("make", [job, trained])
def test_a_gradient_whose_square_overflows_ends_the_run(make, monkeypatch):
    """float32 has no 1e40. Gradient, loss and weights are numbers, but the weight would never move again; all stay as they were before."""
    made = make()
    before, train_step = (weights(made), moments(made), made._state.optimizer.step), made._module.train_step

    def steep(feeds, fetches):
        outputs = train_step(feeds, fetches)
        made._state.parameters[BIAS].grad[1] = -1e20
        return outputs

    monkeypatch.setattr(made._module, "train_step", steep)
    with pytest.raises(TrainingDivergedError, match=f"the second moment of '{BIAS}' overflowed"):
        list(made.fit(epochs=1, batch_size=30, validation=0))
    np.testing.assert_equal((weights(made), moments(made), made._state.optimizer.step), before)
