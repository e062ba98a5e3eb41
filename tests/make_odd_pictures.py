"""Writes tests/data/pictures: small odd and hostile picture files, and index.json with what must become of each.

Run: python tests/make_odd_pictures.py [FOLDER]. Made from drawn pixels and one photo of tests/data/trash (MIT, Gary Thung). No outside
file is copied. The bytes depend on the encoders of the Pillow that index.json names; what a file means does not.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, features

HERE = Path(__file__).parent
PHOTO = HERE / "data" / "trash" / "train" / "glass" / "glass-01.jpg"
ORIENTED = {
    1: (),
    2: ("FLIP_LEFT_RIGHT",),
    3: ("ROTATE_180",),
    4: ("FLIP_TOP_BOTTOM",),
    5: ("TRANSPOSE",),
    6: ("ROTATE_90",),
    7: ("TRANSVERSE",),
    8: ("ROTATE_270",),
}

Rows = Iterator[tuple[str, bytes, dict[str, object]]]


def drawn(width: int = 96, height: int = 64) -> Image.Image:
    """A picture that looks different in every turn: four coloured corners, a gradient, an L."""
    y, x = np.mgrid[0:height, 0:width]
    pixels = np.stack([x * 255 // width, y * 255 // height, np.full_like(x, 90)], axis=-1).astype(np.uint8)
    for rows, columns, colour in (
        (slice(0, 16), slice(0, 16), (220, 30, 30)),
        (slice(0, 16), slice(-16, None), (30, 160, 60)),
        (slice(-16, None), slice(0, 16), (40, 70, 220)),
        (slice(-16, None), slice(-16, None), (240, 200, 30)),
    ):
        pixels[rows, columns] = colour
    pixels[20:44, 40:46] = pixels[40:44, 40:60] = (255, 255, 255)
    return Image.fromarray(pixels)


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.copy().save(stream, kind, **options)  # saving as JPEG leaves settings on the image that break a later TIFF
    return stream.getvalue()


def photo() -> Image.Image:
    return Image.open(PHOTO).convert("RGB").resize((100, 76), Image.Resampling.BICUBIC)


def png_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, bits: int, colour: int, scanlines: bytes, *extra: bytes) -> bytes:
    """A PNG by hand: any claim, any chunk."""
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(extra) + png_chunk(b"IDAT", zlib.compress(scanlines, 9)) + png_chunk(b"IEND", b"")


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def heif(brand: bytes, width: int, height: int) -> bytes:
    """Only the boxes that name the kind and the size; there is no picture in it."""
    size = box(b"ispe", struct.pack(">III", 0, width, height))
    return box(b"ftyp", brand + bytes(4) + b"mif1" + brand) + box(b"meta", bytes(4) + box(b"iprp", box(b"ipco", size)))


def good() -> Rows:
    """Pictures of the ordinary and the less ordinary formats."""
    picture, alpha = drawn(), Image.fromarray(np.linspace(0, 255, 96 * 64).astype(np.uint8).reshape(64, 96))
    rgba, grey = picture.copy(), picture.convert("L")
    rgba.putalpha(alpha)
    deep = (np.asarray(grey).astype(np.uint16) << 8) | 0x55
    palette = picture.quantize(16)
    frames = [picture.transpose(Image.Transpose.ROTATE_180), picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)]
    rows = b"".join(b"\0" + row.tobytes() for row in (np.asarray(picture).astype(np.uint16) * 257).astype(">u2"))
    yield "drawn.png", encoded(picture, "PNG"), {}
    yield "gray.jpg", encoded(grey, "JPEG"), {"decoder": "jpeg"}
    yield "progressive.jpg", encoded(photo(), "JPEG", progressive=True), {"decoder": "jpeg"}
    yield "cmyk.jpg", encoded(picture.convert("CMYK"), "JPEG"), {"decoder": "pillow"}
    yield "several.mpo.jpg", encoded(picture, "MPO", save_all=True, append_images=[frame.copy() for frame in frames]), {"decoder": "jpeg"}
    yield "trailing-bytes.jpg", encoded(photo(), "JPEG") + bytes(range(256)), {"decoder": "jpeg"}
    yield "gray-16bit.png", encoded(Image.fromarray(deep), "PNG"), {}
    yield "rgb-16bit.png", png(96, 64, 16, 2, rows), {}
    yield "palette-transparent.png", encoded(palette, "PNG", transparency=0), {}
    yield "rgba.png", encoded(rgba, "PNG"), {}
    yield "gray-alpha.png", encoded(rgba.convert("LA"), "PNG"), {}
    yield "one-pixel.png", encoded(Image.new("RGB", (1, 1), (10, 200, 30)), "PNG"), {}
    yield "animated.gif", encoded(picture.quantize(32), "GIF", save_all=True, append_images=frames), {}
    yield "animated.webp", encoded(picture, "WEBP", save_all=True, append_images=frames, lossless=True), {}
    yield "lossy.webp", encoded(photo(), "WEBP"), {}
    yield "lossless-alpha.webp", encoded(rgba, "WEBP", lossless=True, exact=True), {}
    yield "drawn.bmp", encoded(picture, "BMP"), {}
    yield "several.tiff", encoded(picture, "TIFF", save_all=True, append_images=frames), {}
    yield "gray-16bit.tiff", encoded(Image.fromarray(deep), "TIFF"), {}
    yield "turned.tiff", encoded(picture.transpose(Image.Transpose.ROTATE_90), "TIFF", tiffinfo={274: 6}), {"upright": [96, 64]}
    yield "icon.ico", encoded(picture.resize((64, 64)), "ICO", sizes=[(16, 16), (64, 64)]), {}
    yield "png-named.jpg", encoded(picture, "PNG"), {}
    if features.check("avif"):
        yield "drawn.avif", encoded(picture, "AVIF"), {"decoder": "browser"}


def turned() -> Rows:
    """JPEGs that are upright only after their EXIF orientation, and two whose EXIF is unusable."""
    for orientation, stored in ORIENTED.items():
        image, exif = drawn(), Image.Exif()
        for turn in stored:
            image = image.transpose(Image.Transpose[turn])
        exif[0x0112] = orientation
        yield f"exif-{orientation}.jpg", encoded(image, "JPEG", quality=95, exif=exif), {"upright": [96, 64], "decoder": "jpeg"}
    for name, exif_bytes in (("cut", b"Exif\0\0MM\0*\0\0\0\x08\0\x09\x01\x12"), ("wild", b"Exif\0\0II*\0\xff\xff\xff\x7f" + bytes(40))):
        yield f"exif-{name}.jpg", encoded(drawn(), "JPEG", quality=95, exif=exif_bytes), {"upright": [96, 64], "decoder": "jpeg"}


def refused() -> Rows:
    """Files that are not pictures, or broken ones, or of a kind that nothing here reads."""
    jpeg, whole_png, webp = encoded(photo(), "JPEG"), encoded(drawn(), "PNG"), encoded(photo(), "WEBP")
    yield "zero-bytes.png", b"", {"code": "empty"}
    yield "text.jpg", b"This is a shopping list, not a picture.\n", {"code": "not-a-picture"}
    yield "page.png", b"<!DOCTYPE html><html><script>window.__pwned = 1</script></html>\n", {"code": "not-a-picture"}
    yield "paper.jpg", b"%PDF-1.4\n%%EOF\n", {"code": "not-a-picture"}
    yield "film.jpg", box(b"ftyp", b"isom" + bytes(4) + b"isommp42") + bytes(64), {"code": "not-a-picture"}
    yield "truncated.jpg", jpeg[: len(jpeg) * 55 // 100], {"code": "damaged"}
    yield "truncated-in-header.jpg", jpeg[:120], {"code": "damaged"}
    yield "truncated.png", whole_png[: len(whole_png) * 60 // 100], {"code": "damaged"}
    yield "truncated.webp", webp[: len(webp) // 2], {"code": "damaged"}
    yield "truncated.gif", encoded(drawn().quantize(32), "GIF")[:60], {"code": "damaged"}
    yield (
        "drawing.svg",
        b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>\n',
        {"code": "unsupported-format", "format": "SVG"},
    )
    yield (
        "phone.heic",
        heif(b"heic", 4032, 3024),
        {"code": "unsupported-format", "format": "HEIC", "judged": ["HEIC", 4032, 3024, "browser"]},
    )
    yield "header-only.heic", heif(b"heic", 4032, 3024)[:40], {"code": "unsupported-format", "judged_code": "damaged"}
    yield "photo.jp2", b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(32), {"code": "unsupported-format", "format": "JPEG 2000"}
    yield "lab.tiff", encoded(Image.new("LAB", (8, 8)), "TIFF"), {"code": "unsupported-format", "format": "TIFF"}
    yield "float.tiff", encoded(Image.fromarray(np.ones((8, 8), np.float32)), "TIFF"), {"code": "unsupported-format", "format": "TIFF"}


def hostile() -> Rows:
    """Small files that would cost gigabytes if their claims were believed."""
    jpeg, gif = bytearray(encoded(drawn(), "JPEG")), bytearray(encoded(drawn().quantize(4), "GIF"))
    frame = jpeg.index(b"\xff\xc0")
    jpeg[frame + 5 : frame + 9] = struct.pack(">HH", 65500, 65500)
    gif[6:10] = struct.pack("<HH", 65535, 65535)
    lossless = bytearray(encoded(drawn(), "WEBP", lossless=True))
    lossless[21:25] = (int.from_bytes(lossless[21:25], "little") | 0x0FFFFFFF).to_bytes(4, "little")
    zeros = zlib.compress(bytes(80 * 2**20), 9)
    yield "bomb.png", png(30000, 30000, 1, 0, bytes(1 << 16)), {"code": "too-large"}
    yield "bomb.jpg", bytes(jpeg), {"code": "too-large"}
    yield "bomb.gif", bytes(gif), {"code": "too-large"}
    yield "bomb.webp", bytes(lossless), {"code": "too-large"}
    yield "bomb.heic", heif(b"heic", 60000, 60000), {"code": "unsupported-format", "judged_code": "too-large"}
    yield "bomb-in-text.png", png(2, 2, 8, 0, bytes(6), png_chunk(b"zTXt", b"note\0\0" + zeros)), {"code": "damaged"}
    yield "bomb-in-profile.png", png(2, 2, 8, 0, bytes(6), png_chunk(b"iCCP", b"note\0\0" + zeros)), {"code": "damaged"}
    yield "strip.png", encoded(Image.new("RGB", (4000, 10)), "PNG"), {"code": "too-narrow"}


def upright_rgb(data: bytes) -> np.ndarray:
    """What this Pillow shows of a good file: first frame, upright, on white, RGB. Written apart from the code under test."""
    from PIL import ImageOps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of unusable EXIF
        image = Image.open(io.BytesIO(data))
        image.load()
    if image.mode.startswith("I"):
        return np.repeat((np.asarray(image) // 256).astype(np.uint8)[..., np.newaxis], 3, axis=-1)
    image = ImageOps.exif_transpose(image)
    if image.has_transparency_data:
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))
    return np.asarray(image.convert("RGB"))


GROUPS: tuple[Callable[[], Rows], ...] = (good, turned, refused, hostile)


def main(folder: Path) -> None:
    """Writes the files and index.json."""
    folder.mkdir(parents=True, exist_ok=True)
    index: dict[str, dict[str, object]] = {}
    for group in GROUPS:
        for name, data, facts in group():
            (folder / name).write_bytes(data)
            row: dict[str, object] = {"group": group.__name__, "sha256": hashlib.sha256(data).hexdigest(), **facts}
            if group in (good, turned):
                pixels = upright_rgb(data)
                row |= {"upright": [pixels.shape[1], pixels.shape[0]], "pixels": hashlib.sha256(pixels.tobytes()).hexdigest()}
            index[name] = row
    text = json.dumps({"pillow": PIL.__version__, "numpy": np.__version__.split(".")[0], "files": index}, indent=1)
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "data" / "pictures")
