"""The benchmark runs, so that it is there when it is wanted. Its figures are not judged here."""

from pathlib import Path

import pytest

from bench import first_run

pytestmark = pytest.mark.browser


def test_first_run_measures_everything(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One repetition with three pictures fills every row of the table."""
    first_run.main(["--repetitions", "1", "--pictures", "3", "--epochs", "1"])
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 + len(first_run.MEASURES)
