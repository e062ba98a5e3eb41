"""bench.results: medians with spread, and ratios within a round."""

import pytest

from bench import results

ROUNDS = [
    {"ours": {"total": 1.0, "extrapolated": False}, "theirs": {"total": 4.0, "extrapolated": True}},
    {"ours": {"total": 9.0, "extrapolated": False}, "theirs": {"total": 10.0, "extrapolated": True}},
    {"ours": {"total": 2.0, "extrapolated": False}, "theirs": {"error": "it fell over"}},
]


def test_medians_and_spread_are_those_of_the_repetitions():
    """Flags are no numbers; what failed is told, and the others still count."""
    found = results.summary([one["theirs"] for one in ROUNDS])
    assert found == {"total": {"median": 7.0, "minimum": 4.0, "maximum": 10.0}, "error": "it fell over", "extrapolated": True}


def test_ratios_are_taken_within_a_round():
    """The median of 1/4 and 9/10, not the ratio of the medians 2 and 7; a round in which one failed has none."""
    assert results.ratio(ROUNDS, "total", "ours", "theirs") == pytest.approx((0.25 + 0.9) / 2)
    assert results.ratio(ROUNDS, "step", "ours", "theirs") is None


def test_what_is_kept_is_read_again(tmp_path):
    """Every repetition, the sizes, where and when."""
    kept = results.found("last", {"pictures": 60}, "156", ROUNDS, [50.04, 51.0, 52.0])
    results.write(tmp_path, kept)
    assert results.read(tmp_path, "last") == kept
    assert kept["rounds"] == ROUNDS
    assert kept["calibration"] == [50.0, 51.0, 52.0]
    assert kept["browser"] == "Chromium 156"
    assert all(kept[key] for key in ("date", "commit", "machine"))
    assert results.read(tmp_path, "block") is None
