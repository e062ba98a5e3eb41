"""An artifact set in a folder, opened for one of the choices of layers that it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pagetrain import Personalizer, manifest, names, plain_json
from pagetrain.errors import FormatError

LAST_LAYER = "last-layer"


def personalizer(folder: Path, layers: str, seed: int) -> Personalizer:
    """A job that trains those layers: the ones that the folder's manifest describes, or others that it names, such as "last-block".

    Raises: OSError, FormatError for a damaged file, or for layers that are not there.
    """
    if layers == LAST_LAYER:
        return Personalizer.load(folder, seed=seed)
    text = (folder / names.MANIFEST_FILE).read_bytes()
    described = manifest.parse(text).files
    if layers not in described:
        raise FormatError(f"{folder} has no artifacts for the layers {layers!r:.60}; make them with zoo --layers.")
    pieces = _pieces(plain_json.loads(text), layers, (folder / described[layers].path).read_bytes())
    job = Personalizer(pieces["manifest"], pieces, seed=seed)
    if not job.feed_parameters((folder / described["parameters"].path).read_bytes()):
        raise FormatError(f"{folder}: parameters.bin is cut off.")
    return job


def _pieces(root: Any, layers: str, content: bytes) -> dict[str, bytes]:
    """The files that lie in that one, by key."""
    try:
        places = root["layers"][layers].items()
        return {key: content[place["offset"] : place["offset"] + place["bytes"]] for key, place in places}
    except (KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"manifest.json: layers.{layers} does not say where its files lie ({error}).") from error
