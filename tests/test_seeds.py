"""The same seed learns the same in CPython and in Pyodide."""

import json

import numpy as np
import pytest

from tests.make_seed_record import RECORD, TRAININGS, learnt


@pytest.mark.parametrize("name", TRAININGS)
def test_a_seed_learns_what_cpython_has_learnt(name):
    """To the rounding of exponentials, logarithms and matrix products, which differ in the last bit from machine to machine."""
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    found = learnt(TRAININGS[name])
    assert set(found) == set(recorded)
    for parameter, values in found.items():
        # measured between CPython on x86_64 and Pyodide: 5e-7; another order of pictures, say, makes more than 1e-3
        np.testing.assert_allclose(values, recorded[parameter], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", TRAININGS)
def test_another_seed_learns_something_else(name):
    """So that the comparison above can fail."""
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))[name]
    found = learnt({**TRAININGS[name], "seed": 1})
    assert max(np.abs(np.subtract(values, recorded[parameter])).max() for parameter, values in found.items()) > 1e-3
