"""Any number of distinct photos, cheaply: the photos of tests/data/trash with a number written into each file."""

import io
from collections.abc import Iterator, Sequence
from itertools import count, cycle, islice
from pathlib import Path

from PIL import Image

TRASH = Path(__file__).parents[1] / "data" / "trash" / "train"
CLASSES = tuple(sorted(folder.name for folder in TRASH.iterdir()))


def class_folders(parent: Path, classes: Sequence[str], pictures: int, *, whole: float = 0.0, first: int = 0) -> list[Path]:
    """A folder for each class, of `pictures` JPEGs that are numbered from `first` on: a share `whole` of 320 pixels, the others of 64."""
    folders = [parent / name for name in classes]
    for folder in folders:
        folder.mkdir(parents=True)
        for number, data in islice(_numbered(TRASH / folder.name, whole, first), pictures):
            (folder / f"{folder.name}-{number:05}.jpg").write_bytes(data)
    return folders


def _numbered(source: Path, whole: float, first: int) -> Iterator[tuple[int, bytes]]:
    """JPEGs with their numbers, without end."""
    photos = [path.read_bytes() for path in sorted(source.glob("*.jpg"))]
    small = [_small(photo) for photo in photos]
    for number, photo, shrunk in zip(count(first), cycle(photos), cycle(small)):
        is_whole = int((number + 1) * whole) > int(number * whole)
        yield number, _with_comment(photo if is_whole else shrunk, str(number))


def _small(photo: bytes, side: int = 64) -> bytes:
    stream = io.BytesIO()
    with Image.open(io.BytesIO(photo)) as image:
        image.resize((side, side * image.height // image.width)).save(stream, "JPEG", quality=80)
    return stream.getvalue()


def _with_comment(jpeg: bytes, text: str) -> bytes:
    """A comment segment right after the first marker (ITU T.81, B.2.4.5): another file of the same pixels."""
    return jpeg[:2] + b"\xff\xfe" + (2 + len(text)).to_bytes(2, "big") + text.encode() + jpeg[2:]
