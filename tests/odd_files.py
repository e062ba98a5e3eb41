"""A folder of odd and hostile files, and manifest.json with what a person must see of each: made when a test wants it, from drawn pixels.

The layout is that of any folder the tests can be pointed at: exif/, formats/, broken/, hostile/, names/, folders/ and zips/, rows of
{"file", "expect": "accept" | "reject" | "accept_or_reject"}, and names-for-buffers.json, a list of names that no disk takes.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from tests import make_odd_pictures as odd
from tests import odd_zips

PICTURES = Path(__file__).parent / "data" / "pictures"
ACCEPT, REJECT, EITHER = "accept", "reject", "accept_or_reject"

NAMES = [
    "日本語の花.jpg",
    "🌻🐝.jpg",
    'it\'s "quoted".jpg',
    "<img src=x onerror=window.__pwned=1>.jpg",
    "&lt;b&gt;entity&amp;.jpg",
    "long-" * 49 + ".jpg",
    ".hidden.jpg",
    "..\\..\\windows\\evil.jpg",
    "CON.jpg",
    "a#b?c=d&e%20f.jpg",
    "\u202egpj.exe.jpg",
    "=1+1,cmd.jpg",
    "__proto__.jpg",
    "caf\u00e9.jpg",
    "cafe\u0301.jpg",
    "two  spaces .jpg",
    "photo.jpg.exe.jpg",
]
FOR_BUFFERS = [
    "../../evil.jpg",
    "/evil.jpg",
    "C:\\evil\\evil.jpg",
    "flowers/rose.jpg",
    "a\0b.jpg",
    "",
    ".",
    "..",
    "x" * 5000 + ".jpg",
    "\ud83d.jpg",
]

# Of tests/data/pictures: where each stands here, and what is expected of it.
STORED = {
    "exif/upright.png": ("drawn.png", ACCEPT),
    **{f"exif/orientation-{n}.jpg": (f"exif-{n}.jpg", ACCEPT) for n in range(1, 9)},
    "exif/orientation-6-bad-exif-length.jpg": ("exif-wild.jpg", ACCEPT),
    "formats/cmyk.jpg": ("cmyk.jpg", ACCEPT),
    "formats/grayscale.jpg": ("gray.jpg", ACCEPT),
    "formats/progressive.jpg": ("progressive.jpg", ACCEPT),
    "formats/rgb-16bit.png": ("rgb-16bit.png", ACCEPT),
    "formats/gray-16bit.png": ("gray-16bit.png", ACCEPT),
    "formats/palette-transparent.png": ("palette-transparent.png", ACCEPT),
    "formats/rgba-cutout.png": ("rgba.png", ACCEPT),
    "formats/1x1.png": ("one-pixel.png", EITHER),
    "formats/animated.gif": ("animated.gif", ACCEPT),
    "formats/animated.webp": ("animated.webp", ACCEPT),
    "formats/lossy.webp": ("lossy.webp", ACCEPT),
    "formats/lossless.webp": ("lossless-alpha.webp", ACCEPT),
    "formats/photo.avif": ("drawn.avif", ACCEPT),
    "formats/photo.heic": ("phone.heic", EITHER),
    "formats/photo.bmp": ("drawn.bmp", ACCEPT),
    "formats/photo.tiff": ("several.tiff", EITHER),
    "formats/icon.ico": ("icon.ico", EITHER),
    "formats/photo.jp2": ("photo.jp2", EITHER),
    "formats/drawing.svg": ("drawing.svg", EITHER),
    "formats/png-named.jpg": ("png-named.jpg", ACCEPT),
    "broken/truncated.jpg": ("truncated.jpg", EITHER),
    "broken/truncated-in-header.jpg": ("truncated-in-header.jpg", REJECT),
    "broken/trailing-garbage.jpg": ("trailing-bytes.jpg", ACCEPT),
    "broken/zero-byte.png": ("zero-bytes.png", REJECT),
    "broken/text-renamed.jpg": ("text.jpg", REJECT),
    "broken/pdf-renamed.png": ("paper.jpg", REJECT),
    "broken/html-renamed.jpg": ("page.png", REJECT),
    "broken/mp4-renamed.jpg": ("film.jpg", REJECT),
    "broken/truncated.png": ("truncated.png", EITHER),
    "hostile/png-bomb-30000x30000.png": ("bomb.png", EITHER),
    "hostile/jpeg-claims-huge.jpg": ("bomb.jpg", EITHER),
    "hostile/gif-huge-canvas.gif": ("bomb.gif", EITHER),
    "hostile/text-bomb.png": ("bomb-in-text.png", EITHER),
}
ACTIVE_SVG = b"""<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80" onload="window.__pwned=1">
<script>window.__pwned = 1</script><image href="https://outside.invalid/x.png" width="9" height="9"/></svg>"""


def photo(seed: int, side: int = 48) -> bytes:
    """A JPEG that no other seed gives: tiles of colour, as large as the model's own cells, so that they survive."""
    tiles = np.random.default_rng(seed).integers(40, 220, (4, 4, 3)).astype(np.uint8)
    return odd.encoded(Image.fromarray(tiles).resize((side, side), Image.Resampling.NEAREST), "JPEG", quality=92)


def drawn_here() -> Iterator[tuple[str, bytes, str]]:
    """What tests/data/pictures has no file of."""
    picture = odd.drawn()
    whole = odd.encoded(picture, "PNG")
    frames = [picture.transpose(Image.Transpose.ROTATE_180)]
    twelve = Image.linear_gradient("L").resize((4032, 3024)).convert("RGB")
    yield "formats/fully-transparent.png", odd.encoded(Image.new("RGBA", (64, 48), (9, 9, 9, 0)), "PNG"), ACCEPT
    yield "formats/wide-4000x10.png", odd.encoded(Image.new("RGB", (4000, 10), (90, 0, 0)), "PNG"), EITHER
    yield "formats/tall-10x4000.jpg", odd.encoded(Image.new("RGB", (10, 4000), (0, 90, 0)), "JPEG"), EITHER
    yield "formats/animated-apng.png", odd.encoded(picture, "PNG", save_all=True, append_images=frames), ACCEPT
    yield "formats/12-megapixel.jpg", odd.encoded(twelve, "JPEG", quality=60), ACCEPT
    yield "formats/icc-profile.jpg", odd.encoded(picture, "JPEG", quality=80, icc_profile=srgb()), ACCEPT
    yield "formats/JPEG-UPPER.JPG", photo(1), ACCEPT
    yield "formats/no-extension", photo(2), EITHER
    yield "formats/one-colour-black.jpg", odd.encoded(Image.new("RGB", (200, 200)), "JPEG"), ACCEPT
    yield "hostile/active.svg", ACTIVE_SVG, EITHER
    yield "hostile/png-bomb-16000x16000.png", odd.png(16000, 16000, 1, 0, bytes(2001 * 16000)), EITHER
    yield "broken/png-wrong-crc-idat.png", whole.replace(b"IDAT", b"IDAT", 1)[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:], EITHER
    yield "broken/png-missing-iend.png", whole[:-12], EITHER
    yield "broken/jpeg-zip-polyglot.jpg", photo(3) + odd_zips.plain({"inner.jpg": photo(4)}), ACCEPT


def srgb() -> bytes:
    from PIL import ImageCms

    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def folders() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Each folder's files by path."""
    sorted_ = {f"{name}/{n}.jpg": photo(10 * k + n) for k, name in enumerate(("rose", "tulip")) for n in (1, 2, 3)}
    junk = {".DS_Store": b"\0", "rose/desktop.ini": b"[x]", "tulip/Thumbs.db": b"\0", "rose/._1.jpg": b"\0\5\x16\7"}
    yield "nested", {f"garden/{path.replace('rose/', 'rose/red/')}": data for path, data in sorted_.items()}
    yield "macos-junk", {**sorted_, **junk, **{f"__MACOSX/rose/._{n}.jpg": b"\0\5\x16\7" for n in (1, 2, 3)}}
    yield "same-image-two-classes", {**sorted_, "rose/shared.jpg": photo(99), "tulip/shared.jpg": photo(99)}
    yield (
        "same-image-one-class",
        {f"rose/copy ({n}).jpg": photo(7) for n in (1, 2, 3)} | {path: data for path, data in sorted_.items() if path.startswith("tulip")},
    )
    odd_names = ("__proto__", "constructor", "toString", "<b onmouseover=window.__pwned=1>x", "CON", "ключ")
    yield "odd-class-names", {f"{name}/{n}.jpg": photo(100 + 10 * k + n) for k, name in enumerate(odd_names) for n in (14, 15)}
    yield "unbalanced", {"rose/1.jpg": photo(1), **{f"tulip/{n}.jpg": photo(50 + n) for n in range(16)}}
    yield "one-class-only", {"rose/1.jpg": photo(1), "rose/2.jpg": photo(2)}
    yield "no-class-folders", {"1.jpg": photo(1), "2.jpg": photo(2), "readme.md": b"# Flowers"}
    bad = {"rose/bad.jpg": b"no picture", "tulip/cut.jpg": photo(5)[:300], "tulip/empty.png": b""}
    yield "mixed-good-and-bad", {"rose/good.jpg": photo(3), "tulip/good.png": odd.encoded(odd.drawn(), "PNG"), **bad}


def write(folder: Path) -> None:
    """Fills the folder."""
    rows = []

    def put(file: str, data: bytes, expect: str) -> None:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        rows.append({"file": file, "expect": expect})

    for file, (stored, expect) in STORED.items():
        put(file, (PICTURES / stored).read_bytes(), expect)
    for file, data, expect in drawn_here():
        put(file, data, expect)
    for seed, name in enumerate(NAMES):
        put(f"names/{name}", photo(200 + seed), ACCEPT)
    for name, data, expect in odd_zips.all_of(photo):
        put(f"zips/{name}", data, expect)
    for name, files in folders():
        for path, data in files.items():
            put(f"folders/{name}/{path}", data, ACCEPT)
            rows.pop()
        rows.append({"file": f"folders/{name}", "expect": ACCEPT})
    (folder / "manifest.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "names-for-buffers.json").write_text(json.dumps(FOR_BUFFERS), encoding="utf-8")


def unpacked(source: Path, folder: Path) -> Path:
    """Such a folder made elsewhere, where names/ and folders/ may lie in a tar: copied to `folder`, unpacked."""
    shutil.copytree(source, folder, dirs_exist_ok=True)
    for archive in folder.glob("*.tar"):
        shutil.unpack_archive(archive, folder, filter="data")
    return folder
