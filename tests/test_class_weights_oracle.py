"""Balanced class weights against scikit-learn's."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from pagetrain.class_weights import class_weights

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("counts", [[3, 3], [1, 16, 4], [7, 1, 1, 90]])
def test_balanced_weights_are_those_of_scikit_learn(counts):
    """compute_class_weight("balanced")."""
    names = [f"class {place}" for place in range(len(counts))]
    theirs = compute_class_weight("balanced", classes=np.array(names), y=np.repeat(names, counts))
    np.testing.assert_allclose(class_weights("balanced", names, counts), theirs, rtol=1e-6)  # of float32
