"""Python as it is after its imports, as a file that the page starts from, and the archives of what is not in it yet.

Importing numpy, Pillow and pagetrain is most of the work of a start, and comes to the same every time. The snapshot is taken in Pyodide
under node, with the modules that opening the base model imports; web/worker/snapshot.js says what it holds.
"""

import json
import tarfile
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from sitebuild import byte_code, commands, node, paths, pins
from sitebuild.report import Report

FILE = "python.snapshot"
_LIBRARY = f"{byte_code.LIBRARY}/"
_SCRIPT = Path(__file__).with_name("snapshot.mjs")


def make(output: Path, _report: Report) -> None:
    archives = [paths.BYTE_CODE / byte_code.PACKAGES, paths.PAGETRAIN_BYTE_CODE / byte_code.PAGETRAIN]
    library = paths.BYTE_CODE / byte_code.STANDARD_LIBRARY
    files = {"library": str(library), "archives": [str(path) for path in archives]}
    modules = json.loads(_run("rehearse", files | {"artifacts": str(paths.ARTIFACTS / pins.BACKBONE)}).splitlines()[-1])
    origins = {module["origin"] for module in modules if module["origin"].endswith(".pyc")}  # libraries are loaded again
    rest = output / byte_code.STANDARD_LIBRARY
    _rest_of_zip(library, rest, origins)
    _rest_of_tars(archives, output / byte_code.PACKAGES, origins)
    names = [module["name"] for module in modules]
    _run("take", files | {"modules": names, "rest": str(rest), "output": str(output / FILE)})


def inputs() -> list[Path]:
    worker = paths.ROOT / "web/worker"
    return [_SCRIPT, *(worker / name for name in ("damaged.js", "archive.js", "snapshot.js", "handlers.js"))]


def _run(task: str, given: Mapping[str, Any]) -> str:
    return commands.run(f"snapshot {task}", [node.program("node"), _SCRIPT], text=json.dumps({"task": task, **given}))


def _rest_of_zip(source: Path, target: Path, origins: Collection[str]) -> None:
    with zipfile.ZipFile(source) as library, zipfile.ZipFile(target, "w") as rest:
        for entry in library.infolist():
            if _LIBRARY + entry.filename not in origins:
                rest.writestr(zipfile.ZipInfo(entry.filename), library.read(entry))


def _rest_of_tars(sources: list[Path], target: Path, origins: Collection[str]) -> None:
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as rest:
        for source in sources:
            with tarfile.open(source) as archive:
                for entry in archive:
                    if f"{byte_code.SITE_PACKAGES}/{entry.name}" not in origins:
                        rest.addfile(entry, archive.extractfile(entry))
