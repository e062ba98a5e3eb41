"""Random numbers: their types, their ranges and moments, their seeds. The bounds are five standard errors of the mean."""

import numpy as np
import pytest

from pagetrain import executor, kernels, plan
from pagetrain_ops.random import bernoulli, multinomial, random_normal, random_normal_like, random_uniform, random_uniform_like
from tests.graphs import graph, node

MANY = (100, 200)
ERROR = 5 / np.sqrt(20000)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    kernels.set_seed(3)


def test_uniform_numbers_are_even_between_their_bounds() -> None:
    """By the mean of the numbers and of their squares: 1/2 and 1/3 of the range."""
    (drawn,) = random_uniform(shape=MANY, low=-1.0, high=3.0)
    unit = (drawn + 1) / 4
    assert drawn.dtype == np.float32
    assert drawn.shape == MANY
    assert unit.min() >= 0
    assert unit.max() <= 1
    assert abs(unit.mean() - 1 / 2) < ERROR
    assert abs((unit**2).mean() - 1 / 3) < ERROR


def test_normal_numbers_have_the_mean_and_the_scale() -> None:
    """By the mean and the variance, whose error is sqrt(2) larger."""
    (drawn,) = random_normal(shape=MANY, mean=2.0, scale=3.0, dtype=11)
    unit = (drawn - 2) / 3
    assert drawn.dtype == np.float64
    assert abs(unit.mean()) < ERROR
    assert abs(unit.var() - 1) < ERROR * np.sqrt(2)


@pytest.mark.parametrize("like", [random_uniform_like, random_normal_like, bernoulli])
def test_shape_and_type_are_those_of_the_input(like) -> None:
    """Unless dtype says another type."""
    given = np.full((3, 4), 0.5, np.float16)
    assert like(given)[0].dtype == np.float16
    assert like(given)[0].shape == (3, 4)
    assert like(given, dtype=11)[0].dtype == np.float64


def test_bernoulli_draws_ones_by_the_probabilities() -> None:
    """0 never, 1 always, 0.3 three times in ten."""
    drawn = bernoulli(np.repeat(np.float32([[0], [1], [0.3]]), 20000, axis=1))[0].mean(axis=1)
    assert drawn[0] == 0
    assert drawn[1] == 1
    assert abs(drawn[2] - 0.3) < ERROR


def test_multinomial_draws_classes_by_their_logarithms() -> None:
    """One, two and seven parts of ten; a constant in all logarithms changes nothing."""
    weights = np.float32([[1, 2, 7], [10, 20, 70]])
    (drawn,) = multinomial(np.log(weights), sample_size=20000)
    assert drawn.dtype == np.int32
    for row in drawn:
        assert np.abs(np.bincount(row, minlength=3) / 20000 - [0.1, 0.2, 0.7]).max() < ERROR


def test_a_seed_gives_the_same_numbers_again() -> None:
    """Of the node, and of set_seed."""
    first = [random_uniform(shape=(4,), seed=seed)[0] for seed in (1.5, 2.5, None)]
    kernels.set_seed(3)
    again = [random_uniform(shape=(4,), seed=seed)[0] for seed in (1.5, 2.5, None)]
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first[0], first[1])


@pytest.mark.parametrize("made", [node("RandomNormal", "", "y", 1, shape=(4,)), node("Dropout", "w r t", "y", 13)])
def test_numbers_are_drawn_at_each_run(made) -> None:
    """Not once when the plan is made, although nothing but constants goes in."""
    constants = {"w": np.ones(64, np.float32), "r": np.float32(0.5), "t": np.array(True)}
    bound = plan.bind(graph([made], [], ["y"], constants))
    assert not np.array_equal(executor.run(bound, {})["y"], executor.run(bound, {})["y"])
