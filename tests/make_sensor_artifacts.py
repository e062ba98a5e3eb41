"""Writes tests/data/sensor: the artifacts of docs/example_sensor.md, by running that page up to where the device comes in.

Run in an empty folder: python tests/make_sensor_artifacts.py [FOLDER].
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from tests.docs.fences import DEVICE, ROOT, fences_of
from tests.docs.running import run_block

PAGE = ROOT / "docs/example_sensor.md"
KEPT = ("training_model.ort", "eval_model.ort", "optimizer_model.ort", "checkpoint")


def main(folder: Path) -> None:
    """Runs the blocks in the present folder and copies what a device needs."""
    names: dict[str, Any] = {"__name__": "page"}
    for fence in fences_of(PAGE):
        if DEVICE in fence.words:
            break
        run_block(fence, PAGE, names)
    folder.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        shutil.copy(Path("artifacts", name), folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/data/sensor")
