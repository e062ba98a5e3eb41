"""What a first visit fetches, in bytes: with brotli, with gzip, and from a host that compresses nothing."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sitebuild import catalog, page_files, pins, preloads
from sitebuild.catalog import Entry

ENCODINGS = ("br", "gzip", "identity")
PARTS = {  # the first whose beginning fits
    "Python's core and the JPEG decoder": ("runtime/pyodide.asm.wasm", "runtime/worker.js", "runtime/mozjpeg_dec.wasm"),
    "what Python imports at its start": ("runtime/python.snapshot",),
    "the rest of its libraries": ("runtime/python_stdlib.zip", "runtime/packages.tar"),
    "base model": ("artifacts/",),
    "the example's photos": ("example/",),
    "the page itself": ("",),
}


def sizes(site: Path, variants: Path) -> dict[str, dict[str, int]]:
    """part -> encoding -> bytes; what does not shrink is counted as it is."""
    entries = catalog.load(site, variants)
    total: dict[str, dict[str, int]] = {part: dict.fromkeys(ENCODINGS, 0) for part in PARTS}
    for path in fetched(site):
        part = next(part for part, beginnings in PARTS.items() if path.startswith(beginnings))
        for encoding, size in _bytes(entries["/" + path]).items():
            total[part][encoding] += size
    return total


def fetched(site: Path) -> list[str]:
    """Every file that the page asks for until it is ready."""
    artifacts = site / "artifacts" / pins.BACKBONE
    return [*page_files.names(site), page_files.SERVICE_WORKER, *preloads.data(site, artifacts)]


def lines(found: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """The table, with the sum last."""
    yield f"{'a first visit fetches':36}" + "".join(f"{name:>13}" for name in ("brotli", "gzip", "uncompressed"))
    summed = {encoding: sum(part[encoding] for part in found.values()) for encoding in ENCODINGS}
    for name, part in {**found, "in all": summed}.items():
        yield f"  {name:34}" + "".join(f"{part[encoding] / 1e6:10.2f} MB" for encoding in ENCODINGS)


def _bytes(entry: Entry) -> dict[str, int]:
    """The smallest that a host with this encoding and no other would send."""
    held = {one.encoding: one.bytes for one in entry.representations}
    return {encoding: held.get(encoding, held["identity"]) for encoding in ENCODINGS}
