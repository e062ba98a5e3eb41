"""The folder runtime/ of the site: Python for the page, its wheels, the JPEG decoder, the worker's script, and the list of them."""

import json
import shutil
from pathlib import Path
from typing import Any

from sitebuild import files, paths, pins, pyodide_wheels, worker_script
from sitebuild.pyodide_lock import site_lock

PYODIDE = paths.NODE_MODULES / "pyodide"
DECODER = paths.NODE_MODULES / "@jsquash/jpeg/codec/dec"


def write(runtime: Path, worker: Path) -> None:
    """Fills the empty folder runtime; worker is web/worker."""
    worker_script.write(runtime / "worker.js", PYODIDE, DECODER, worker)
    for source in (PYODIDE / "pyodide.asm.wasm", PYODIDE / "python_stdlib.zip", DECODER / "mozjpeg_dec.wasm"):
        shutil.copyfile(source, runtime / source.name)
    lock = site_lock(pyodide_wheels.official_lock(), _only(paths.DOWNLOADS, "flatbuffers"), _only(paths.PAGETRAIN_WHEEL, "pagetrain"))
    (runtime / "pyodide-lock.json").write_text(json.dumps(lock, indent=1), encoding="utf-8", newline="\n")
    for name in lock["packages"]:
        shutil.copyfile(source := _wheel(name), runtime / source.name)
    listed = {"format": "pagetrain-runtime", "version": 1, "pyodide": pins.PYODIDE, "files": _listed(runtime, lock["packages"])}
    (runtime / "files.json").write_text(json.dumps(listed, indent=1), encoding="utf-8", newline="\n")


def _wheel(name: str) -> Path:
    folder = {"flatbuffers": paths.DOWNLOADS, "pagetrain": paths.PAGETRAIN_WHEEL}.get(name, paths.PYODIDE_WHEELS)
    return _only(folder, name)


def _only(folder: Path, distribution: str) -> Path:
    (wheel,) = folder.glob(f"{distribution}-*.whl")
    return wheel


def _listed(runtime: Path, packages: dict[str, Any]) -> list[dict[str, Any]]:
    """What the page fetches to start Python, in the order it is needed."""
    python = {
        "worker": "worker.js",
        "wasm": "pyodide.asm.wasm",
        "stdlib": "python_stdlib.zip",
        "lock": "pyodide-lock.json",
        "jpeg": "mozjpeg_dec.wasm",
    }
    wheels = {name: entry["file_name"] for name, entry in packages.items()}
    return [
        {"name": name, "path": path, "bytes": (runtime / path).stat().st_size, "sha256": files.sha256_of(runtime / path), "stage": stage}
        for stage, group in (("python", python), ("packages", wheels))
        for name, path in group.items()
    ]
