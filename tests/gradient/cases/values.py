"""Random values for gradient checks."""

import numpy as np

RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.normal(size=shape)


def away(*shape, gap=0.05, kinks=(0.0,)):
    """Random values that keep a distance from the points where the function has no derivative."""
    values = np.array(RNG.normal(size=shape) * 2)
    for kink in kinks:
        near = np.abs(values - kink) < gap
        values[near] = kink + np.where(values[near] < kink, -gap, gap) * 2
    return values


def ints(*values):
    return np.array(values, np.int64)


def scalar(value):
    return np.array(value, np.float64)


def spread(*shape):
    """Random values, any two of them 0.1 apart or more: no step of a difference changes which one is the maximum."""
    size = int(np.prod(shape))
    return (RNG.permutation(size) * 0.1 - size * 0.05).reshape(shape)
