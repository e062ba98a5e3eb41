"""sitebuild.static_folder: --build writes the site into a folder of its own, and never over something else."""

import gzip
import hashlib
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from sitebuild import site as site_stage
from sitebuild import static_folder
from sitebuild.errors import SetupError


def test_the_folder_holds_the_site_and_its_variants(site: Path, tmp_path: Path) -> None:
    """Every file of the list with its hash; variants unpack to the file beside them; nothing else."""
    target = tmp_path / "deep/er"
    assert static_folder.write(target) == sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    listed = site_stage.read_list(site)
    for entry in listed:
        assert hashlib.sha256((target / entry["path"]).read_bytes()).hexdigest() == entry["sha256"]
    packed = sorted(target.rglob("*.gz"))
    assert packed
    for path in packed:
        assert gzip.decompress(path.read_bytes()) == path.with_suffix("").read_bytes()
    assert {path.with_suffix("") for path in target.rglob("*.br")} <= {target / entry["path"] for entry in listed}
    others = {path for path in target.rglob("*") if path.is_file() and path.suffix not in (".gz", ".br")}
    assert others == {target / entry["path"] for entry in listed} | {target / site_stage.LIST}


def test_a_build_replaces_an_earlier_one(site: Path, tmp_path: Path) -> None:
    """An empty folder and an earlier build are ours to replace; files that the site no longer has go."""
    (tmp_path / "out").mkdir()
    static_folder.write(tmp_path / "out")
    (tmp_path / "out/favicon.svg").write_text("old")
    static_folder.write(tmp_path / "out")
    assert (tmp_path / "out/favicon.svg").read_bytes() == (site / "favicon.svg").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("foreign", ["notes.txt", ".git/config", "runtime/mine.js"])
def test_a_folder_with_anything_else_is_refused(site: Path, tmp_path: Path, foreign: str) -> None:
    """Named, and left as it is, even where the rest is an earlier build."""
    static_folder.write(tmp_path / "out")
    (tmp_path / "out" / foreign).parent.mkdir(exist_ok=True)
    (tmp_path / "out" / foreign).write_text("mine")
    with pytest.raises(SetupError, match=foreign):
        static_folder.write(tmp_path / "out")
    assert (tmp_path / "out" / foreign).read_text() == "mine"


def test_a_file_is_refused(tmp_path: Path) -> None:
    """--build names a folder."""
    (tmp_path / "out").write_text("mine")
    with pytest.raises(SetupError, match="that is a file"):
        static_folder.write(tmp_path / "out")


def test_any_static_host_serves_it_from_a_sub_path(site: Path, tmp_path: Path) -> None:
    """python -m http.server in the folder above sends every file of the list under /sub/path/."""
    static_folder.write(tmp_path / "sub/path")
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as host:
        try:
            assert host.stdout is not None
            base = f"http://127.0.0.1:{host.stdout.readline().split(' port ')[1].split()[0]}/sub/path/"
            for entry in site_stage.read_list(site):
                with urllib.request.urlopen(base + entry["path"], timeout=10) as answer:
                    assert hashlib.sha256(answer.read()).hexdigest() == entry["sha256"]
        finally:
            host.terminate()
