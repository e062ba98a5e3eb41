"""Do the files of an artifact set go together? What Personalizer asks before it takes them."""

from __future__ import annotations

import hashlib

from .api import CheckpointState
from .errors import FormatError
from .graph import Graph, Shape, TensorType
from .manifest import Manifest


def check_file(description: Manifest, key: str, data: bytes | None) -> None:
    """The file is there, and is the one that the manifest announces. Raises FormatError."""
    entry = description.files[key]
    if data is None:
        raise FormatError(f"{key}: the file {entry.path} is missing.")
    if len(data) != entry.bytes or hashlib.sha256(data).hexdigest() != entry.sha256:
        raise FormatError(
            f"{key}: {entry.path} is not what the manifest announces ({len(data)} of {entry.bytes} bytes, or damaged); load it again."
        )


def check_names(description: Manifest, state: CheckpointState) -> None:
    """The nominal checkpoint and the manifest speak of the same parameters. Raises FormatError."""
    said = {one.name for one in description.trainable}
    if set(state.trainable_names) != said:
        raise FormatError(f"nominal_checkpoint: trainable parameters {sorted(state.trainable_names)}, the manifest says {sorted(said)}.")
    stored = {one.name for one in description.parameters}
    needed = {*state.frozen_names, *(one.name for one in description.trainable if one.init == "stored")}
    if stored != needed:
        raise FormatError(f"manifest.json: parameters and nominal_checkpoint differ in {sorted(stored ^ needed)[:5]}.")


def check_shapes(description: Manifest, training_graph: Graph) -> None:
    """The training graph declares the parameters and the labels as the manifest does. Raises FormatError."""
    declared = {value.name: value.type.shape if isinstance(value.type, TensorType) else None for value in training_graph.inputs}
    said: dict[str, Shape] = {one.name: one.shape for one in description.parameters}
    said |= {one.name: one.shape for one in description.trainable}
    for name, shape in said.items():
        if declared.get(name) != shape:
            raise FormatError(f"manifest.json: {name!r} has shape {shape}, the training graph says {declared.get(name)}.")
    if description.labels_input not in declared:
        raise FormatError(f"manifest.json: the training graph has no input {description.labels_input!r} for labels.")
