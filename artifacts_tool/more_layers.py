"""Another choice of trained layers beside the one that manifest.json describes: one more file of the set, with the same parameters.bin.

The file is manifest.json and the graphs of that choice, one behind another; under "layers" the manifest of the set says where each begins.
A page fetches it whole, and reads it when the choice is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import write_files
from pagetrain.manifest import REQUIRED_FILES
from pagetrain.names import MANIFEST_FILE

from .page_artifacts import EMBEDDING, FILES, sealed

_SHARED = "parameters"


def add_layers(directory: Path, name: str, made: Path) -> None:
    """Puts the artifacts in the folder `made` into those in `directory`, as its layers `name`: <name>.bin, and an entry in the manifest.

    Raises InvalidInputError where the two do not have the same parameters.bin, or `name` is that of another file of the set.
    """
    manifest, other = (json.loads((folder / MANIFEST_FILE).read_bytes()) for folder in (directory, made))
    if manifest["files"][_SHARED]["sha256"] != other["files"][_SHARED]["sha256"]:
        raise InvalidInputError(f"The layers {name!r} have other values in {FILES[_SHARED]} than {directory}; store both in the same way.")
    if name in FILES | EMBEDDING:
        raise InvalidInputError(f"Layers cannot be called {name!r}: that is another file of the set; choose another name.")
    pieces = {"manifest": (made / MANIFEST_FILE).read_bytes(), **_pieces(made, other)}
    file = f"{name}.bin"
    manifest["layers"] = {**manifest.get("layers", {}), name: _places(pieces)}
    paths = {key: entry["path"] for key, entry in manifest["files"].items()} | {name: file}
    new = {file: b"".join(pieces.values())}
    content = sealed(manifest, lambda path: new[path] if path in new else (directory / path).read_bytes(), paths)
    write_files(directory, {**new, MANIFEST_FILE: content})


def _pieces(folder: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """What a page reads of the set but the parameters, by key."""
    keys = [key for key in (*REQUIRED_FILES, *EMBEDDING) if key in manifest["files"] and key != _SHARED]
    return {key: (folder / manifest["files"][key]["path"]).read_bytes() for key in keys}


def _places(pieces: Mapping[str, bytes]) -> dict[str, dict[str, int]]:
    places, end = {}, 0
    for key, content in pieces.items():
        places[key] = {"offset": end, "bytes": len(content)}
        end += len(content)
    return places
