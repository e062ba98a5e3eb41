"""The device's half of docs/example_sensor.md needs numpy alone: it runs in Pyodide as in CPython, and comes to what the page shows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.docs.fences import DEVICE, ROOT, assert_alike, fences_of, run_python

PAGE = ROOT / "docs/example_sensor.md"


def test_ana_s_gestures_are_learnt_on_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The formula of the recordings and the block for the device, on stored artifacts."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "tests/data/sensor", "artifacts")
    fences, names = list(fences_of(PAGE)), dict[str, Any]()
    formula = next(fence for fence in fences if fence.language == "python")
    device = next(fence for fence in fences if DEVICE in fence.words)
    run_python(formula, PAGE, names)
    run_python(device, PAGE, names)
    assert_alike(capsys.readouterr().out, fences[fences.index(device) + 1].text)
