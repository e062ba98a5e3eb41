"""bench.native: the workers answer, and the table sets each time beside that of ONNX Runtime."""

from pathlib import Path

import numpy as np
import pytest

from bench.native import rows, summary, workers
from tests.api.golden import Golden

pytestmark = pytest.mark.oracle  # not in Pyodide: it starts a process


@pytest.mark.parametrize("measure", ["step", "step_from_cut", "whole_job"])
def test_a_worker_times_what_it_is_asked_for(measure: str, tmp_path: Path) -> None:
    """One time for each step, or one for the whole job; all above zero."""
    golden = Golden("dwconv_relu6_gap")
    np.savez(tmp_path / "feeds.npz", **golden.feeds(0))
    job = {"folder": str(golden.folder), "feeds": str(tmp_path / "feeds.npz"), "count": 3, "batch": 1, "epochs": 2}
    with workers(None, 1) as found:
        times = found["pagetrain"].ask(measure=measure, **job)
    assert len(times) == (1 if measure == "whole_job" else 3)
    assert min(times) > 0


def test_ratios_are_those_of_the_minima() -> None:
    """Only where the other was measured, too."""
    times = {"pagetrain": [0.004, 0.003, 0.009], "onnxruntime": [0.002, 0.005]}
    found = {who: summary({who: seconds})[who] for who, seconds in times.items()}
    assert list(rows({"one": {"job": found}})) == [
        ["job", "one", "pagetrain", "3.000", "4.000", "1.50"],
        ["job", "one", "onnxruntime", "2.000", "3.500", "1.00"],
    ]
    assert [row[-1] for row in rows({"one": {"job": {"pagetrain": found["pagetrain"]}}})] == [""]
