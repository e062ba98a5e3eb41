"""Read by site_python.mjs and run in the site's Python; its value is what came of importing everything there that pagetrain may ask for."""

import importlib
import importlib.metadata
import json
import pkgutil
import sys
from pathlib import Path

import numpy as np

PLUGINS = ("Bmp", "Gif", "Ico", "Jpeg", "Mpo", "Png", "Tiff", "WebP")
FOREIGN = (  # what kernels and picture.py load when an op or a picture needs it
    *("csv", "ctypes", "flatbuffers.builder", "json", "zipfile"),
    *(f"numpy.{name}" for name in ("fft", "lib.format", "linalg", "ma", "polynomial", "random")),
    *(f"PIL.{name}ImagePlugin" for name in PLUGINS),
)


def outcome() -> str:
    """JSON: how many modules were imported, which failed and how, which brought a source along."""
    own = [importlib.import_module(name) for name in ("pagetrain", "pagetrain_ops", "pagetrain_accelerator")]
    there = [name for name in sys.modules if name.startswith("pagetrain")]  # in the snapshot; the files of the others lie in the archive
    found = (module.name for package in own for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."))
    names = [*FOREIGN, *there, *found]
    failed = {}
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed[name] = repr(error)
    importlib.invalidate_caches()
    np.random.default_rng(0).permutation(3)
    np.linalg.det(np.fft.fft(np.eye(2)).real)
    return json.dumps({"imported": len(names) - len(failed), "failed": failed, "sources": [path.name for path in _sources()]})


def _sources() -> list[Path]:
    return [path for folder in sys.path if folder and Path(folder).is_dir() for path in Path(folder).rglob("*.py")]


outcome()
