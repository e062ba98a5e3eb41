"""The build's list as a server needs it: request path -> file, type, representations. What is not in it does not exist."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitebuild import files, mime_types, site, variants


@dataclass(frozen=True)
class Representation:
    """Bytes that may be sent for a path. encoding: "identity", "gzip" or "br"; etag: quoted, from the sha256 of these very bytes."""

    encoding: str
    path: Path
    bytes: int
    etag: str


@dataclass(frozen=True)
class Entry:
    mime_type: str
    representations: Sequence[Representation]  # identity first


def load(folder: Path, variant_folder: Path | None = None) -> dict[str, Entry]:
    """The catalog of the site in folder. Variants are left out where their file is not the size the index says."""
    index = variants.read_index(variant_folder) if variant_folder else {}
    listed = [*site.read_list(folder), _list_itself(folder)]
    entries = {"/" + item["path"]: _entry(folder, item, index, variant_folder or folder) for item in listed}
    return {"/": entries["/index.html"], **entries} if "/index.html" in entries else entries


def _entry(folder: Path, item: Mapping[str, Any], index: Mapping[str, Any], variant_folder: Path) -> Entry:
    identity = Representation("identity", folder / item["path"], item["bytes"], f'"{item["sha256"]}"')
    found = [variant for variant in variants.of(item["sha256"], index, variant_folder) if _has_size(variant.path, variant.bytes)]
    others = [Representation(variant.encoding, variant.path, variant.bytes, f'"{variant.sha256}"') for variant in found]
    return Entry(mime_types.of(item["path"]), (identity, *others))


def _list_itself(folder: Path) -> dict[str, Any]:
    path = folder / site.LIST
    return {"path": site.LIST, "bytes": path.stat().st_size, "sha256": files.sha256_of(path)}


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
