"""ORT training checkpoints: bytes <-> CheckpointData. The writers' bytes are those of ORT 1.19."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

Property = int | float | str


@dataclass(frozen=True, slots=True)
class OptimizerGroup:
    """Optimizer state of a group. step: optimizer steps done. momentums: parameter -> {"momentum0": first moment, "momentum1": second}."""

    step: int
    initial_learning_rate: float
    momentums: Mapping[str, Mapping[str, np.ndarray]]


@dataclass(frozen=True, slots=True)
class CheckpointData:
    """What a checkpoint file holds. In a nominal one parameters are known by name and dtype only: their arrays have shape (0,)."""

    trainable: Mapping[str, np.ndarray]
    frozen: Mapping[str, np.ndarray]
    is_nominal: bool = False
    optimizer_groups: Mapping[str, OptimizerGroup] = field(default_factory=dict)
    properties: Mapping[str, Property] = field(default_factory=dict)


def load(data: bytes | bytearray | memoryview) -> CheckpointData:
    """The checkpoint in `data`; its arrays are read-only and may share its memory. Raises FormatError for anything else than a sound version 2 file."""
    raise NotImplementedError


def dump_offline(trainable: Mapping[str, np.ndarray], frozen: Mapping[str, np.ndarray], *, nominal: bool = False) -> bytes:
    """The file that generate_artifacts writes: parameters in the mappings' order (initializer order of the base model), nothing else.

    nominal: names and dtypes alone, no values.
    """
    raise NotImplementedError


def dump_state(checkpoint: CheckpointData) -> bytes:
    """The file that a CheckpointState saves: everything sorted by name."""
    raise NotImplementedError
