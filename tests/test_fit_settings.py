"""The settings of one training."""

import re

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError
from pagetrain.fit_settings import FitSettings, default_batch_size, default_folds, default_learning_rate

PLAIN = {"batch_size": 8, "learning_rate": 0.01, "seed": 0, "folds": 0}


def test_what_is_left_out_or_none_has_the_default():
    """Those that depend on the pictures are only made when they are needed."""
    made = FitSettings.of(
        {"epochs": None, "learning_rate": 0.5, "seed": None},
        batch_size=lambda: default_batch_size(500),
        learning_rate=lambda: 1 / 0,
        seed=lambda: 7,
        folds=lambda: 4,
    )
    assert made == FitSettings(batch_size=16, learning_rate=0.5, seed=7, folds=4)


def test_who_asks_for_a_share_held_out_gets_no_folds():
    """Unless he asks for both: folds then measure, and nothing more is held out."""
    for options, folds in (
        ({"validation": 0.3}, 0),
        ({"validation": 0}, 0),
        ({"validation": 0.3, "folds": 3}, 3),
        ({"validation": None}, 5),
    ):
        assert FitSettings.of({**PLAIN, "folds": None, **options}, folds=lambda: 5).folds == folds


def test_few_pictures_are_cross_validated():
    """Up to 300, where the last layer alone is trained; in as many folds as the class in the middle has pictures, at most 5."""
    cases = {(150, 150): 5, (150, 151): 0, (4, 4): 4, (2, 2, 2): 2, (3, 20): 3, (1, 4, 4, 9): 4, (2, 5, 9): 5, (1, 1): 0, (1, 40): 5}
    assert {sizes: default_folds(sizes, head_only=True) for sizes in cases} == cases
    assert default_folds((5, 5), head_only=False) == 0


@pytest.mark.parametrize("size", [0, 1e-30, 1, 1e6, 1e9, 1e30, np.finfo(np.float32).max])
def test_the_default_learning_rate_may_be_used(size):
    """Whatever the features' size: nobody is told that a rate which nobody chose is out of its bounds."""
    rate = default_learning_rate(np.full((3, 100), size, np.float32), head_only=True)
    assert FitSettings(**{**PLAIN, "learning_rate": rate}).learning_rate == rate


@pytest.mark.parametrize(
    "name, value",
    [
        ("schedule", "exponential"),
        ("schedule", 1),
        ("schedule", np.array(["linear", "cosine"])),
        ("warmup", -0.1),
        ("warmup", 1),
        ("warmup", "0.1"),
        ("gradient_accumulation_steps", 0),
        ("gradient_accumulation_steps", 1.5),
        ("max_grad_norm", 0),
        ("max_grad_norm", float("nan")),
        ("max_grad_norm", float("inf")),
        ("patience", 0),
        ("patience", 2.0),
        ("patience", True),
        ("monitor", "recall"),
        ("folds", 1),
        ("folds", -2),
        ("folds", 21),
        ("folds", 2.5),
        ("label_smoothing", -0.1),
        ("label_smoothing", 1),
        ("label_smoothing", float("nan")),
    ],
)
def test_senseless_values_are_refused(name, value):
    """By name, with the value and what is expected."""
    with pytest.raises(InvalidInputError, match=re.escape(f"{name} is {value!r}, expected")):
        FitSettings(**{**PLAIN, name: value})


def test_unknown_names_are_refused():
    """With those that there are."""
    with pytest.raises(InvalidInputError, match=r"no option 'patients'; .*patience"):
        FitSettings.of({"patients": 3})


def test_numpy_s_numbers_are_numbers():
    """Within the same bounds, and kept as Python's."""
    made = FitSettings.of({"epochs": np.int64(3), "validation": np.float32(0.25), **PLAIN})
    assert (made.epochs, made.validation, type(made.epochs), type(made.validation)) == (3, 0.25, int, float)
    with pytest.raises(InvalidInputError, match="epochs is 0"):
        FitSettings.of({"epochs": np.int64(0), **PLAIN})
