"""The folder runtime/ of the site: Python for the page, the JPEG decoder, the worker's script, their list, and wheels for other pages."""

import json
import shutil
from pathlib import Path
from typing import Any

from sitebuild import byte_code, files, paths, pins, worker_script
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
    "packages": {"packages": byte_code.PACKAGES, "pagetrain": byte_code.PAGETRAIN},
}


def write(runtime: Path, web: Path) -> None:
    """Fills the empty folder runtime from what was fetched and the workers' scripts in `web`."""
    worker_script.write(runtime / "worker.js", PYODIDE, DECODER, web / "worker")
    worker_script.write_embedder(runtime / "embedder.js", web / "embedder")
    kernels = (ACCELERATOR / FILES["python"][name] for name in ("relaxed-simd", "simd"))
    byte_codes = (
        paths.BYTE_CODE / byte_code.STANDARD_LIBRARY,
        paths.BYTE_CODE / byte_code.PACKAGES,
        paths.PAGETRAIN_BYTE_CODE / byte_code.PAGETRAIN,
    )
    wheels = [byte_code.wheel(name) for name in ("flatbuffers", *PROJECTS)]  # for micropip on other people's pages
    for source in (PYODIDE / "pyodide.asm.wasm", DECODER / "mozjpeg_dec.wasm", *byte_codes, *kernels, *wheels):
        shutil.copyfile(source, runtime / source.name)
    listed = {"format": "pagetrain-runtime", "version": 1, "pyodide": pins.PYODIDE, "files": _listed(runtime)}
    (runtime / "files.json").write_text(json.dumps(listed, indent=1), encoding="utf-8", newline="\n")


def _listed(runtime: Path) -> list[dict[str, Any]]:
    return [
        {"name": name, "path": path, "bytes": (runtime / path).stat().st_size, "sha256": files.sha256_of(runtime / path), "stage": stage}
        for stage, group in FILES.items()
        for name, path in group.items()
    ]
