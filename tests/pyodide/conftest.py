"""What the page's Pyodide runs, taken from where set-up puts it."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheels(site: Path) -> dict[str, Path]:
    """The wheels of the site and of Pyodide's release by distribution name."""
    from sitebuild import paths

    folders = (site / "runtime", paths.PYODIDE_WHEELS)
    return {wheel.name.split("-")[0]: wheel for folder in folders for wheel in folder.glob("*.whl")}
