"""bench.checks: who does not do the work gets no time."""

import json

import numpy as np
import pytest

from bench import checks, stages


def test_a_loss_has_to_fall():
    """From the first third to the last; one that is not finite does not."""
    checks.learns([1.4, 1.2, 0.9, 0.7, 0.6, 0.8])
    for losses in ([1.0, 1.0, 1.0], [0.5, 0.6, 0.7], [1.0, 0.5, float("nan")]):
        with pytest.raises(checks.BrokenError, match="does not learn"):
            checks.learns(losses)


def test_features_have_to_be_those_of_the_network(monkeypatch, tmp_path):
    """Rounding and compact weights may move them, not more."""
    expected = np.random.default_rng(0).uniform(0, 6, 1280)
    (tmp_path / "features.json").write_text(json.dumps(expected.tolist()), encoding="utf-8")
    monkeypatch.setattr(stages, "MODELS", type("Stage", (), {"output": tmp_path}))
    checks.expected_features.cache_clear()
    checks.same_network(None)
    checks.same_network((expected * (1 + 0.005)).tolist())
    for other in (np.zeros(1280), expected[::-1], expected * np.nan):
        with pytest.raises(checks.BrokenError, match="something else"):
            checks.same_network(other.tolist())
    checks.expected_features.cache_clear()
