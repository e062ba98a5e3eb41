"""Every odd file of tests/data/pictures ends as index.json says: judged, decoded to the right pixels, or refused with the right code."""

import hashlib
import importlib.util
import io
import json
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import PIL
import pytest
from PIL import Image, ImageFile, features

from pagetrain import picture, preprocess
from pagetrain.errors import PictureError
from pagetrain.picture import Pixels

HERE = Path(__file__).parent
PICTURES = HERE / "data" / "pictures"
INDEX = json.loads((PICTURES / "index.json").read_text(encoding="utf-8"))
GOOD = [name for name, row in INDEX["files"].items() if "pixels" in row]
BAD = [name for name, row in INDEX["files"].items() if "code" in row]
PILLOW_READS_AVIF = "avif" in features.modules and features.check("avif")
SAME_JPEG = features.check_feature("libjpeg_turbo")  # Pyodide's Pillow has IJG libjpeg: other pixels


def upright(image):
    """uint8 RGB through the first two preprocessing steps."""
    steps = [{"op": "exif-transpose"}, {"op": "to-rgb", "background": [255, 255, 255]}]
    return preprocess.pixels(steps, image)


def read(name):
    return (PICTURES / name).read_bytes()


@pytest.mark.parametrize("name", list(INDEX["files"]))
def test_committed_files_are_those_of_the_index(name):
    """Their sha256 agree, so a damaged checkout does not pass for a damaged picture."""
    assert hashlib.sha256(read(name)).hexdigest() == INDEX["files"][name]["sha256"]


@pytest.mark.skipif(INDEX["pillow"] != PIL.__version__, reason="other encoders write other bytes")
def test_script_makes_the_same_files_again(tmp_path):
    """With the Pillow that wrote them, byte for byte."""
    spec = importlib.util.spec_from_file_location("make_odd_pictures", HERE / "make_odd_pictures.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in PICTURES.iterdir() if path.name != "README.md"
    }


@pytest.mark.parametrize("name", GOOD)
def test_good_file_gets_a_verdict(name):
    """Kind and size are those in the file, and the decoder is the one that gives everyone's pixels."""
    row, verdict = INDEX["files"][name], picture.judge(read(name))
    expected = row.get("decoder", "pillow")
    assert verdict.decoder == ("pillow" if expected == "browser" and PILLOW_READS_AVIF else expected)
    turned = row["group"] == "turned" and name[5] in "5678"
    if name != "turned.tiff":  # Pillow's versions differ on whether a TIFF's size is that before or after its turn
        assert [verdict.width, verdict.height] == (row["upright"][::-1] if turned else row["upright"])


@pytest.mark.parametrize("name", GOOD)
def test_good_file_decodes_to_the_pixels_of_native_pillow(name):
    """First frame, upright, transparency on white, 16 bits scaled: the hash of what an independent script saw."""
    row = INDEX["files"][name]
    if row.get("decoder") == "browser" and not PILLOW_READS_AVIF:
        pytest.skip("this Pillow has no AVIF")
    found = upright(picture.decode(read(name)))
    assert list(found.shape) == [row["upright"][1], row["upright"][0], 3]
    if SAME_JPEG or not name.endswith(".jpg") or name == "png-named.jpg":
        assert hashlib.sha256(found.tobytes()).hexdigest() == row["pixels"]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_ends_upright(orientation):
    """The four coloured corners are where the upright drawing has them; 40 levels allow for JPEG."""
    found = upright(picture.decode(read(f"exif-{orientation}.jpg"))).astype(int)
    drawn = upright(picture.decode(read("drawn.png"))).astype(int)
    for y, x in ((6, 6), (6, 89), (57, 6), (57, 89)):
        assert np.abs(found[y, x] - drawn[y, x]).max() < 40


@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_refused_with_its_code(name):
    """decode raises PictureError with the code, a sentence, and the format's name where it is known."""
    row = INDEX["files"][name]
    with pytest.raises(PictureError) as caught:
        picture.decode(read(name))
    assert caught.value.code == row["code"]
    assert str(caught.value).endswith(".")
    assert caught.value.format == row.get("format", caught.value.format)


@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_judged_bad(name):
    """judge refuses what decode refuses, except that a HEIC may go to the browser's decoder."""
    row = INDEX["files"][name]
    if "judged" in row:
        verdict = picture.judge(read(name))
        assert [verdict.format, verdict.width, verdict.height, verdict.decoder] == row["judged"]
    else:
        with pytest.raises(PictureError) as caught:
            picture.judge(read(name))
        assert caught.value.code == row.get("judged_code", row["code"])


@pytest.mark.parametrize("name", [name for name, row in INDEX["files"].items() if row["group"] == "hostile"])
def test_claims_cost_no_memory(name):
    """Refusing a bomb allocates under 8 MB, although it would unpack to 80 MB up to gigabytes (as tracemalloc sees it)."""
    data = read(name)
    tracemalloc.start()
    try:
        with pytest.raises(PictureError):
            picture.judge(data)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_too_many_bytes_are_refused_unread():
    """A file above MAX_BYTES is refused by its length."""
    with pytest.raises(PictureError) as caught:
        picture.judge(bytes(picture.MAX_BYTES + 1))
    assert caught.value.code == "too-large"


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 11, 16, 29])
@pytest.mark.parametrize(
    "name", ["drawn.png", "gray.jpg", "lossy.webp", "lossless-alpha.webp", "animated.gif", "drawn.bmp", "icon.ico", "phone.heic"]
)
def test_first_bytes_alone_are_refused(name, size):
    """No prefix of a header raises anything but PictureError."""
    with pytest.raises(PictureError):
        picture.decode(read(name)[:size])


def refusal(data):
    """The code that decode refuses the bytes with, "" for a picture."""
    try:
        upright(picture.decode(data))
    except PictureError as error:
        return error.code
    return ""


def test_every_cut_of_a_picture_is_refused_or_read():
    """Cut anywhere, a file is damaged or (when only its tail is gone) a picture; nothing else comes out."""
    for name in ("progressive.jpg", "rgba.png", "lossy.webp", "animated.gif", "several.mpo.jpg", "icon.ico"):
        data = read(name)
        codes = {refusal(data[:end]) for end in range(30, len(data), max(1, len(data) // 40))}
        assert codes <= {"", "damaged", "too-large", "too-narrow"}, name


def test_flipped_bytes_never_raise_anything_else():
    """200 seeded corruptions of each format end in a picture or a PictureError."""
    rng = np.random.default_rng(5)
    for name in ("progressive.jpg", "rgba.png", "lossy.webp", "animated.gif", "gray-16bit.png", "icon.ico", "turned.tiff"):
        for _ in range(200):
            data = bytearray(read(name))
            for place in rng.integers(0, min(len(data), 400), 3):
                data[place] = rng.integers(0, 256)
            refusal(bytes(data))


def test_settings_of_pillow_are_left_as_they_were(monkeypatch):
    """Limits hold while judging and are put back; a process that allows truncated images elsewhere does not allow them here."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    with pytest.raises(PictureError):
        picture.judge(read("truncated.jpg"))
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True
    assert Image.MAX_IMAGE_PIXELS is None


def test_colour_management_is_never_imported(monkeypatch):
    """Pillow 10.2's ImageCms has a buffer overflow; a picture with a profile does not bring it in."""
    monkeypatch.delitem(sys.modules, "PIL.ImageCms", raising=False)  # another test may have
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG", icc_profile=b"profile")
    picture.judge(stream.getvalue())
    assert "PIL.ImageCms" not in sys.modules


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("name", ["exif-6.jpg", "exif-wild.jpg", "gray.jpg"])
def test_pixels_decoded_elsewhere_replace_the_decoder_only(name, channels):
    """Handed-in pixels give what the file's own decoder gives, EXIF applied once."""
    data = read(name)
    stored = picture.decode(data)
    raw = stored.convert("RGB" if channels == 3 else "RGBA")
    again = picture.decode(data, Pixels(*raw.size, raw.tobytes(), channels))
    assert np.array_equal(upright(again), upright(stored))


def test_pixels_of_what_only_the_browser_reads_are_taken_as_they_are():
    """A HEIC comes with pixels that are upright already; its alpha is kept for the background."""
    image = picture.decode(read("phone.heic"), Pixels(2, 1, bytes([10, 20, 30, 255, 0, 0, 0, 0]), 4))
    assert upright(image).tolist() == [[[10, 20, 30], [255, 255, 255]]]


@pytest.mark.parametrize(
    "pixels", [Pixels(95, 64, bytes(95 * 64 * 4)), Pixels(96, 64, bytes(7)), Pixels(0, 64, b""), Pixels(96, 64, bytes(96 * 64 * 2), 2)]
)
def test_pixels_that_do_not_fit_are_refused(pixels):
    """Another size than the file's, or another number of bytes than the size needs."""
    with pytest.raises(PictureError) as caught:
        picture.decode(read("gray.jpg"), pixels)
    assert caught.value.code == "damaged"
