"""A model that was exported, opened again from its bytes alone: what it answers, and the receipt that may be put behind it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from . import export, names, onnxformat, picture, plain_json, preprocess
from .api import InferenceSession
from .errors import FormatError
from .picture import Pixels
from .takeaway import checked_none_below


class ExportedModel:
    """What Personalizer.export or the page made, as an app that has nothing else would use it.

    data: the whole file. Raises FormatError for a damaged one and for a model that does not say labels and preprocessing.
    """

    def __init__(self, data: bytes | bytearray | memoryview) -> None:
        self._data = data
        self._session = InferenceSession(data)
        about = self._session.get_modelmeta().custom_metadata_map
        inputs = self._session.get_inputs()
        if len(inputs) != 1 or names.METADATA_LABELS not in about or names.METADATA_PREPROCESSING not in about:
            raise FormatError("The model does not say labels and preprocessing; open one that pagetrain exported.")
        self.labels: list[str] = plain_json.loads(about[names.METADATA_LABELS])
        self.none_below = checked_none_below(float(about[names.METADATA_NONE_BELOW]) if names.METADATA_NONE_BELOW in about else None)
        self.preprocessing = about[names.METADATA_PREPROCESSING]
        self._steps = preprocess.steps_of(plain_json.loads(self.preprocessing))
        self.input = inputs[0].name
        self.picture_input = inputs[0].type == "tensor(uint8)"

    def probabilities(self, data: bytes, pixels: Pixels | None = None) -> dict[str, float]:
        """By label, of a picture's file. pixels: as Personalizer.add takes them. Raises PictureError."""
        image = picture.decode(data, pixels)
        prepared: np.ndarray = (preprocess.upright if self.picture_input else preprocess.apply)(self._steps, image)
        [[row]] = self._session.run([names.PROBABILITIES], {self.input: prepared})
        return dict(zip(self.labels, map(float, row), strict=True))

    def receipt(self, facts: Mapping[str, object]) -> tuple[bytes, str]:
        """(bytes to put behind the file, sha256 of the whole then): metadata `pagetrain.receipt`, facts as JSON.

        To them come `bytes` and `sha256` of what was opened: who cuts the file there can check that it is that. Raises FormatError if the
        file with its receipt does not say what it said before, and the receipt.
        """
        digest = hashlib.sha256(self._data)
        text = json.dumps({**facts, "bytes": len(self._data), "sha256": digest.hexdigest()})
        entry = export.metadata({names.METADATA_RECEIPT: text})
        digest.update(entry)
        before = self._session.get_modelmeta().custom_metadata_map
        if onnxformat.load(b"".join((self._data, entry))).metadata != {**before, names.METADATA_RECEIPT: text}:
            raise FormatError("The file does not read as it should with its receipt; export it again.")
        return entry, digest.hexdigest()
