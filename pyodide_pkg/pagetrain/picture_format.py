"""What kind of file bytes are, told from their first bytes alone: nothing is parsed by a decoder before this has said yes.

Sources: the formats' own signatures (RFC 2083, ITU T.81, TIFF 6.0, RIFF container of WebP, ISO/IEC 14496-12 `ftyp` brands, ISO/IEC
23008-12 `ispe`).
"""

from __future__ import annotations

import re
import struct

PILLOW_FORMATS = frozenset({"JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "ICO"})
BROWSER_FORMATS = frozenset({"AVIF", "HEIC"})  # Pillow reads AVIF where it was built with it; HEIC never
NAMED_REFUSALS = frozenset({"SVG", "JPEG 2000", "JPEG XL", "PSD"})  # pictures, but of a kind that is read nowhere here

_SIGNATURES = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"BM", "BMP"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"\0\0\1\0", "ICO"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
    (b"\xff\x0a", "JPEG XL"),
    (b"8BPS", "PSD"),
)
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_SVG_START = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml.{0,500}?)?(?:<!--.{0,2000}?-->\s*|<!DOCTYPE\s+svg.{0,2000}?>\s*)*<svg[\s>]", re.DOTALL
)
_HEADER_BYTES = 4096  # as much as a name needs: signatures, brands, the start of a drawing
_META_BYTES = 1 << 16  # AVIF and HEIC tell their size in the `meta` box at the start


def sniff(data: bytes) -> str:
    """The format's name, or "" for anything that is not a picture. Looks at the content only, never at a file name."""
    head = bytes(data[:_HEADER_BYTES])
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head[4:8] == b"ftyp":
        return _brand(head)
    return "SVG" if _SVG_START.match(head) else ""


def _brand(head: bytes) -> str:
    """AVIF, HEIC, or "" for other ISO media files (films)."""
    end = min(struct.unpack_from(">I", head)[0], len(head))
    brands = {head[8:12], *(head[at : at + 4] for at in range(16, end - 3, 4))}
    if brands & _AVIF_BRANDS:
        return "AVIF"
    return "HEIC" if brands & _HEIF_BRANDS else ""


def claimed_size(data: bytes, name: str) -> tuple[int, int] | None:
    """(width, height) that a WebP, AVIF or HEIC claims, None where it claims none.

    Only these three: Pillow's decoders allocate their canvas while opening, so the claim has to be known before.
    """
    if name == "WEBP":
        return _webp_size(bytes(data[:32]))
    if name in BROWSER_FORMATS:
        return _heif_size(bytes(data[:_META_BYTES]))
    return None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if len(head) < 30:
        return None
    if kind == b"VP8X":  # 24 bits each, stored less one
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8L":  # 14 bits each, stored less one, behind the signature byte
        bits = int.from_bytes(head[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":  # 14 bits each behind frame tag and start code; the upper two bits are a scale
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _heif_size(head: bytes) -> tuple[int, int] | None:
    """The largest `ispe` property: tiles, thumbnails and alpha planes have smaller ones."""
    sizes = [struct.unpack_from(">II", head, at.end() + 4) for at in re.finditer(b"ispe", head) if at.end() + 12 <= len(head)]
    return max(sizes, key=lambda size: size[0] * size[1]) if sizes else None
