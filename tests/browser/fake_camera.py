"""A camera for the browser: a film that pans over real photos, so that no two frames are the same and those of one photo are close."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

SIZE = (320, 240)
PER_PHOTO = 40  # frames; the browser plays 20 or so in a second, and begins again at the end

# Of the browser that has the film as its camera and lets every page use it.
ALLOWED = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
# Of one that has a camera, and whose person says no to every question.
REFUSED = ("--use-fake-device-for-media-stream", "--deny-permission-prompts")


def film(path: Path, photos: Iterable[Path]) -> str:
    """Writes the film to path, as JPEGs one behind another, and answers the argument that makes it the camera."""
    path.write_bytes(b"".join(_jpeg(frame) for frame in _frames(photos)))
    return f"--use-file-for-fake-video-capture={path}"


def distances(picture: bytes, photos: Iterable[Path]) -> tuple[float, float]:
    """How far a picture is from the middle square of the film's nearest frame, and from that of its mirror image: mean shades of 255."""
    with Image.open(BytesIO(picture)) as opened:
        taken = np.asarray(opened.convert("RGB"), np.float32)
    left = (SIZE[0] - SIZE[1]) // 2
    squares = [np.asarray(frame, np.float32)[:, left : left + SIZE[1]] for frame in _frames(photos)]
    upright, mirrored = (min(float(np.abs(square - seen).mean()) for square in squares) for seen in (taken, taken[:, ::-1]))
    return upright, mirrored


def _frames(photos: Iterable[Path]) -> Iterator[Image.Image]:
    for photo in photos:
        with Image.open(photo) as opened:
            wide = opened.convert("RGB").resize((SIZE[0] + PER_PHOTO, SIZE[1] + PER_PHOTO))
        for step in range(PER_PHOTO):
            yield wide.crop((step, step // 2, step + SIZE[0], step // 2 + SIZE[1]))


def _jpeg(picture: Image.Image) -> bytes:
    stream = BytesIO()
    picture.save(stream, "JPEG", quality=90)
    return stream.getvalue()
