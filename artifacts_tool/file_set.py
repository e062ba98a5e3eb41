"""Files that belong together: written all or not at all, so that good ones are never left mixed with new or half-written ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_files(directory: Path, files: Mapping[str, bytes]) -> None:
    """Writes {file name: content} into a folder, made if needed. Existing ones are replaced once all are written.

    Raises OSError (disk full, no permission); the folder's files are as before then.
    """
    directory.mkdir(parents=True, exist_ok=True)
    parts = {directory / f"{name}.part": directory / name for name in files}
    try:
        for part, data in zip(parts, files.values(), strict=True):
            part.write_bytes(data)
        for part, place in parts.items():
            part.replace(place)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
