"""page/files.json: the page's own files, which a browser keeps for visits without a network."""

import json
from pathlib import Path
from typing import Any

from sitebuild import files, mime_types

LIST = "page/files.json"
SERVICE_WORKER = "sw.js"  # answers for them; browsers keep it by themselves
# The trainer keeps its own files; the page needs none of the rest.
NOT_THE_PAGES = ("artifacts/", "licenses/", "runtime/", "pagetrain.js", SERVICE_WORKER)
LISTS = ("manifest.json", "files.json")  # but for those that name the trainer's files


def write(site: Path) -> None:
    """Writes the list, when everything else of the page is there."""
    listed = [_entry(site, path) for path in files.files_below(site) if _is_the_pages(path.relative_to(site).as_posix())]
    text = json.dumps({"format": "pagetrain-page", "version": 1, "files": listed}, indent=1)
    (site / LIST).write_text(text, encoding="utf-8", newline="\n")


def names(site: Path) -> list[str]:
    """The page's files, and their list."""
    return [entry["path"] for entry in json.loads((site / LIST).read_bytes())["files"]] + [LIST]


def _is_the_pages(name: str) -> bool:
    return not name.startswith(NOT_THE_PAGES) or name.rsplit("/", 1)[-1] in LISTS


def _entry(site: Path, path: Path) -> dict[str, Any]:
    name = path.relative_to(site).as_posix()
    return {"path": name, "bytes": path.stat().st_size, "sha256": files.sha256_of(path), "type": mime_types.of(name)}
