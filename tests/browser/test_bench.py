"""The benchmark runs, so that it is there when it is wanted. Its figures are not judged here."""

import json
import os
import subprocess
import sys

import pytest

from bench import stages
from bench.contestants import PAGETRAIN
from bench.jobs import JOBS, Alone
from sitebuild import paths
from sitebuild.report import Report

pytestmark = pytest.mark.browser


@pytest.mark.usefixtures("site")
def test_every_job_gets_a_row_for_everybody(tmp_path) -> None:
    """A quick run of all jobs: nobody fails, who can do the job has a time. A process of its own, as one has room for one Playwright."""
    stages.prepare(Report())
    command = [sys.executable, "-m", "bench.run", "--quick", "--results", str(tmp_path)]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(paths.ROOT), str(paths.ROOT / "pyodide_pkg")])}
    done = subprocess.run(command, cwd=paths.ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name, job in JOBS.items():
        assert f"{job.title}\n\n|" in done.stdout
        if isinstance(job, Alone):
            continue
        summary = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["summary"]
        assert list(summary) == [one.name for one in job.quick]
        for row in summary.values():
            assert "unsupported" in row or all(row[column.measure]["median"] > 0 for column in job.columns if column.against is PAGETRAIN)
