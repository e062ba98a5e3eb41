"""Variants of a picture: what they are, by formula, and that everything else is refused."""

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError
from pagetrain.variants import variants_of, vary

BOTH = {"mirror": True, "crop": True}


def noise(height, width):
    seen = np.random.default_rng(5).integers(0, 256, (height, width, 3), np.uint8)
    seen.flags.writeable = False
    return seen


def bicubic(values, size):
    """One axis enlarged by cubic convolution, a = -0.5, at pixel centres, weights beyond the edge left out and the rest scaled to 1."""
    scale = len(values) / size
    made = []
    for index in range(size):
        distances = np.abs(np.arange(len(values)) + 0.5 - (index + 0.5) * scale)
        near = (1.5 * distances - 2.5) * distances**2 + 1
        far = ((-0.5 * distances + 2.5) * distances - 4) * distances + 2
        weights = np.where(distances < 1, near, np.where(distances < 2, far, 0))
        made.append(np.tensordot(weights / weights.sum(), values, 1))
    return np.array(made)


def test_which_there_are():
    """Mirrored: one; crops: the four corners; both: each corner mirrored, too. No two share a name."""
    counts = [len(variants_of(one)) for one in ({}, {"mirror": True}, {"crop": True}, BOTH, {"mirror": False, "crop": False})]
    assert counts == [0, 1, 4, 9, 0]
    assert len(set(variants_of(BOTH))) == 9
    assert {*variants_of({"mirror": True}), *variants_of({"crop": True})} < set(variants_of(BOTH))


def test_mirrored_is_the_same_pixels_from_right_to_left():
    """Exactly, and mirrored once more it is the picture again; all variants have its size and type."""
    seen = noise(20, 24)
    (mirrored,) = variants_of({"mirror": True})
    for x in range(24):
        np.testing.assert_array_equal(vary(seen, mirrored)[:, x], seen[:, 23 - x])
    np.testing.assert_array_equal(vary(vary(seen, mirrored), mirrored), seen)
    assert {(one.shape, one.dtype) for one in (vary(seen, name) for name in variants_of(BOTH))} == {((20, 24, 3), np.dtype(np.uint8))}


@pytest.mark.parametrize("name, rows, columns", [
    ("top left", slice(0, 18), slice(0, 22)),
    ("top right", slice(0, 18), slice(2, 24)),
    ("bottom left", slice(2, 20), slice(0, 22)),
    ("bottom right", slice(2, 20), slice(2, 24)),
])  # fmt: skip
def test_a_corner_is_nine_tenths_of_each_side_enlarged_by_cubic_convolution(name, rows, columns):
    """Of 20 x 24: 18 x 22 pixels (21.6 is rounded). Pillow rounds to whole numbers after each axis: off by 0.5 from the second, and by
    0.5 times the sum of a cubic's absolute weights, at most 1.25, from the first."""
    seen = noise(20, 24)
    part = seen[rows, columns].astype(float)
    expected = np.clip(bicubic(bicubic(part.transpose(1, 0, 2), 24).clip(0, 255).transpose(1, 0, 2), 20), 0, 255)
    assert np.abs(vary(seen, name).astype(float) - expected).max() <= 0.5 + 0.5 * 1.25 + 0.01  # its weights have 22 bits
    np.testing.assert_array_equal(vary(seen, f"mirrored {name}"), vary(seen, name)[:, ::-1])


@pytest.mark.parametrize("augment", [{"mirror": 1}, {"flip": True}, ["mirror"], "mirror", True])
def test_another_augmentation_is_refused(augment):
    """Nothing is taken for true or false that is not."""
    with pytest.raises(InvalidInputError, match="'mirror' and 'crop', each True or False"):
        variants_of(augment)


@pytest.mark.parametrize("name", ["", "middle", "mirrored ", "mirrored middle", "top left mirrored", "top"])
def test_another_variant_is_refused(name):
    """By name, with those that there are."""
    with pytest.raises(InvalidInputError, match="there are top left"):
        vary(noise(4, 4), name)
