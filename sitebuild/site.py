"""The site as one folder of files, and the list of them."""

import json
import shutil
from pathlib import Path
from typing import Any

from sitebuild import files, licenses, paths, pins, preloads, runtime
from sitebuild.report import Report

LIST = "pagetrain-site.json"  # names every other file of the site; a server serves these and no others
WEB = paths.ROOT / "web"


def make(output: Path, _report: Report) -> None:
    shutil.copytree(WEB, output, dirs_exist_ok=True, ignore=_ignored, copy_function=shutil.copyfile)
    shutil.copytree(paths.ARTIFACTS, output / "artifacts", copy_function=shutil.copyfile)
    for part in ("runtime", "licenses"):
        (output / part).mkdir()
    runtime.write(output / "runtime", WEB)
    licenses.write(output / "licenses")
    preloads.insert(output / "index.html", output / "artifacts" / pins.BACKBONE)
    listed = [
        {"path": _name(path, output), "bytes": path.stat().st_size, "sha256": files.sha256_of(path)} for path in files.files_below(output)
    ]
    text = json.dumps({"format": "pagetrain-site", "version": 1, "files": listed}, indent=1)
    (output / LIST).write_text(text, encoding="utf-8", newline="\n")


def inputs() -> list[Path]:
    here = Path(__file__).parent
    return [WEB, *(here / name for name in ("licenses.py", "notices", "preloads.py", "runtime.py", "worker_script.py"))]


def read_list(folder: Path) -> list[dict[str, Any]]:
    """The files of the site in folder: path, bytes and sha256 of each."""
    listed: list[dict[str, Any]] = json.loads((folder / LIST).read_bytes())["files"]
    return listed


def _ignored(folder: str, names: list[str]) -> set[str]:
    """The workers' scripts are part of runtime/worker.js and embedder.js; settings of tools and hidden files are not for the page."""
    scripts = {"worker", "embedder"} if Path(folder) == WEB else set()
    return {name for name in names if name.startswith(".") or name == "jsconfig.json" or name in scripts}


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
