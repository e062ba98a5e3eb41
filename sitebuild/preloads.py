"""The links by which the browser starts fetching while it still reads index.html: the page's modules first, then what Python needs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath

from sitebuild.errors import SetupError

_IMPORT = re.compile(r"^(?:import|export)\b[^;]*?from \"(\.[^\"]+)\";|^import \"(\.[^\"]+)\";", re.MULTILINE)
_SCRIPT = re.compile(r'^<script type="module" src="([^"]+)"></script>$', re.MULTILINE)
FOR_PYTHON_USERS = "checkpoint"  # of the manifest's files the one that no page fetches


def insert(index: Path, artifacts: Path) -> None:
    """Adds the links to the page, in front of its script, which must be one line of its own. Raises SetupError when there is none."""
    text = index.read_text(encoding="utf-8")
    found = _SCRIPT.findall(text)
    if len(found) != 1:
        raise SetupError(f'{index.name}: expected one line <script type="module" src=...>, found {len(found)}')
    links = [f'<link rel="modulepreload" href="{path}">' for path in modules(index.parent, found[0])]
    # The attributes must be those of the later fetch(), else it fetches again; low: what the page shows itself comes first.
    links += [f'<link rel="preload" as="fetch" crossorigin fetchpriority="low" href="{path}">' for path in data(index.parent, artifacts)]
    index.write_text(_SCRIPT.sub(lambda script: "\n".join([*links, script[0]]), text), encoding="utf-8", newline="\n")


def modules(site: Path, start: str) -> list[str]:
    """Every module that `start` imports, and they in turn, in the order in which a browser would meet them; `start` itself not."""
    found = [start]
    for path in found:
        found += [other for other in _imported(site, path) if other not in found]
    return found[1:]


def data(site: Path, artifacts: Path) -> list[str]:
    """What the page fetches to start Python, largest part of the work first; then the base model."""
    runtime = json.loads((site / "runtime/files.json").read_bytes())["files"]
    folder = artifacts.relative_to(site).as_posix()
    model = json.loads((artifacts / "manifest.json").read_bytes())["files"]
    return [
        *(f"runtime/{entry['path']}" for entry in runtime),
        *(f"{folder}/{entry['path']}" for name, entry in model.items() if name != FOR_PYTHON_USERS),
    ]


def _imported(site: Path, path: str) -> Iterator[str]:
    folder = PurePosixPath(path).parent
    for names in _IMPORT.findall((site / path).read_text(encoding="utf-8")):
        yield normpath(str(folder / next(filter(None, names))))
