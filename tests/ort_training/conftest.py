"""The optional group `python -m tests -m ort_training`: the real onnxruntime-training, in its own environment, on our artifacts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sitebuild import commands, environment, paths

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nothing of this group runs unless it is asked for by its marker."""
    if "ort_training" not in (config.option.markexpr or ""):
        mine = [item for item in items if item.get_closest_marker("ort_training")]
        config.hook.pytest_deselected(items=mine)
        items[:] = [item for item in items if item not in mine]


@pytest.fixture(scope="session")
def ort_python() -> Path:
    """The Python that has onnxruntime-training, installed once."""
    if sys.version_info[:2] != PYTHON:
        pytest.skip("onnxruntime-training-cpu 1.19.2 has wheels for Python 3.11 at most")
    python, ready = FOLDER / "bin/python", FOLDER / "ready"
    if not ready.exists():
        commands.run("environment ort-training", [sys.executable, "-m", "venv", "--clear", FOLDER])
        pinned = paths.REQUIREMENTS / "ort-training.txt"
        commands.run("packages ort-training", [python, "-I", "-m", "pip", "install", *environment.PINNED, "-r", pinned])
        stub = FOLDER / "lib/python3.11/site-packages/torch/__init__.py"
        stub.parent.mkdir(exist_ok=True)
        stub.write_text(TORCH, encoding="utf-8")
        ready.touch()
    return python
