"""Node's packages: npm ci from the committed lock, and programs that run under node."""

import re
import shutil
import subprocess
from pathlib import Path

from sitebuild import commands, pins
from sitebuild.errors import SetupError
from sitebuild.report import Report


def make(_output: Path, _report: Report) -> None:
    """What the site is made of."""
    _install("node packages", "--omit=dev")


def make_for_tests(_output: Path, _report: Report) -> None:
    """The same, and what tests and checks need besides."""
    _install("node test packages")


def _install(stage: str, *more: str) -> None:
    """npm removes node_modules first and checks every package against the lock's integrity; no package may run a script."""
    npm = program("npm")
    _require_node_version()
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
    commands.run(stage, [npm, "ci", *options, *more])


def program(name: str) -> str:
    """The path of node or npm. Raises SetupError when it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise SetupError(
            f"{name} was not found: install Node.js {pins.OLDEST_NODE} or newer with npm (nodejs.org, or your system's packages)"
        )
    return found


def _require_node_version() -> None:
    printed = subprocess.run([program("node"), "--version"], capture_output=True, text=True, check=False).stdout
    major = re.match(r"v(\d+)", printed)
    if major is None or int(major[1]) < pins.OLDEST_NODE:
        raise SetupError(f"node is {printed.strip() or 'broken'}, but {pins.OLDEST_NODE} or newer is needed: update Node.js")
