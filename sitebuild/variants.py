"""Compressed variants of the site's files, kept by content, so that only what changed is compressed again."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitebuild import commands, files, node, paths, site
from sitebuild.report import Report

SUFFIXES = {"gzip": ".gz", "br": ".br"}  # Content-Encoding -> file name ending
SMALLEST = 512  # bytes; below, the headers weigh more
WORTH = 0.97  # a variant is kept when it is at most this part of the file
INDEX = "index.json"


@dataclass(frozen=True)
class Variant:
    encoding: str
    path: Path
    bytes: int
    sha256: str


def make(output: Path, _report: Report) -> None:
    """output holds <sha256 of the file>.gz and .br where they are worth it, and an index of them; others are removed."""
    output.mkdir(parents=True, exist_ok=True)
    sizes = {entry["sha256"]: entry for entry in site.read_list(paths.SITE) if entry["bytes"] >= SMALLEST}
    known = {sha256: entry for sha256, entry in _read_index(output).items() if sha256 in sizes}
    missing = [entry for sha256, entry in sizes.items() if sha256 not in known]
    with tempfile.TemporaryDirectory(prefix=".variants.", suffix=".half", dir=paths.CACHE) as temporary:
        _compress(missing, Path(temporary))
        known |= {entry["sha256"]: _keep(entry, Path(temporary), output) for entry in missing}
    files.write_whole(output / INDEX, json.dumps(known, indent=1).encode())
    kept = {output / f"{sha256}{SUFFIXES[encoding]}" for sha256, encodings in known.items() for encoding in encodings}
    for path in set(output.iterdir()) - kept - {output / INDEX}:
        path.unlink()


def of(sha256: str, index: Mapping[str, Any], folder: Path) -> list[Variant]:
    """The variants of the file with this sha256."""
    found = index.get(sha256, {})
    return [
        Variant(encoding, folder / f"{sha256}{SUFFIXES[encoding]}", entry["bytes"], entry["sha256"]) for encoding, entry in found.items()
    ]


def read_index(folder: Path) -> dict[str, Any]:
    """sha256 of a file -> encoding -> bytes and sha256 of the variant."""
    index: dict[str, Any] = json.loads((folder / INDEX).read_bytes())
    return index


def _read_index(folder: Path) -> dict[str, Any]:
    try:
        return read_index(folder)
    except (OSError, ValueError):
        return {}


def _compress(entries: list[dict[str, Any]], folder: Path) -> None:
    jobs = [
        {
            "source": str(paths.SITE / entry["path"]),
            "gzip": str(folder / f"{entry['sha256']}.gz"),
            "brotli": str(folder / f"{entry['sha256']}.br"),
        }
        for entry in entries
    ]
    commands.run("variants", [node.program("node"), Path(__file__).with_name("compress.mjs")], text=json.dumps(jobs))


def _keep(entry: dict[str, Any], temporary: Path, output: Path) -> dict[str, Any]:
    """Moves the variants that are worth it; returns their entries for the index."""
    kept = {}
    for encoding, suffix in SUFFIXES.items():
        half = temporary / f"{entry['sha256']}{suffix}"
        if half.stat().st_size <= WORTH * entry["bytes"]:
            shutil.move(half, output / half.name)
            kept[encoding] = {"bytes": (output / half.name).stat().st_size, "sha256": files.sha256_of(output / half.name)}
    return kept
