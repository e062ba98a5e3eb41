"""The benchmark runs, so that it is there when it is wanted. Its figures are not judged here."""

import os
import subprocess
import sys

import pytest

from bench import first_run
from sitebuild import paths

pytestmark = pytest.mark.browser


@pytest.mark.usefixtures("site")
def test_first_run_measures_everything() -> None:
    """One repetition with three pictures fills every row of the table. In a process of its own: one has room for one Playwright."""
    command = [sys.executable, "-m", "bench.first_run", "--repetitions", "1", "--pictures", "3", "--epochs", "1"]
    variables = {**os.environ, "PYTHONPATH": f"{paths.ROOT}:{paths.ROOT / 'pyodide_pkg'}"}
    done = subprocess.run(command, cwd=paths.ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2 + len(first_run.MEASURES)
