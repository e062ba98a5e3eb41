"""The wheels of pagetrain: same sources, same bytes, no network."""

import shutil
import tempfile
from pathlib import Path

from sitebuild import commands, environment, files, paths
from sitebuild.report import Report

SOURCE = paths.ROOT / "pyodide_pkg"
PROJECTS = {  # wheel -> folder of its pyproject.toml
    "pagetrain": ".",
    "pagetrain_ops": "ops",
    "pagetrain_accelerator": "accelerator",
    "pagetrain_project": "project",
}
NOT_IN_PAGE = "pagetrain_project"  # JavaScript does it there
# The first moment that a zip file can hold; any fixed one does.
_BUILD_SETTINGS = {"SOURCE_DATE_EPOCH": "315532800", "PYTHONHASHSEED": "0"}


def make(output: Path, _report: Report) -> None:
    """Builds from a clean copy, because build tools leave folders in the source tree that they read again the next time."""
    with tempfile.TemporaryDirectory() as temporary:
        for path in files.files_below(SOURCE):
            copy = Path(temporary) / path.relative_to(SOURCE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copy.chmod(0o644)
        options = ("--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir", "--wheel-dir", output)
        folders = [Path(temporary) / folder for folder in PROJECTS.values()]
        commands.run("pagetrain wheels", [*environment.PIP, "wheel", *options, *folders], env=_BUILD_SETTINGS)
