"""example/trash.zip: the ready-made example, photos of waste in a folder for each class; the page takes it like any dropped zip."""

import zipfile
from pathlib import Path

from sitebuild import paths

SOURCE = paths.ROOT / "tests/data/trash"
CLASSES = ("cardboard", "glass", "metal")
OF_EACH = 10
ZIP = "example/trash.zip"
LICENCE = SOURCE / "LICENSE"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes at every build


def write(target: Path) -> None:
    """Writes the zip: stored, for JPEG does not shrink."""
    target.parent.mkdir()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in pictures():
            archive.writestr(zipfile.ZipInfo(f"{path.parent.name.capitalize()}/{path.name}", _EPOCH), path.read_bytes())


def pictures() -> list[Path]:
    return [path for name in CLASSES for path in sorted((SOURCE / "train" / name).glob("*.jpg"))[:OF_EACH]]
