"""The links by which the browser fetches all that Python needs at once, without waiting for the lists that name it."""

import json
import re
from pathlib import Path

from sitebuild.errors import SetupError

_SCRIPT = re.compile(r'^<script type="module" src="[^"]+"( blocking="render")?></script>$', re.MULTILINE)
FOR_PYTHON_USERS = "checkpoint"  # of the manifest's files the one that no page fetches


def insert(index: Path, artifacts: Path) -> None:
    """Adds the links to the page, in front of its last script, which must be one line of its own. Raises SetupError when there is none.

    They stand in a template, where a browser leaves them alone: the script puts them to work when the page itself is there.
    """
    text = index.read_text(encoding="utf-8")
    found = list(_SCRIPT.finditer(text))
    if not found:
        raise SetupError(f'{index.name}: expected a line <script type="module" src=...>, found none')
    # The attributes must be those of the later fetch(), else it fetches again.
    links = [f'<link rel="preload" as="fetch" crossorigin href="{path}">' for path in data(index.parent, artifacts)]
    template = ['<template id="ahead">', *links, "</template>"]
    place = found[-1].start()
    index.write_text(text[:place] + "\n".join([*template, text[place:]]), encoding="utf-8", newline="\n")


def data(site: Path, artifacts: Path) -> list[str]:
    """What the page fetches to start Python, largest part of the work first; then the base model."""
    runtime = json.loads((site / "runtime/files.json").read_bytes())["files"]
    folder = artifacts.relative_to(site).as_posix()
    model = json.loads((artifacts / "manifest.json").read_bytes())["files"]
    return [
        *(f"runtime/{entry['path']}" for entry in runtime),
        *(f"{folder}/{entry['path']}" for name, entry in model.items() if name != FOR_PYTHON_USERS),
    ]
