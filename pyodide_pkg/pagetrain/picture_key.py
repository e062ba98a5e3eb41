"""What a picture is called: the hash of its content."""

from __future__ import annotations

import hashlib

from . import picture
from .picture import Pixels, Source


def key_of(data: Source) -> str:
    """The key of a picture: sha256 of its file's bytes, hexadecimal; without a file: of a line with the size, and the pixels."""
    if not isinstance(data, Pixels):
        return hashlib.sha256(data).hexdigest()
    one = picture.opaque(data)
    header = f"pagetrain pixels {one.width} x {one.height} x {one.channels}\n".encode()
    return hashlib.sha256(header + bytes(one.data)).hexdigest()
