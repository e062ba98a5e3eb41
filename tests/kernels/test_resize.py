"""Resize: the matrix of a sampling is its linear map; what is refused."""

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError
from pagetrain_ops._resampling import Method, sampling
from pagetrain_ops.resize import resize
from tests.cases.case import floats


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("scale", [0.3, 1.7])
def test_the_matrix_is_what_the_sampling_does(mode: str, antialias: bool, scale: float) -> None:
    """Applied along the middle axis of an array."""
    X = floats(2, 10, 3).astype(np.float64)
    found = sampling(10, int(10 * scale), scale, Method(mode, antialias=antialias), (0, 1))
    np.testing.assert_allclose(found.apply(X, 1), np.einsum("oi,nic->noc", found.matrix(10), X), rtol=1e-12)


def test_a_resize_of_nothing_to_nothing_is_refused() -> None:
    """Neither scales nor sizes; unknown modes by their names."""
    X = floats(1, 1, 2, 2)
    with pytest.raises(InvalidInputError, match="scales or sizes"):
        resize(X)
    for attribute in ("mode", "nearest_mode", "coordinate_transformation_mode"):
        with pytest.raises(InvalidInputError, match="'odd' of Resize is not known"):
            resize(X, None, np.float32([1, 1, 2, 2]), **{attribute: "odd"})
