"""The optional group `python -m tests -m ort_training`: the real onnxruntime-training, in its own environment, on our artifacts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.ort_training import environment


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nothing of this group runs unless it is asked for by its marker."""
    if "ort_training" not in (config.option.markexpr or ""):
        mine = [item for item in items if item.get_closest_marker("ort_training")]
        config.hook.pytest_deselected(items=mine)
        items[:] = [item for item in items if item not in mine]


@pytest.fixture(scope="session")
def ort_python() -> Path:
    """The Python that has onnxruntime-training, installed once."""
    if environment.installed() is None and sys.version_info[:2] != environment.PYTHON:
        pytest.skip("onnxruntime-training-cpu 1.19.2 has wheels for Python 3.11 at most")
    return environment.install()
