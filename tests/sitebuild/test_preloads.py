"""sitebuild.preloads: the page names what the trainer will ask for, and sitebuild.visit adds it up."""

import json
import re
from pathlib import Path

import pytest

from sitebuild import preloads, visit
from sitebuild.errors import SetupError

INDEX = """<head>
<script type="module" src="page/language.js"></script>
<script type="module" src="page/main.js" blocking="render"></script>
</head>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "index.html": INDEX,
        "runtime/files.json": json.dumps({"files": [{"path": "worker.js"}, {"path": "x.tar"}]}),
        "artifacts/m/manifest.json": json.dumps({"files": {"parameters": {"path": "p.bin"}, "checkpoint": {"path": "checkpoint"}}}),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_data_are_the_runtime_and_the_model(folder: Path) -> None:
    """But for the checkpoint, which is for Python users."""
    assert preloads.data(folder, folder / "artifacts/m") == ["runtime/worker.js", "runtime/x.tar", "artifacts/m/p.bin"]


def test_links_stand_in_a_template_before_the_script(folder: Path) -> None:
    """As the fetches they will be, all inside it; the rest of the page stays."""
    preloads.insert(folder / "index.html", folder / "artifacts/m")
    text = (folder / "index.html").read_text()
    before, inside, after = re.split(r'<template id="ahead">\n|</template>\n', text)
    assert before + after == INDEX
    links = inside.splitlines()
    assert len(links) == 3
    assert all(line.startswith('<link rel="preload" as="fetch" crossorigin href=') for line in links)


def test_a_page_without_its_script_is_refused(folder: Path) -> None:
    """Else it would be slow in silence."""
    (folder / "index.html").write_text("<head></head>")
    with pytest.raises(SetupError, match="expected a line <script"):
        preloads.insert(folder / "index.html", folder / "artifacts/m")


@pytest.mark.node
def test_a_first_visit_is_at_most_sixteen_megabytes_with_brotli(site: Path) -> None:
    """The base model included: the sum of what the page fetches, from the build's own compressed files."""
    from sitebuild import paths

    found = visit.sizes(site, paths.VARIANTS)
    assert all(part["br"] > 0 for part in found.values())
    assert sum(part["br"] for part in found.values()) <= 16_000_000
    assert len(list(visit.lines(found))) == len(visit.PARTS) + 2
