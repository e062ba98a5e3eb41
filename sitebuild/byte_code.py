"""The page's Python as byte code: the standard library, the packages and pagetrain, without what the page does not need."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sitebuild import commands, left_out, node, paths, pins
from sitebuild.report import Report
from sitebuild.wheels import NOT_IN_PAGE, PROJECTS

PYTHON = "python3.12"
SITE_PACKAGES = f"/lib/{PYTHON}/site-packages"
LIBRARY = "/lib/python312.zip"
STANDARD_LIBRARY, PACKAGES, PAGETRAIN = "python_stdlib.zip", "packages.tar", "pagetrain.tar"
_SCRIPTS = ("byte_compile.mjs", "byte_compile.py", "left_out.py", "byte_code.py")


def make_python(output: Path, _report: Report) -> None:
    """The standard library, and the packages of others; made once for a release of Pyodide."""
    library = {
        "archives": [str(paths.NODE_MODULES / "pyodide/python_stdlib.zip")],
        "format": "zip",
        "root": LIBRARY,
        "left_out": left_out.patterns(left_out.STANDARD_LIBRARY),
        "kept": left_out.KEPT,
        "emptied": [],
        "output": str(output / STANDARD_LIBRARY),
    }
    wheels = [*(wheel(name) for name in pins.RUNTIME_WHEELS), wheel("flatbuffers")]
    _compile("byte code", [library, _packages(wheels, output / PACKAGES)])


def make_pagetrain(output: Path, _report: Report) -> None:
    """pagetrain's own modules, in a file of their own because they change more often."""
    _compile("byte code of pagetrain", [_packages([wheel(name) for name in PROJECTS if name != NOT_IN_PAGE], output / PAGETRAIN)])


def wheel(distribution: str) -> Path:
    """The wheel that set-up fetched or built."""
    folders = {"flatbuffers": paths.DOWNLOADS, **dict.fromkeys(PROJECTS, paths.PAGETRAIN_WHEELS)}
    folder = folders.get(distribution, paths.PYODIDE_WHEELS)
    (found,) = folder.glob(f"{distribution}-*.whl")
    return found


def inputs() -> list[Path]:
    return [Path(__file__).with_name(name) for name in _SCRIPTS]


def _packages(wheels: Sequence[Path], output: Path) -> Mapping[str, Any]:
    return {
        "archives": [str(path) for path in wheels],
        "format": "tar",
        "root": SITE_PACKAGES,
        "left_out": left_out.patterns(left_out.PACKAGES),
        "kept": [],
        "emptied": left_out.EMPTIED,
        "output": str(output),
    }


def _compile(name: str, jobs: Sequence[Mapping[str, Any]]) -> None:
    commands.run(name, [node.program("node"), Path(__file__).with_name("byte_compile.mjs")], text=json.dumps(jobs))
