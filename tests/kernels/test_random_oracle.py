"""A node with a seed attribute draws the numbers of onnx's reference at its first call."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from pagetrain import kernels

pytestmark = pytest.mark.oracle
X = np.random.default_rng(0).random((3, 50)).astype(np.float32)
CASES: dict[str, tuple[int, dict[str, Any], dict[str, np.ndarray]]] = {  # op: (version, attributes, inputs)
    "RandomUniform": (1, {"shape": (3, 50), "low": -1.0, "high": 3.0}, {}),
    "RandomUniformLike": (1, {}, {"x": X}),
    "RandomNormal": (1, {"shape": (3, 50), "mean": 2.0, "scale": 3.0}, {}),
    "RandomNormalLike": (1, {}, {"x": X}),
    "Bernoulli": (15, {}, {"x": X}),
    "Dropout": (13, {}, {"x": X, "ratio": np.array(0.3, np.float32), "training": np.array(True)}),
}


@pytest.mark.parametrize("seed", [0, 7, 2**24])
@pytest.mark.parametrize("op", CASES)
def test_a_seed_attribute_gives_the_reference_s_numbers(op: str, seed: int) -> None:
    """To two roundings: it rounds to float32 before it scales, we after."""
    since, attributes, inputs = CASES[op]
    typed = attributes | {"seed": seed if op == "Dropout" else float(seed)}
    made = onnx.helper.make_node(op, list(inputs), ["y"], **typed)
    (expected,) = ReferenceEvaluator(made, opsets={"": since}).run(None, inputs)
    kernels.set_seed(3)
    found = kernels.find("", op, since)
    assert found is not None
    np.testing.assert_allclose(found.run(*inputs.values(), **typed)[0], expected, rtol=2.5e-7, atol=2.5e-7)
