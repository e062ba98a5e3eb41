"""bench.interchange: our trainer's columns are measured anew and are what docs/interchange.md says."""

import numpy as np
import pytest

from bench.interchange import NOT_INSTALLED, PAGE, TOLERANCE, cell_text, difference, row, rows_of
from tests.api.golden import TRACES, Golden

pytestmark = pytest.mark.oracle
# Another processor or numpy sums in another order: what is left of a difference of roundings moves by a few times, and by no more.
ROUNDING, TIMES = 2e-6, 10


@pytest.fixture(scope="module")
def written():
    return rows_of(PAGE.read_text(encoding="utf-8"))


def test_the_page_has_a_row_for_each_recorded_training(written):
    """No more, no less, and in every column what was measured with the real package: a number within the tolerance."""
    assert list(written) == list(TRACES)
    for *differences, checkpoints, inference in written.values():
        assert checkpoints == "identical"
        assert all(float(text) <= TOLERANCE for text in (*differences, inference))


@pytest.mark.parametrize("name", TRACES)
def test_the_page_says_what_is_measured(written, name):
    """pagetrain on both kinds of artifacts, the checkpoints' bytes, and today's onnxruntime on our inference .ort."""
    _, *now = row(name, None)
    assert now[2:4] == [NOT_INSTALLED] * 2
    assert now[4] == written[name][4] == "identical"
    for index in (0, 1, 5):
        assert float(now[index]) <= max(TIMES * float(written[name][index]), ROUNDING)


def test_a_wrong_or_missing_number_is_seen():
    """Every recorded number counts: one that is off by more than the tolerance, is not finite or is not there fails the cell."""
    recorded = Golden("mlp_mse_sgd").trace
    assert difference(recorded, recorded) == 0
    for key in ("loss", "grad_after_train_step/1/w1", "param_final/b2", "eval_loss_after"):
        off = recorded[key] + np.float32(3 * TOLERANCE)
        assert difference({**recorded, key: off}, recorded) > TOLERANCE
        assert difference({**recorded, key: off * np.nan}, recorded) == np.inf
        assert difference({name: value for name, value in recorded.items() if name != key}, recorded) == np.inf
    assert "fails" in cell_text(3 * TOLERANCE)
