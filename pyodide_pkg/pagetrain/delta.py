"""A delta: what a training has added to the trainable parameters, as a small file that others apply to the same base model.

An ORT checkpoint of the trainable parameters, each minus what it began as, with the properties of any checkpoint of ours and one that says
that these are differences. A head begins from nothing: its difference is itself. Applied, sums round: they may be half a unit in the last
place of the larger one away from the parameter.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from . import names
from .api import CheckpointState
from .errors import FormatError
from .finite import is_finite
from .manifest import Manifest
from .ortformat import checkpoint as codec
from .ortformat.checkpoint import CheckpointData
from .takeaway import check_saved

Starts = Mapping[str, np.ndarray]  # of those parameters that came with values


def delta_of(state: CheckpointState, starts: Starts, properties: Mapping[str, str]) -> bytes:
    """The file. properties: metadata_of the job."""
    differences = {name: state.parameters[name].data - starts.get(name, np.float32(0)) for name in state.trainable_names}
    return codec.dump_state(CheckpointData(differences, {}, False, {}, {**properties, names.METADATA_KIND: names.DELTA}))


def sums_of(manifest: Manifest, saved: CheckpointState, starts: Starts) -> tuple[list[str], dict[str, np.ndarray]]:
    """Class names and parameters that a delta makes. Raises FormatError: of another base model, damaged, or not finite when added."""
    labels = check_saved(manifest, saved, names.DELTA)
    with np.errstate(over="ignore"):
        sums = {one.name: saved.parameters[one.name].data + starts.get(one.name, np.float32(0)) for one in manifest.trainable}
    if not all(map(is_finite, sums.values())):
        raise FormatError("The delta makes parameters that are not finite; take another copy.")
    return labels, sums
