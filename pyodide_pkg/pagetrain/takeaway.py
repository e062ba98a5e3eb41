"""What goes along with weights that leave: metadata of exported models, properties of checkpoints, and the check when one comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from . import names, plain_json
from .album import clean_labels
from .api import CheckpointState
from .api.optimizer_state import OptimizerState
from .errors import FormatError, InvalidInputError
from .finite import is_finite
from .manifest import Manifest

METADATA_VERSION = "1"
MAX_STEP = 2**53  # what a JavaScript number counts


def metadata_of(manifest: Manifest, labels: Sequence[str], none_below: float | None) -> dict[str, str]:
    """metadata_props of an exported model; a checkpoint has the same as properties. none_below: left out where it is None."""
    threshold = {} if none_below is None else {names.METADATA_NONE_BELOW: repr(none_below)}
    return {
        names.METADATA_VERSION: METADATA_VERSION,
        names.METADATA_LABELS: json.dumps(list(labels), ensure_ascii=False),
        names.METADATA_PREPROCESSING: json.dumps(manifest.preprocessing),
        names.METADATA_FINGERPRINT: manifest.fingerprint,
        names.METADATA_BASE: manifest.name,
        names.METADATA_LICENSE: manifest.license,
        **threshold,
    }


def checked_none_below(value: object) -> float | None:
    """A probability, or None. Raises InvalidInputError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInputError(f"none_below is {value!r:.60}, expected a probability from 0 to 1, or None for no threshold.")
    return float(value)


def none_below_of(saved: CheckpointState) -> float | None:
    """The threshold in a checkpoint's properties. Raises FormatError for one that is no probability."""
    text = dict(saved.properties).get(names.METADATA_NONE_BELOW)
    try:
        return None if text is None else checked_none_below(float(text))
    except (ValueError, InvalidInputError) as error:
        raise FormatError(f"The checkpoint's {names.METADATA_NONE_BELOW} is {text!r:.60}, expected a probability from 0 to 1.") from error


def check_saved(manifest: Manifest, saved: CheckpointState, wanted: str | None = None) -> list[str]:
    """The class names of a checkpoint that fits the artifacts. wanted: names.DELTA for one that holds differences.

    Raises: FormatError for one of other artifacts, without readable names, with a parameter missing, of another shape or not finite, or
    with moments that the optimizer did not make.
    """
    properties = dict(saved.properties)
    if (kind := properties.get(names.METADATA_KIND)) != wanted:
        raise FormatError(f"This is a {kind or 'checkpoint'}, where a {wanted or 'checkpoint'} is expected; load it as what it is.")
    if properties.get(names.METADATA_FINGERPRINT) != manifest.fingerprint:
        raise FormatError(
            f"The {wanted or 'checkpoint'} was not made with {manifest.name} as it is here: {_difference(manifest, properties)}."
        )
    try:
        labels = clean_labels(plain_json.loads(str(properties.get(names.METADATA_LABELS))))
    except (ValueError, TypeError) as error:
        raise FormatError(f"The checkpoint's class names cannot be read ({error}).") from error
    if manifest.num_classes not in (None, len(labels)):
        raise FormatError(f"The checkpoint has {len(labels)} classes, these artifacts have {manifest.num_classes}.")
    sizes = {one.name: tuple(len(labels) if size == names.NUM_CLASSES else size for size in one.shape) for one in manifest.trainable}
    if saved.frozen_names:
        sizes.update((one.name, one.shape) for one in manifest.parameters if one.name not in sizes)
    for name, shape in sizes.items():
        if name not in saved.parameters or saved.parameters[name].is_nominal or saved.parameters[name].data.shape != shape:
            raise FormatError(f"The checkpoint's parameter {name!r} is missing or not of shape {shape}.")
        if not _is_sound(saved.parameters[name].data):
            raise FormatError(f"The checkpoint's parameter {name!r} is not all finite float32 numbers.")
    _check_optimizer(saved.optimizer, [one.name for one in manifest.trainable])
    return labels


def _difference(manifest: Manifest, properties: Mapping[str, object]) -> str:
    """What its base model has that is not as here."""
    if (base := properties.get(names.METADATA_BASE)) != manifest.name:
        return f"its base model is {base!r:.60}"
    if properties.get(names.METADATA_PREPROCESSING) != json.dumps(manifest.preprocessing):
        return "it prepares pictures in another way"
    return "other weights, or other layers that are trained, so load it with the artifacts it was made with"


def _check_optimizer(optimizer: OptimizerState, trainable: Sequence[str]) -> None:
    """Either no moments, or those of every trainable parameter; the second is a mean of squares."""
    if optimizer.step > MAX_STEP:
        raise FormatError(f"The checkpoint claims {optimizer.step} optimizer steps, more than any training makes.")
    for name in trainable if optimizer.momentums else ():
        moments = optimizer.momentums.get(name, {})
        whole = moments.keys() == set(names.MOMENTUM_NAMES) and all(map(_is_sound, moments.values()))
        if not whole or moments[names.MOMENTUM_NAMES[1]].min(initial=0) < 0:
            raise FormatError(f"The checkpoint's moments of {name!r} are not those of AdamW; load a checkpoint that this trainer saved.")


def _is_sound(array: np.ndarray) -> bool:
    return array.dtype == np.float32 and is_finite(array)
