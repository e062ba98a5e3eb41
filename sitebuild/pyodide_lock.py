"""The site's own pyodide-lock.json: the page's four wheels and nothing else."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sitebuild import files, pins


def site_lock(official: Mapping[str, Any], flatbuffers: Path, pagetrain: Path) -> dict[str, Any]:
    """numpy and Pillow as the official lock has them, and entries of our own for the two pure wheels."""
    packages = {name: official["packages"][name] for name in pins.RUNTIME_WHEELS}
    packages["flatbuffers"] = _pure_wheel(flatbuffers, [])
    packages["pagetrain"] = _pure_wheel(pagetrain, ["numpy", "pillow", "flatbuffers"])
    return {"info": official["info"], "packages": packages}


def _pure_wheel(wheel: Path, depends: list[str]) -> dict[str, Any]:
    name, version = wheel.name.split("-")[:2]
    return {
        "name": name,
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": files.sha256_of(wheel),
        "package_type": "package",
        "imports": [name],
        "depends": depends,
        "unvendored_tests": False,
    }
