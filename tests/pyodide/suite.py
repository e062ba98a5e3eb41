"""Read by run_suite.mjs and run inside Pyodide; its last value is the function to call."""

from typing import Any

import pytest


class Outcomes:
    """Collects what became of each test: node id -> passed, failed or skipped."""

    def __init__(self) -> None:
        self.by_id: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.by_id[report.nodeid] = report.outcome


def run(arguments: list[str]) -> tuple[int, dict[str, Any]]:
    """pytest's exit status and the outcomes. Its output is captured through sys, because Pyodide has no file descriptors to redirect."""
    outcomes = Outcomes()
    status = pytest.main([*arguments, "--capture=sys", "-p", "no:cacheprovider"], plugins=[outcomes])
    return int(status), outcomes.by_id


run  # noqa: B018  (the value of the script)
