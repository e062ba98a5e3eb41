"""The real onnxruntime-training 1.19.2 in an environment of its own, under .cache/ort-training."""

from __future__ import annotations

import sys
from pathlib import Path

from sitebuild import commands, environment, paths
from sitebuild.errors import SetupError

PYTHON = (3, 11)  # the newest that the package has wheels for
FOLDER = paths.CACHE / "ort-training"
# onnxruntime.training imports torch for parts that are not used here.
TORCH = """class Anything:
    def __getattr__(self, name): return Anything()
    def __call__(self, *arguments, **named): return Anything()
    def __mro_entries__(self, bases): return ()

def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return Anything()

__version__ = "2.0.0"
"""


def installed() -> Path | None:
    """The Python that has the package; None while it is not installed."""
    return FOLDER / "bin/python" if (FOLDER / "ready").exists() else None


def install() -> Path:
    """Installs the package, if that is still to do. Raises SetupError under another Python than 3.11, and where pip fails."""
    if ready := installed():
        return ready
    if sys.version_info[:2] != PYTHON:
        raise SetupError("onnxruntime-training-cpu 1.19.2 has wheels for Python 3.11 at most")
    python, pinned = FOLDER / "bin/python", paths.REQUIREMENTS / "ort-training.txt"
    commands.run("environment ort-training", [sys.executable, "-m", "venv", "--clear", FOLDER])
    commands.run("packages ort-training", [python, "-I", "-m", "pip", "install", *environment.PINNED, "-r", pinned])
    stub = FOLDER / "lib/python3.11/site-packages/torch/__init__.py"
    stub.parent.mkdir(exist_ok=True)
    stub.write_text(TORCH, encoding="utf-8")
    (FOLDER / "ready").touch()
    return python
