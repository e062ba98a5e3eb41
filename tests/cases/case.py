"""One op case: inputs, attributes, version. The table of cases feeds the replay, the oracles, the gradient checks and the coverage test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MS = "com.microsoft"


@dataclass(frozen=True)
class Case:
    """`op_type` at schema version `since`. `inputs` in the schema's order, None for one left out; `outputs`: how many are compared.

    oracle: "both" compares onnx's reference and onnxruntime, "onnx" or "onnxruntime" one of them, "none" neither (the kernel's own test
    says what it is held to). `reason` says why it is not both, and why the tolerance is what it is where it is not the default.
    The default rtol allows for float32 sums in another order than the oracle's.
    """

    name: str
    op_type: str
    since: int
    inputs: Sequence[np.ndarray | None] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""
    outputs: int = 1
    oracle: str = "both"
    reason: str = ""
    rtol: float = 1e-5
    atol: float = 1e-6

    @property
    def id(self) -> str:
        return f"{self.op_type}-{self.since}-{self.name}"


def floats(*shape: int, seed: int = 0, low: float = -2, high: float = 2) -> np.ndarray:
    """Float32 numbers in [low, high), the same on every platform (no transcendental function takes part)."""
    return np.asarray(np.random.default_rng([seed, *shape]).random(shape) * (high - low) + low, np.float32)


def integers(*shape: int, low: int, high: int, seed: int = 0, dtype: type = np.int64) -> np.ndarray:
    """Integers in [low, high)."""
    return np.random.default_rng([seed, *shape]).integers(low, high, shape).astype(dtype)


def int64(*values: int) -> np.ndarray:
    """A 1-D tensor, as axes and shapes are."""
    return np.array(values, np.int64)


def scalar(value: float, dtype: type = np.float32) -> np.ndarray:
    """A 0-d tensor."""
    return np.array(value, dtype)
