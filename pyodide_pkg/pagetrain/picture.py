"""bytes -> Pillow image, after judging: kind, claimed size, and whether the file can be read to its end. And what a picture is called.

Judging comes first and is cheap, so that a hostile or broken file costs neither memory nor an unclear error. What the model sees is made
from the image by preprocess.py. ImageCms is never imported (Pillow 10.2 has a buffer overflow there) and colour profiles are not applied.
"""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

# Naming the plugins registers them; Image.open would otherwise import all forty to find WebP, TIFF or ICO.
from PIL import (
    BmpImagePlugin,
    GifImagePlugin,
    IcoImagePlugin,
    Image,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
    features,
)

from .errors import PictureError
from .picture_format import BROWSER_FORMATS, NAMED_REFUSALS, claimed_size, sniff

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 64_000_000
MAX_RATIO = 64  # long side to short side: enlarging a longer strip until its short side fits the model would cost any amount of memory

_PLUGINS = (BmpImagePlugin, GifImagePlugin, IcoImagePlugin, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin)
_TIFF_REFUSED = {  # mode -> what it is
    "I": "32 bits per sample",  # which value is white is written down nowhere
    "F": "32 bits per sample",
    "LAB": "Lab colours",  # Pillow converts them through ImageCms
}
_JPEG_KINDS = frozenset({"JPEG", "MPO"})  # MPO: a JPEG with further pictures behind it, as some phones write; the first is the photo


@dataclass(frozen=True, slots=True)
class Verdict:
    """A readable picture. width, height: as stored (EXIF not applied). decoder: who is to make the pixels in the page.

    "jpeg": the page's libjpeg-turbo decoder (Pyodide's own libjpeg answers differently from everyone else's). "pillow": Pillow, also for
    CMYK JPEG, which the page's decoder cannot do. "browser": the web browser's decoder; Pillow here has none for the format.
    """

    format: str
    width: int
    height: int
    decoder: str


@dataclass(frozen=True, slots=True)
class Pixels:
    """A picture decoded elsewhere, EXIF not applied. data: height * width * channels bytes; channels: 3 (RGB) or 4 (RGBA).

    It may also stand for itself, without a file: see Personalizer.add.
    """

    width: int
    height: int
    data: bytes | bytearray | memoryview
    channels: int = 4


Source = bytes | Pixels  # a picture: its file, or its pixels without a file


def key_of(data: Source) -> str:
    """The key of a picture: sha256 of its file's bytes, hexadecimal; without a file: of a line with the size, and the pixels."""
    if not isinstance(data, Pixels):
        return hashlib.sha256(data).hexdigest()
    one = opaque(data)
    header = f"pagetrain pixels {one.width} x {one.height} x {one.channels}\n".encode()
    return hashlib.sha256(header + bytes(one.data)).hexdigest()


def judge(data: bytes) -> Verdict:
    """Reads the file to its end without keeping it; says what it is.

    Raises: PictureError, code "empty", "not-a-picture", "damaged", "too-large", "too-narrow" or "unsupported-format".
    """
    with _guarded(name := _known_format(data)):
        if not _pillow_reads(name):
            return _verdict_from_claim(data, name)
        image = _open(data, name)
        verdict = Verdict(name, *image.size, "jpeg" if image.format in _JPEG_KINDS and image.mode != "CMYK" else "pillow")
        if image.format in _JPEG_KINDS and image.mode != "CMYK":
            image.draft(image.mode, (image.width // 8, image.height // 8))
        image.load()
    return verdict


def decode(data: bytes, pixels: Pixels | None = None) -> Image.Image:
    """The first frame as stored: any 8-bit mode or 16-bit gray, EXIF orientation still to be applied (preprocess does both).

    pixels: the same picture decoded elsewhere, for verdicts "jpeg" and "browser"; the file then gives size check and EXIF only, so judge
    it first. Raises: PictureError as judge does, and "damaged" for pixels of another size than the file's.
    """
    with _guarded(name := _known_format(data)):
        if pixels is not None:
            return _from_pixels(data, name, pixels)
        if not _pillow_reads(name):
            raise PictureError("unsupported-format", f"{name} pictures cannot be read here; save it as JPEG or PNG.", name)
        image = _open(data, name)
        image.load()
    return image


def of_pixels(pixels: Pixels) -> Image.Image:
    """The image of pixels that come without a file, RGB where nothing shines through.

    Raises: PictureError "damaged" for another number of bytes, "too-large", "too-narrow".
    """
    _check_pixels(pixels)
    rgb = opaque(pixels)
    return Image.frombytes("RGB" if rgb.channels == 3 else "RGBA", (rgb.width, rgb.height), bytes(rgb.data))


def opaque(pixels: Pixels) -> Pixels:
    """The same without an alpha that hides nothing; pixels whose number of bytes is wrong are left as they are."""
    if pixels.channels != 4 or len(pixels.data) != pixels.width * pixels.height * 4 or not len(pixels.data):
        return pixels
    rgba = np.frombuffer(pixels.data, np.uint8).reshape(-1, 4)
    return Pixels(pixels.width, pixels.height, rgba[:, :3].tobytes(), 3) if rgba[:, 3].min() == 255 else pixels


def _known_format(data: bytes) -> str:
    """The sniffed format's name, if it is one that somebody may decode."""
    if len(data) == 0:
        raise PictureError("empty", "The file is empty (0 bytes).")
    if len(data) > MAX_BYTES:
        raise PictureError("too-large", f"The file has {len(data) / 2**20:.0f} MB; at most {MAX_BYTES >> 20} MB can be read.")
    name = sniff(data)
    if not name:
        raise PictureError("not-a-picture", "The content is not a picture of any kind known here.")
    if name in NAMED_REFUSALS:
        raise PictureError("unsupported-format", f"{name} pictures cannot be read here; save it as JPEG or PNG.", name)
    return name


def _pillow_reads(name: str) -> bool:
    return name not in BROWSER_FORMATS or (name == "AVIF" and "avif" in features.modules and bool(features.check("avif")))


def _open(data: bytes, name: str) -> Image.Image:
    """Opens with the one parser that `name` stands for, and checks what it claims before anything is decoded."""
    if claimed := claimed_size(data, name):
        _check_size(*claimed)
    image = Image.open(io.BytesIO(data), formats=[name])
    _check_size(*image.size)
    if name == "TIFF" and (kind := _TIFF_REFUSED.get(image.mode)):
        raise PictureError("unsupported-format", f"TIFF with {kind} cannot be read here; save it as JPEG or PNG.", "TIFF")
    return image


def _verdict_from_claim(data: bytes, name: str) -> Verdict:
    size = claimed_size(data, name)
    if size is None:
        raise PictureError("damaged", f"The {name} file does not say how large its picture is; it is cut off or damaged.", name)
    _check_size(*size)
    return Verdict(name, *size, "browser")


def _check_size(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise PictureError("damaged", f"The file claims a picture of {width} x {height} pixels.")
    if width * height > MAX_PIXELS:
        raise PictureError(
            "too-large",
            f"The picture has {width} x {height} = {width * height / 1e6:.0f} megapixels; at most {MAX_PIXELS / 1e6:.0f} can be read.",
        )
    if max(width, height) > MAX_RATIO * min(width, height):
        raise PictureError("too-narrow", f"The picture is a strip of {width} x {height} pixels; at most {MAX_RATIO} to 1 can be used.")


def _from_pixels(data: bytes, name: str, pixels: Pixels) -> Image.Image:
    """An image of the given pixels with the file's EXIF. What the browser decodes comes turned: no EXIF then."""
    _check_pixels(pixels)
    size = (pixels.width, pixels.height)
    if not _pillow_reads(name) or name == "AVIF":
        return Image.frombytes("RGB" if pixels.channels == 3 else "RGBA", size, bytes(pixels.data))
    header = _open(data, name)
    if header.size != size:
        raise PictureError(
            "damaged", f"The file says {header.width} x {header.height} pixels, but {size[0]} x {size[1]} were decoded.", name
        )
    raw_mode, mode = ("RGB", "RGB") if pixels.channels == 3 else (("RGBX", "RGB") if name == "JPEG" else ("RGBA", "RGBA"))
    image = Image.frombuffer(mode, size, bytes(pixels.data), "raw", raw_mode, 0, 1)
    if "exif" in header.info:
        image.info["exif"] = header.info["exif"]
    return image


def _check_pixels(pixels: Pixels) -> None:
    _check_size(pixels.width, pixels.height)
    expected = pixels.width * pixels.height * pixels.channels
    if pixels.channels not in (3, 4) or len(pixels.data) != expected:
        raise PictureError(
            "damaged",
            f"Decoded pixels: {pixels.width} x {pixels.height} x {pixels.channels} channels need {expected} bytes, got {len(pixels.data)}.",
        )


@contextmanager
def _guarded(name: str) -> Iterator[None]:
    """Pillow under our limits, silent, and with all failures of its parsers as PictureError. Its settings are put back after."""
    before = Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES
    Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES = MAX_PIXELS, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except PictureError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning, MemoryError) as error:
        raise PictureError("too-large", f"The {name} picture is larger than {MAX_PIXELS / 1e6:.0f} megapixels.", name) from error
    except Exception as error:  # Pillow's parsers raise nearly every built-in exception on damaged input
        raise PictureError("damaged", f"The {name} file is damaged or cut off ({error}).", name) from error
    finally:
        Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES = before
