"""Catalogs of a few bytes, for tests of what serves and fetches them."""

import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path

from sitebuild import mime_types
from sitebuild.catalog import Entry, Representation


def catalog_of(folder: Path, contents: Mapping[str, bytes]) -> dict[str, Entry]:
    """Writes the files and a gzip variant of each to folder; their catalog."""
    folder.mkdir(parents=True, exist_ok=True)
    return {f"/{name}": _entry(folder / name, data) for name, data in contents.items()}


def _entry(path: Path, data: bytes) -> Entry:
    packed = path.with_name(path.name + ".gz")
    return Entry(
        mime_types.of(path.name),
        (_written("identity", path, data), _written("gzip", packed, gzip.compress(data, mtime=0))),
    )


def _written(encoding: str, path: Path, data: bytes) -> Representation:
    path.write_bytes(data)
    return Representation(encoding, path, len(data), f'"{hashlib.sha256(data).hexdigest()}"')
