"""Held-out pictures and folds: near-duplicates together, classes in proportion, something left to learn from."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagetrain.folds import NEVER, folds_of
from pagetrain.holdout import MIN_PICTURES, held_out


@st.composite
def collections(draw):
    """(samples, groups): up to 40 places in up to 5 classes, some pictures in two classes, some in groups of several."""
    labels = draw(st.lists(st.integers(0, 4), min_size=1, max_size=40))
    samples = sorted({(f"k{draw(st.integers(0, 60))}", label) for label in labels}, key=lambda sample: sample[::-1])
    linked = draw(st.integers(1, 60))
    names = [int(key[1:]) % linked for key, _ in samples]
    numbers = {}
    return samples, np.array([numbers.setdefault(name, len(numbers)) for name in names])


def per_class(samples, chosen):
    return Counter(label for (_, label), one in zip(samples, chosen, strict=True) if one)


@settings(max_examples=200, deadline=None)
@given(collections(), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.integers(0, 5))
def test_held_out_groups_are_whole_and_leave_something(collection, share, seed):
    """No group on both sides; each class keeps a picture."""
    samples, groups = collection
    mask = held_out(samples, groups, share, seed)
    assert all(len(set(mask[groups == number])) == 1 for number in set(groups.tolist()))
    totals, held = per_class(samples, np.ones(len(samples))), per_class(samples, mask)
    assert all(held[label] < total for label, total in totals.items())


def test_the_held_out_share_is_stratified_and_stable():
    """A fifth of each class, none of a small one; two thirds of the chosen stay when others come."""
    few = [(f"{label}{number}", label) for label in range(3) for number in range(10)]
    few += [(f"small{number}", 3) for number in range(MIN_PICTURES - 1)]
    mask = held_out(few, np.arange(33), 0.2, 0)
    assert per_class(few, mask) == {0: 2, 1: 2, 2: 2}
    more = [*few, *((f"n{label}{number}", label) for label in range(3) for number in range(2))]
    assert (held_out(more, np.arange(39), 0.2, 0)[: len(few)] <= mask).all()
    assert not held_out(few, np.arange(33), 0, 0).any()


def test_a_class_of_two_bursts_holds_out_the_smaller_one():
    """No group fits into a fifth: rather half a class than none; of one burst nothing can be held out."""
    samples = [(f"k{number}", 0) for number in range(10)] + [(f"o{number}", 1) for number in range(10)]
    mask = held_out(samples, np.array([0] * 6 + [1] * 4 + [2] * 10), 0.2, 0)
    assert mask.tolist() == [False] * 6 + [True] * 4 + [False] * 10


@settings(max_examples=300, deadline=None)
@given(collections(), st.integers(2, 6), st.integers(0, 5))
def test_folds_keep_groups_whole_and_classes_known(collection, folds, seed):
    """Each group is in one fold or in none; folds are counted from 0 without a gap; a head learns every class without its own fold."""
    samples, groups = collection
    numbers = folds_of(samples, groups, folds, seed)
    assert all(len(set(numbers[groups == group])) == 1 for group in set(groups.tolist()))
    used = sorted(set(numbers.tolist()) - {NEVER})
    assert used == list(range(len(used)))
    assert len(used) <= folds
    for number in used:
        assert per_class(samples, numbers != number).keys() == per_class(samples, np.ones(len(samples))).keys()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 17), min_size=1, max_size=5), st.integers(2, 6), st.integers(0, 5))
def test_pictures_without_doubles_are_spread_evenly(counts, folds, seed):
    """Of each class, folds differ by at most one, and only a class of one picture is never judged."""
    samples = [(f"{label}-{number}", label) for label, count in enumerate(counts) for number in range(count)]
    numbers = folds_of(samples, np.arange(len(samples)), folds, seed)
    for label, count in enumerate(counts):
        mine = [int(numbers[place]) for place, (_, one) in enumerate(samples) if one == label]
        if count == 1:
            assert mine == [NEVER]
        else:
            sizes = [mine.count(fold) for fold in range(folds)]
            assert NEVER not in mine
            assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("seed", [0, 1])
def test_sides_depend_on_the_seed_and_not_on_the_order(seed):
    """The same pictures in another order of classes have the same sides; another seed has others."""
    samples = [(f"{label}{number}", label) for label in range(2) for number in range(12)]
    turned = [(key, 1 - label) for key, label in samples]
    groups = np.arange(24)
    assert (held_out(samples, groups, 0.25, seed) == held_out(turned, groups, 0.25, seed)).all()
    assert (held_out(samples, groups, 0.25, seed) != held_out(samples, groups, 0.25, seed + 1)).any()
    assert (folds_of(samples, groups, 4, seed) != folds_of(samples, groups, 4, seed + 1)).any()
    assert (folds_of(samples, groups, 4, seed) == folds_of(turned, groups, 4, seed)).all()
