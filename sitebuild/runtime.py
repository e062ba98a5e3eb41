"""The folder runtime/ of the site: Python for the page, the JPEG decoder, the worker's script, their list, and wheels for other pages."""

import json
import shutil
from pathlib import Path
from typing import Any

from sitebuild import byte_code, files, paths, pins, snapshot, worker_script
from sitebuild.wheels import PROJECTS

PYODIDE = paths.NODE_MODULES / "pyodide"
ACCELERATOR = paths.ROOT / "pyodide_pkg/pagetrain_accelerator"
DECODER = paths.NODE_MODULES / "@jsquash/jpeg/codec/dec"
FILES = {  # what the page fetches to start Python: stage -> name -> file
    "python": {
        "worker": "worker.js",
        "wasm": "pyodide.asm.wasm",
        "stdlib": byte_code.STANDARD_LIBRARY,
        "jpeg": "mozjpeg_dec.wasm",
        "embedder": "embedder.js",
        "relaxed-simd": "relaxed.wasm",
        "simd": "simd.wasm",
    },
    "packages": {"snapshot": snapshot.FILE, "packages": byte_code.PACKAGES},
}


def write(runtime: Path, web: Path) -> None:
    """Fills the empty folder runtime from what was fetched and the workers' scripts in `web`."""
    worker_script.write(runtime / "worker.js", PYODIDE, DECODER, web / "worker")
    worker_script.write_embedder(runtime / "embedder.js", web / "embedder")
    kernels = (ACCELERATOR / FILES["python"][name] for name in ("relaxed-simd", "simd"))
    python = (paths.SNAPSHOT / name for name in (snapshot.FILE, byte_code.STANDARD_LIBRARY, byte_code.PACKAGES))
    wheels = [byte_code.wheel(name) for name in ("flatbuffers", *PROJECTS)]  # for micropip on other people's pages
    for source in (PYODIDE / "pyodide.asm.wasm", DECODER / "mozjpeg_dec.wasm", *python, *kernels, *wheels):
        shutil.copyfile(source, runtime / source.name)
    listed = {"format": "pagetrain-runtime", "version": 1, "pyodide": pins.PYODIDE, "files": _listed(runtime)}
    (runtime / "files.json").write_text(json.dumps(listed, indent=1), encoding="utf-8", newline="\n")


def _listed(runtime: Path) -> list[dict[str, Any]]:
    return [
        {"name": name, "path": path, "bytes": (runtime / path).stat().st_size, "sha256": files.sha256_of(runtime / path), "stage": stage}
        for stage, group in FILES.items()
        for name, path in group.items()
    ]
