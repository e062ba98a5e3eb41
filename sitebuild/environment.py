"""The project's own Python environment under .cache/venv, with pinned packages, and downloads through its pip."""

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from sitebuild import commands, paths
from sitebuild.errors import SetupError
from sitebuild.report import Report

# -I: no PYTHONPATH, no user packages. Two retries: pip's five make a missing network look like a hang.
PIP = (paths.VENV_PYTHON, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "2")
PINNED = ("--require-hashes", "--no-deps", "--only-binary", ":all:")


def make(output: Path, _report: Report) -> None:
    """An empty environment of the Python that runs this."""
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        raise SetupError(f"{sys.executable} cannot make virtual environments: install the package python3-venv, or use another Python")
    if Path(sys.prefix) == output:
        raise SetupError(f"{sys.executable} is the environment that has to be made anew: run this with the Python it was made from")
    shutil.rmtree(output, ignore_errors=True)
    commands.run("environment", [sys.executable, "-m", "venv", output])


def python_inputs() -> list[str]:
    """An environment belongs to one Python and one place; seen from inside, they are the same."""
    return [sys.version, sys.base_prefix, str(paths.VENV)]


def installer(requirements: str) -> Callable[[Path, Report], None]:
    """A stage's make() that installs requirements/<requirements>.txt into the environment."""

    def make_packages(_output: Path, _report: Report) -> None:
        commands.run(f"packages {requirements}", [*PIP, "install", *PINNED, "-r", paths.REQUIREMENTS / f"{requirements}.txt"])

    return make_packages


def downloader(requirements: str, *options: str) -> Callable[[Path, Report], None]:
    """A stage's make() that fetches the files of requirements/<requirements>.txt into its output, without installing them."""

    def make_downloads(output: Path, _report: Report) -> None:
        download(requirements, output, *options)

    return make_downloads


def download(requirements: str, folder: Path, *options: str) -> None:
    """Fetches the files of requirements/<requirements>.txt into folder; pip refuses files whose hash is not the pinned one."""
    command: list[str | Path] = [*PIP, "download", *PINNED, *options, "-r", paths.REQUIREMENTS / f"{requirements}.txt", "-d", folder]
    commands.run(f"download {requirements}", command)
