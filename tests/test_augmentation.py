"""Further rows of pictures: learnt from, never judged by, gone with their picture."""

import numpy as np
import pytest

from pagetrain import Personalizer
from pagetrain.errors import InvalidInputError, StateError
from pagetrain.variants import variants_of, vary
from tests.tiny import FOLDER, job, picture

BOTH = {"mirror": True, "crop": True}
LABELS = ("red", "green", "blue")


def augmented(augment=BOTH, count=10):
    made = job(count=count)
    for label in LABELS:
        for number in range(count):
            made.augmentation.add(picture(label, number), augment)
    return made


def weights(made):
    return {name: made._state.parameters[name].data.copy() for name in made._state.trainable_names}


def drawn(made, keys, augment, seed=0, times=200):
    """The rows that so many draws give of all keys: (times, keys, width)."""
    rows = made.augmentation.drawn(keys, augment, seed)
    return np.array([rows(np.arange(len(keys))) for _ in range(times)])


def test_rows_are_the_features_of_the_variants():
    """Each row that is drawn is what the frozen part makes of the plain picture or of one of the variants asked for, and each comes."""
    made, data = augmented(), picture("red", 3)
    key = made.add(data, "red").key
    seen = made.pixels(data)
    for augment in (BOTH, {"mirror": True}, {"crop": True}):
        expected = {made.embed(one).tobytes() for one in (seen, *(vary(seen, name) for name in variants_of(augment)))}
        assert {row.tobytes() for row in drawn(made, [key], augment)[:, 0]} == expected


def test_a_row_is_made_once():
    """The second time there is nothing to make; what was made for one kind counts for both."""
    made = job(count=1)
    data = picture("red", 0)
    assert [made.augmentation.add(data, one) for one in ({"mirror": True}, {"mirror": True}, BOTH, BOTH, {"crop": True})] == [1, 0, 8, 0, 0]


def test_what_is_missing_is_told_and_the_plain_row_stands_in():
    """A picture without further rows is learnt from as it is; without any at all the training is refused before it begins."""
    made = job(count=2)
    keys = made.keys("red")
    with pytest.raises(StateError, match="make them first"):
        made.fitting(augment=BOTH)
    made.augmentation.add(picture("red", 0), BOTH)
    assert made.augmentation.missing(keys, BOTH) == keys[1:]
    assert made.augmentation.missing(keys, {}) == []
    plain = made.features(keys[1])
    assert {row.tobytes() for row in drawn(made, keys, BOTH)[:, 1]} == {plain.tobytes()}
    made.fitting(augment=BOTH)


def test_rows_go_with_their_picture():
    """A picture that comes again has none; one that is still in another class, or was moved, keeps them. The places are used again."""
    made = job(count=1)
    data = picture("red", 0)
    made.augmentation.add(data, BOTH)
    key = made.add(data, "green").key
    made.remove(key, "red")
    made.move(key, "green", "blue")
    assert made.augmentation.missing([key], BOTH) == []
    size = len(made._gallery.features._rows)
    for _ in range(20):
        made.remove(key, "blue")
        made.add(data, "blue")
        assert made.augmentation.missing([key], BOTH) == [key]
        made.augmentation.add(data, BOTH)
    assert len(made._gallery.features._rows) == size


def test_training_learns_from_them_and_only_then():
    """Other weights than without, the same again for the same seed, and without the option the same as if there were none."""
    plain, with_rows, twice, unused = job(), augmented(), augmented(), augmented()
    for made, settings in ((plain, {}), (with_rows, {"augment": BOTH}), (twice, {"augment": BOTH}), (unused, {})):
        list(made.fit(epochs=4, seed=3, **settings))
    for name, data in weights(plain).items():
        np.testing.assert_array_equal(weights(unused)[name], data)
        np.testing.assert_array_equal(weights(twice)[name], weights(with_rows)[name])
        assert not np.array_equal(weights(with_rows)[name], data)


def test_the_same_whatever_the_order_in_which_pictures_came():
    """Rows are drawn for pictures in the album's order, not in that of their places in the table."""
    first, second = augmented(count=4), Personalizer.load(FOLDER, seed=0)
    second.set_classes(LABELS)
    for number in reversed(range(4)):
        for label in reversed(LABELS):
            second.add(picture(label, number), label)
            second.augmentation.add(picture(label, number), BOTH)
    for made in (first, second):
        list(made.fit(epochs=3, augment=BOTH))
    for name, data in weights(first).items():
        np.testing.assert_array_equal(weights(second)[name], data)


def test_held_out_pictures_are_judged_by_their_plain_row_and_no_row_of_theirs_is_learnt_from(monkeypatch):
    """The steps of the head that judges see rows of the pictures that are not held out, and scoring sees plain rows only."""
    made = augmented()
    fitting = made.fitting(epochs=2, augment=BOTH, validation=0.3)
    data = fitting._learner.data
    mine = {data.keys[index]: {made.features(data.keys[index]).tobytes(), *(row.tobytes() for row in made._gallery.features.take(
        np.array(list(made._gallery.features.further(data.keys[index]).values()))))} for index in range(len(data.keys))}  # fmt: skip
    held = {row for place in fitting._folds[0].judged for row in mine[data.keys[place]]}
    plain = {made.features(key).tobytes() for key in data.keys}
    learnt, judged = [], []
    module = fitting._judge._module
    train, judge = module.train_step, module.eval_step
    rows_in = lambda feeds: [row.tobytes() for row in feeds[made._layout.names[0]].reshape(-1, made._layout.width)]  # noqa: E731
    monkeypatch.setattr(module, "train_step", lambda feeds, names: (learnt.extend(rows_in(feeds)), train(feeds, names))[1])
    monkeypatch.setattr(module, "eval_step", lambda feeds, names: (judged.extend(rows_in(feeds)), judge(feeds, names))[1])
    list(fitting.run())
    assert not held & set(learnt)
    assert held & plain == set(judged)
    assert set(learnt) - plain


@pytest.mark.parametrize("do", [
    lambda made: made.augmentation.add(picture("sand", 0), BOTH),
    lambda made: made.augmentation.restore("0" * 64, "mirrored", np.zeros(12, np.float32)),
    lambda made: made.augmentation.restore(made.keys("red")[0], "upside down", np.zeros(12, np.float32)),
    lambda made: made.augmentation.restore(made.keys("red")[0], "mirrored", np.zeros(11, np.float32)),
    lambda made: made.augmentation.restore(made.keys("red")[0], "mirrored", np.full(12, np.nan, np.float32)),
    lambda made: made.fitting(augment={"flip": True}),
])  # fmt: skip
def test_what_does_not_go_together_is_refused_and_nothing_is_kept(do):
    """A picture that was not added, a variant that there is not, a row of another size or not finite, another kind."""
    made = job(count=2)
    with pytest.raises(InvalidInputError):
        do(made)
    assert made.augmentation.missing(made.keys("red"), {"mirror": True}) == made.keys("red")
