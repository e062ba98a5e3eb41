"""Zips as people and attackers make them, as bytes. Facts: PKWARE's APPNOTE 6.3, sections 4.3 to 4.5."""

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping

Photo = Callable[[int], bytes]
LARGE = 65 * 2**20  # bytes: more than a picture may have


def plain(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of files by name; a name that ends in a slash is a folder."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return stream.getvalue()


def by_hand(name: bytes, packed: bytes, size: int, checksum: int, *, flags: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of one entry whose headers claim what they are told to."""
    claims = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 33, checksum, len(packed), size, len(name), 0)
    local = b"PK\3\4" + claims + name + packed
    central = b"PK\1\2" + struct.pack("<H", 20) + claims + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zip64(name: str, data: bytes) -> bytes:
    """One entry whose sizes stand in a ZIP64 field, as streaming writers make it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as entry:
        entry.write(data)
    return stream.getvalue()


def locked(name: str, data: bytes) -> bytes:
    """Marked as locked (flag bit 0), with the twelve bytes that such an entry begins with. No password opens it."""
    return by_hand(name.encode(), bytes(range(12)) + data, len(data), zlib.crc32(data), flags=1, method=zipfile.ZIP_STORED)


def lying(name: str) -> bytes:
    """Claims a thousand bytes and unfolds to more than any picture may have."""
    zeros = bytes(LARGE)
    return by_hand(name.encode(), deflated(zeros), 1000, zlib.crc32(zeros))


def tar_gz(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def all_of(photo: Photo) -> Iterator[tuple[str, bytes, str]]:
    """Name, bytes, and whether it is accepted."""
    flowers = {f"{name}/{n}.jpg": photo(10 * k + n) for k, name in enumerate(("rose", "tulip")) for n in range(1, 7)}
    three = {path: data for path, data in flowers.items() if path[-5] in "123"}
    climbing = ["../../evil.jpg", "/abs-evil.jpg", "rose/../../../evil2.jpg", "..\\..\\evil3.jpg", "C:\\evil4.jpg"]
    accept, reject = "accept", "reject"
    yield "class-folders.zip", plain(flowers), accept
    yield (
        "class-folders-one-deeper.zip",
        plain({f"my dataset/{path}": data for path, data in {**flowers, "empty class/": b""}.items()}),
        accept,
    )
    yield (
        "macos.zip",
        plain({**three, ".DS_Store": b"\0", **{f"__MACOSX/rose/._{n}.jpg": b"\0\5\x16\7" for n in (1, 2, 3)}}),
        accept,
    )
    yield "zip-slip.zip", plain({**{name: photo(77) for name in climbing}, **three}), accept
    yield "zip-bomb.zip", plain({"rose/1.jpg": photo(1), "tulip/huge.jpg": bytes(LARGE)}), reject
    yield "nested.zip", plain({"inner.zip": plain(flowers)}), reject
    yield "password.zip", locked("rose/1.jpg", photo(1)), reject
    yield "truncated.zip", plain(flowers)[:-200], reject
    yield "empty.zip", plain({}), reject
    yield "class-folders.tar.gz", tar_gz(three), reject
