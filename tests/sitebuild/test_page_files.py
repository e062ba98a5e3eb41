"""sitebuild.page_files: what a browser keeps of the page is all that the page is made of; the service worker asks for nothing else."""

import hashlib
import json
import re
from pathlib import Path

from sitebuild import page_files, preloads
from sitebuild.pins import BACKBONE


def test_every_file_of_the_site_is_kept_by_someone_or_for_others(site: Path) -> None:
    """By the page, or by the trainer, which names its files in its two lists; or it is for other people's pages and Python users."""
    names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    kept = set(page_files.names(site)) | set(preloads.data(site, site / "artifacts" / BACKBONE)) | {page_files.SERVICE_WORKER}
    for_others = {name for name in names if name.endswith((".whl", "/checkpoint", "_model.onnx")) or name.startswith("licenses/")}
    assert names - kept - for_others == {"pagetrain.js", "pagetrain-site.json"}
    assert kept <= names


def test_the_list_says_what_the_files_are(site: Path) -> None:
    """Length, hash and type."""
    for entry in json.loads((site / page_files.LIST).read_bytes())["files"]:
        data = (site / entry["path"]).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert "/" in entry["type"]


def test_the_service_worker_asks_for_nothing_but_what_it_was_asked(site: Path) -> None:
    """The one fetch in it hands on the request of a page."""
    script = (site / page_files.SERVICE_WORKER).read_text(encoding="utf-8")
    assert re.findall(r"\bfetch\(.*?\)", script) == ["fetch(request)"]
    assert not re.search(r"\bimportScripts|XMLHttpRequest|WebSocket|EventSource|import\(", script)


def test_the_service_worker_leaves_the_trainers_files_alone_and_no_others(site: Path) -> None:
    """What it takes for the trainer's is none of the page's files, and all that the trainer fetches besides its lists."""
    found = re.search(r"TRAINERS = /(.*)/;", (site / page_files.SERVICE_WORKER).read_text(encoding="utf-8"))
    assert found
    pattern = re.compile(found[1].replace(r"\/", "/"))
    assert not [name for name in page_files.names(site) if pattern.match(name)]
    trainers = preloads.data(site, site / "artifacts" / BACKBONE)
    assert len(trainers) > 15
    assert all(pattern.match(name) for name in trainers)
