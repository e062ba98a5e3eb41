"""The ops that write their inputs, against their formulas written out number by number. (The traces of ORT hold them as well.)"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.training import adamw_optimizer, in_place_accumulator, inplace_clip_grad_norm, sgd_optimizer
from tests.cases.case import floats

FALSE, TRUE = np.array([False]), np.array([True])


@pytest.mark.parametrize("flag, expected", [(FALSE, [4, 6]), (None, [4, 6]), (TRUE, [3, 4])], ids=["add", "default", "overwrite"])
def test_accumulator_adds_or_overwrites_in_place(flag: np.ndarray | None, expected: list[float]) -> None:
    """The buffer itself is written and returned; the flag that comes out is true."""
    buffer, value = np.float32([1, 2]), np.float32([3, 4])
    updated, same = in_place_accumulator(buffer, value, flag)
    assert updated.tolist() == [True]
    assert same is buffer
    assert buffer.tolist() == expected


def adamw_number(w: float, g: float, m: float, v: float, t: int, lr: float, mode: int, correct: int, **hyper: float) -> float:
    """One weight's update in plain arithmetic: mode 0 as torch.optim.AdamW documents it, mode 1 as transformers' AdamW does."""
    a, b, eps, decay = (hyper[name] for name in ("alpha", "beta", "epsilon", "weight_decay"))
    m, v = a * m + (1 - a) * g, b * v + (1 - b) * g * g
    c1, c2 = (1 - a**t, 1 - b**t) if correct else (1.0, 1.0)
    if mode == 0:
        w = w * (1 - lr * decay)
        return w - lr * (m / c1) / (sqrt(v / c2) + eps)
    w = w - lr * sqrt(c2) / c1 * m / (sqrt(v) + eps)
    return w * (1 - lr * decay)


@pytest.mark.parametrize("correct", [0, 1])
@pytest.mark.parametrize("mode", [0, 1])
def test_adamw_is_its_formula(mode: int, correct: int) -> None:
    """For both modes and with or without bias correction, several tensors at once, moments and weights in place."""
    hyper = {"alpha": 0.8, "beta": 0.95, "epsilon": 1e-3, "weight_decay": 0.1}
    weights, gradients, first = ([floats(2, 3, seed=seed), floats(4, seed=seed)] for seed in (1, 2, 3))
    second = [floats(2, 3, seed=4, low=0), floats(4, seed=4, low=0)]
    numbers = zip(
        *(np.concatenate([array.ravel() for array in group]).tolist() for group in (weights, gradients, first, second)), strict=True
    )
    expected = [adamw_number(*number, 3, 0.05, mode, correct, **hyper) for number in numbers]
    flag, *_ = adamw_optimizer(
        np.float32([0.05]), np.array([3]), weights, gradients, first, second, adam_mode=mode, correct_bias=correct, **hyper
    )
    assert flag.tolist() == [True]
    result = np.concatenate([array.ravel() for array in weights])
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)  # float32 against float64


def test_sgd_is_its_formula() -> None:
    """w - lr g, in place."""
    weights, gradients = [np.float32([1, 2]), np.float32([3])], [np.float32([4, -4]), np.float32([8])]
    flag, same = sgd_optimizer(np.float32([0.25]), weights, gradients)
    assert flag.tolist() == [True]
    assert same is weights
    assert [w.tolist() for w in weights] == [[0, 3], [1]]


def test_no_update_signal_no_update() -> None:
    """With update_signal false nothing is written, and the flag says so."""
    lists = [[floats(3, seed=seed)] for seed in range(4)]
    before = [group[0].copy() for group in lists]
    assert adamw_optimizer(np.float32([1]), np.array([1]), *lists, FALSE)[0].tolist() == [False]
    assert sgd_optimizer(np.float32([1]), *lists[:2], FALSE)[0].tolist() == [False]
    for group, old in zip(lists, before, strict=True):
        np.testing.assert_array_equal(group[0], old)


def test_gradients_are_clipped_together() -> None:
    """(3, 4) and (12,) have the norm 13: with max_norm 6.5 all are halved, in place; with 14 nothing is touched."""
    for max_norm, factor in ((6.5, 0.5), (14.0, 1.0)):
        gradients = [np.float32([3, 4]), np.float32([12])]
        (same,) = inplace_clip_grad_norm(gradients, max_norm=max_norm)
        assert same is gradients
        np.testing.assert_allclose(np.concatenate(gradients), np.float32([3, 4, 12]) * factor, rtol=1e-6)  # 1e-6 stands in the formula


def test_gradients_of_zero_stay_zero() -> None:
    """No division by a norm of 0."""
    (gradients,) = inplace_clip_grad_norm([np.zeros(3, np.float32)])
    assert gradients[0].tolist() == [0, 0, 0]


def test_other_norms_are_refused() -> None:
    """The schema has a norm_type, with one value."""
    with pytest.raises(InvalidInputError, match="'inf'"):
        inplace_clip_grad_norm([np.ones(3, np.float32)], norm_type="inf")
