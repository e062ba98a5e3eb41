"""How much a picture of each class counts in the loss."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence

import numpy as np

from .errors import InvalidInputError

BALANCED = "balanced"
ClassWeights = str | Mapping[str, float]  # BALANCED, or a number by class name


def class_weights(wanted: ClassWeights, labels: Sequence[str], counts: Sequence[int]) -> np.ndarray:
    """One weight per class, (C,) float32, in the order of `labels`; counts: pictures of each.

    "balanced": N / (K n_c) for n_c of the N pictures in each of the K classes that have any, so that every class counts the same in sum.
    A mapping: what it says, 1 for a class it leaves out. A class without pictures has 1.
    Source: scikit-learn, compute_class_weight; King and Zeng 2001. Raises InvalidInputError for unknown classes and other values.
    """
    if isinstance(wanted, str) and wanted == BALANCED:
        filled = [count for count in counts if count]
        return np.array([sum(filled) / (len(filled) * count) if count else 1 for count in counts], np.float32)
    if not isinstance(wanted, Mapping):
        raise InvalidInputError(f"fit: class_weights is {wanted!r}, expected {BALANCED!r} or a mapping of class names to numbers.")
    unknown = [label for label in wanted if label not in labels]
    if unknown:
        raise InvalidInputError(f"fit: class_weights names the classes {unknown}, but there are {list(labels)}.")
    for label, weight in wanted.items():
        if isinstance(weight, bool) or not isinstance(weight, numbers.Real) or not 1e-6 <= weight <= 1e6:
            raise InvalidInputError(f"fit: class_weights of {label!r} is {weight!r}, expected a number from 1e-06 to 1e+06.")
    return np.array([wanted.get(label, 1) for label in labels], np.float32)
