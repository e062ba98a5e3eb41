"""bench.table: what the pages say is what was measured."""

import pytest

from bench import results
from bench.jobs import JOBS
from bench.table import PAGES, renewed, standing, table
from sitebuild import paths

ORT, TFJS = "onnxruntime-web 1.19.2 training", "TensorFlow.js 4.22 wasm"
ROUNDS = [
    {
        "pagetrain": {"total": 2.0, "load": 1.0, "memory": 200.0},
        ORT: {"total": total, "load": 1.5, "memory": 600.0, "extrapolated": True},
        TFJS: {"unsupported": "no gradient"},
    }
    for total in (20.0, 40.0, 10.0)
]


def result(rounds):
    return results.found("block", {}, "156", rounds, [50.0])


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_show_what_the_results_render(name):
    """Nobody wrote a number by hand: python -m bench.table makes the very text."""
    assert (paths.ROOT / name).read_text(encoding="utf-8") == renewed(name)


def test_a_row_says_median_range_and_how_much_pagetrain_takes():
    """Extrapolated times are marked, what could not be done is told, and there is no ratio of pagetrain to itself."""
    lines = table(JOBS["block"], result(ROUNDS)).splitlines()
    assert lines[2].startswith("| pagetrain | 2.00 (2.00 to 2.00) | – | 1.00 |")
    assert lines[3].startswith(f"| {ORT} | 20.00* (10.00 to 40.00) | 0.10 of it | 1.50 |")
    assert lines[4].startswith(f"| {TFJS} | no gradient |")
    assert len({line.count("|") for line in lines[:5]}) == 1


def test_who_is_faster_is_told():
    """By the ratio within the rounds; none, one, and not those that could not do the job."""
    assert standing(JOBS["block"], result(ROUNDS)) == "Nobody here is faster than pagetrain."
    slower = [{**one, "pagetrain": {"total": 50.0}} for one in ROUNDS]
    assert standing(JOBS["block"], result(slower)) == f"Faster than pagetrain here: {ORT}, which takes 0.40 of pagetrain's time."
