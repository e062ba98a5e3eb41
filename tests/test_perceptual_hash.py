"""The hash of how a picture looks: its definition in real numbers, and that copies stay near while others do not."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageEnhance

from pagetrain import picture
from pagetrain.errors import InvalidInputError
from pagetrain.near_duplicates import NEAR
from pagetrain.perceptual_hash import checked_hash, perceptual_hash

PHOTOS = sorted((Path(__file__).parent / "data/trash").rglob("*.jpg"))


def hash_of(image):
    """Of a photo as a model of 224 x 224 sees it."""
    scale = 256 / min(image.size)
    image = image.resize([round(side * scale) for side in image.size], Image.Resampling.BICUBIC)
    left, top = ((side - 224) // 2 for side in image.size)
    return perceptual_hash(np.asarray(image.crop((left, top, left + 224, top + 224)).convert("RGB")))


def distance(one, other):
    return (int(one, 16) ^ int(other, 16)).bit_count()


def encoded(image, quality):
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=quality)
    return Image.open(stream).convert("RGB")


def frequencies(seen):
    """The definition in float64: gray means of 32 x 32 cells, then the 8 x 8 lowest of the two-dimensional DCT-II."""
    gray = (seen * np.array([0.299, 0.587, 0.114])).sum(axis=2)
    rows, columns = (np.arange(33) * size // 32 for size in gray.shape)
    means = np.array([[gray[rows[i] : rows[i + 1], columns[j] : columns[j + 1]].mean() for j in range(32)] for i in range(32)])
    angles = np.pi / 32 * (np.arange(32) + 0.5)
    return np.array([[(means * np.outer(np.cos(u * angles), np.cos(v * angles))).sum() for v in range(8)] for u in range(8)])


@pytest.mark.parametrize("shape", [(224, 224), (240, 100), (32, 47)])
def test_bits_say_which_frequencies_are_above_the_median(shape):
    """In real numbers too, but for those so near to the median that rounding (cells to levels, cosines to 1/1024) may move them."""
    rng = np.random.default_rng(sum(shape))
    for _ in range(20):
        coarse = Image.fromarray(rng.integers(0, 256, (9, 7, 3)).astype(np.uint8)).resize(shape[::-1])
        seen = np.asarray(coarse)
        expected = frequencies(seen).ravel()
        median = np.median(expected[1:])
        # cells are up to 1 level low: their mean moves but the first, their spread is a random sum of 1024; cosines: 1/2048 of the largest
        unsure = np.abs(expected - median) < 60 + np.abs(expected).max() / 512
        bits = np.array([digit == "1" for digit in f"{int(perceptual_hash(seen), 16):064b}"])
        assert (bits == (expected > median))[~unsure].all()
        assert unsure.sum() < 40


@pytest.mark.parametrize("shape", [(1, 1), (5, 300), (16, 16)])
def test_small_pictures_have_a_hash_too(shape):
    """Of 16 digits, and black has the same as white: the mean does not count."""
    black, white = (perceptual_hash(np.full((*shape, 3), level, np.uint8)) for level in (0, 255))
    assert len(black) == len(white) == 16
    assert distance(black, white) <= 1  # the first bit


def test_copies_are_near_and_other_photos_are_not():
    """Re-encoded, resized, slightly cropped, brighter: within NEAR bits. Mirrored, and all pairs of different photos: beyond."""
    images = [picture.decode(path.read_bytes(), None).convert("RGB") for path in PHOTOS[::6]]
    hashes = [hash_of(image) for image in images]
    for image, own in zip(images, hashes, strict=True):
        width, height = image.size
        crop = image.crop((width // 80, height // 80, width - width // 80, height - height // 80))
        copies = [encoded(image, 60), image.resize((width // 2, height // 2)), crop, ImageEnhance.Brightness(image).enhance(1.15)]
        assert max(distance(own, hash_of(copy)) for copy in copies) <= NEAR
        assert distance(own, hash_of(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT))) > NEAR
    assert min(distance(one, other) for index, one in enumerate(hashes) for other in hashes[:index]) > NEAR


@pytest.mark.parametrize("value", ["", "0123456789abcdef"])
def test_hashes_are_taken_back(value):
    """And none too."""
    assert checked_hash(value) == value


@pytest.mark.parametrize("value", ["0123456789ABCDEF", "0123", "0123456789abcdef\n", None, 7])
def test_what_is_no_hash_is_refused(value):
    """With what it is."""
    with pytest.raises(InvalidInputError, match="16 hex digits"):
        checked_hash(value)
