"""C functions that no op stands for: the same bits as numpy."""

import numpy as np
import pytest

from pagetrain_accelerator.library import Library
from tests.accelerator.running import unaligned
from tests.cases.case import floats


def test_every_half_precision_number(library: Library) -> None:
    """All 65536 bit patterns: subnormals, infinities, NaN, both zeros."""
    halves = unaligned(np.arange(1 << 16, dtype=np.uint16))
    wide = np.empty(halves.size, np.float32)
    library.call("widen_half", halves, wide, halves.size)
    expected = halves.view(np.float16).astype(np.float32)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(wide.view(np.uint32)[numbers], expected.view(np.uint32)[numbers])
    assert np.isnan(wide[~numbers]).all()


def test_pixels(library: Library) -> None:
    """(x - mean) / std in float32, as preprocess does it."""
    pixels = unaligned(np.arange(3 * 257, dtype=np.uint32).astype(np.uint8).reshape(-1, 3))
    mean, std = np.float32([127, 123.675, 0]), np.float32([128, 58.395, 255])
    result = np.empty(pixels.shape, np.float32)
    library.call("normalize", pixels, mean, std, result, len(pixels), 3)
    np.testing.assert_array_equal(result, (pixels.astype(np.float32) - mean) / std)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 5), (1, 17, 4), (3, 8, 8), (0, 2, 2)])
def test_transpose(library: Library, shape: tuple[int, int, int]) -> None:
    """The last two axes change places."""
    X = unaligned(floats(*shape))
    result = np.empty((shape[0], shape[2], shape[1]), np.float32)
    library.call("transpose", X, result, *shape)
    np.testing.assert_array_equal(result, X.transpose(0, 2, 1))
