"""Project: a job as one file, for the page and for Python: classes, features, what was learnt and, if wanted, the photos.

docs/project.md describes the file. Nothing in it is run, unpickled or unpacked, and all of it is checked before it is used.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import pagetrain
from pagetrain import CheckpointState, Personalizer, manifest, names, plain_json
from pagetrain.errors import FormatError, InvalidInputError
from pagetrain.finite import is_finite
from pagetrain.picture import key_of

from . import artifact_folder, members
from .artifact_folder import LAST_LAYER
from .members import PHOTO, ProjectZip, Source
from .npy import matrix_in, npy_of

FORMAT, VERSION = "pagetrain-project", 1
DESCRIPTION, FEATURES, CHECKPOINT, JUDGED = "project.json", "features.npy", "checkpoint", "judged.npy"
_KEY, _HASH = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{16}")
_MOST_NAME = 1000


@dataclass(frozen=True, slots=True)
class ProjectPicture:
    """A picture of a project: a place in a class. key: see Personalizer.keys; name: of its file.

    label None: in no class yet; it has a photo and no features then. row: of its features in Project.features. confirmed: a person said
    that it lies where it belongs. photo(): the file's bytes; it raises FormatError if they are not those of the key.
    """

    key: str
    name: str
    label: str | None
    row: int | None
    hash: str = ""
    group: str = ""
    confirmed: bool = False
    photo: Callable[[], bytes] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """What a .pagetrain file holds. features: (rows, width) float32, a row per picture content; checkpoint: None where nothing was learnt.

    base_name, fingerprint: of the artifacts it was made with; layers: "last-layer", or which of their further layers were trained.
    settings: options of `fit` that were chosen. training: what the last training told, as the page wrote it, with judged, float32
    (pictures, classes), the probabilities that heads gave to pictures they had not seen.
    """

    name: str
    base_name: str
    fingerprint: str
    layers: str
    labels: tuple[str, ...]
    pictures: tuple[ProjectPicture, ...]
    features: np.ndarray
    checkpoint: bytes | None = None
    none_below: float | None = None
    none_below_chosen: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] | None = None
    judged: np.ndarray | None = None

    @classmethod
    def read(cls, source: Source) -> Project:
        """The project in a file: its path, or its bytes. Photos are read when asked for.

        Raises: FormatError for what is no project file, damaged, or of a newer version.
        """
        return _Reader(ProjectZip(source)).project()

    @classmethod
    def of(
        cls, job: Personalizer, *, name: str = "", photos: Iterable[str | os.PathLike[str]] = (), before: Project | None = None
    ) -> Project:
        """The present state of a job. photos: files of added pictures, to be put in; others are passed over. before: the project that the
        job was opened from; names, photos, settings and the account of the training are taken over from it as far as they still hold.
        """
        known = {picture.key: picture for picture in before.pictures} if before else {}
        found = {key_of(path.read_bytes()): path for path in map(Path, photos)}
        keys = list(dict.fromkeys(key for label in job.labels for key in job.keys(label)))
        rows = {key: row for row, key in enumerate(keys)}
        pictures = [_placed(job, key, label, rows[key], found.get(key), known.get(key)) for label in job.labels for key in job.keys(label)]
        unsorted = [picture for picture in known.values() if picture.label is None and picture.key not in rows]
        told = before.training if before and _has_learnt_no_more(job, before) else None
        base = before or cls("", job.manifest.name, job.manifest.fingerprint, LAST_LAYER, (), (), np.empty((0, 0), np.float32))
        return cls(
            name=name or base.name,
            base_name=base.base_name,
            fingerprint=base.fingerprint,
            layers=base.layers,
            labels=tuple(job.labels),
            pictures=(*pictures, *unsorted),
            features=np.stack([job.features(key) for key in keys]) if keys else np.empty((0, job.feature_bytes // 4), np.float32),
            checkpoint=job.save_checkpoint() if job.is_trained else None,
            none_below=job.none_below,
            none_below_chosen=base.none_below_chosen or job.none_below != base.none_below,
            settings=base.settings,
            training=told,
            judged=before.judged if before and told else None,
        )

    def job(self, artifacts: str | os.PathLike[str], *, seed: int = 0) -> Personalizer:
        """A Personalizer on the artifacts in a folder with all that the project holds: it answers as the one that was saved.

        Raises: OSError where there is no artifact set; FormatError if it has another base model, or if the parts of the project do not fit
        together.
        """
        folder = Path(artifacts)
        base = manifest.parse((folder / names.MANIFEST_FILE).read_bytes())
        if (base.name, base.fingerprint) != (self.base_name, self.fingerprint):
            raise FormatError(
                f"The project was made with {self.base_name!r} ({self.fingerprint}), {artifacts} holds {base.name!r} ({base.fingerprint}); "
                "open it with the artifacts it was made with."
            )
        made = artifact_folder.personalizer(folder, self.layers, seed)
        try:
            made.set_classes(self.labels)
            if self.checkpoint is not None:
                made.load_checkpoint(self.checkpoint)
            if tuple(made.labels) != self.labels:
                raise FormatError(
                    f"The project's checkpoint is of other classes: {made.labels!r:.200}, expected {list(self.labels)!r:.200}."
                )
            for picture in self.pictures:
                if picture.label is not None and picture.row is not None:
                    made.restore(picture.key, picture.label, self.features[picture.row], picture.hash, picture.group)
            made.none_below = self.none_below
        except InvalidInputError as error:
            raise FormatError(f"The project does not fit together: {error}") from error
        return made

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, photos one by one; what fails leaves the file from before.

        Raises: OSError; InvalidInputError for a picture without hash or more than a project file holds; FormatError, see photo.
        """
        photos: dict[str, Callable[[], bytes]] = {}
        files: dict[str, str] = {}
        for picture in self.pictures:
            if picture.photo and picture.key not in files:
                files[picture.key] = _member_of(picture.name, len(files))
                photos[files[picture.key]] = picture.photo
        described = json.dumps(self._described(files), ensure_ascii=False, indent=1, allow_nan=False).encode()
        if len(described) > plain_json.MAX_CHARACTERS:
            raise InvalidInputError(f"{Path(path).name}: {len(self.pictures)} pictures are more than a project file holds.")
        content: dict[str, members.Content] = {DESCRIPTION: described}
        content |= {FEATURES: npy_of(self.features)} if len(self.features) else {}
        content |= {} if self.judged is None else {JUDGED: npy_of(self.judged)}
        content |= {} if self.checkpoint is None else {CHECKPOINT: self.checkpoint}
        members.write(path, {**content, **photos})

    def _described(self, files: Mapping[str, str]) -> dict[str, Any]:
        if lacking := [picture.key for picture in self.pictures if picture.label is not None and not _HASH.fullmatch(picture.hash)]:
            raise InvalidInputError(
                f"Picture {lacking[0]} has no perceptual hash, without which its copies are not found; restore it with one."
            )
        return {
            "format": FORMAT,
            "version": VERSION,
            "generator": f"pagetrain {pagetrain.__version__}",
            "name": self.name,
            "base": {"name": self.base_name, "fingerprint": self.fingerprint, "layers": self.layers},
            "labels": list(self.labels),
            "none_below": self.none_below,
            "none_below_chosen": self.none_below_chosen,
            "settings": dict(self.settings),
            "pictures": [
                {
                    "key": one.key,
                    "name": one.name,
                    "label": one.label,
                    "row": one.row,
                    "hash": one.hash,
                    "group": one.group,
                    "confirmed": one.confirmed,
                    "file": files.get(one.key),
                }
                for one in self.pictures
            ],
            "training": None if self.training is None else dict(self.training),
        }


def _placed(job: Personalizer, key: str, label: str, row: int, path: Path | None, known: ProjectPicture | None) -> ProjectPicture:
    looks, group = job.traits(key)
    photo = partial(_photo, path.read_bytes, key, path.name) if path else known.photo if known else None
    confirmed = known is not None and known.confirmed and known.label == label
    return ProjectPicture(key, path.name if path else known.name if known else "", label, row, looks, group, confirmed, photo)


def _photo(read: Callable[[], bytes], key: str, name: str) -> bytes:
    data = read()
    if key_of(data) != key:
        raise FormatError(f"{name!r:.100} is not the picture that was added (sha256 {key_of(data)}, expected {key}).")
    return data


def _member_of(name: str, number: int) -> str:
    ending = re.search(r"\.[A-Za-z0-9]{1,8}\Z", name)
    return f"photos/{number + 1:05}{ending[0].lower() if ending else ''}"


def _has_learnt_no_more(job: Personalizer, before: Project) -> bool:
    """Whether what was told of the training in `before` is still true of the job: no step more, the same classes and pictures."""
    if before.checkpoint is None or tuple(job.labels) != before.labels:
        return False
    places = {(key, label) for label in job.labels for key in job.keys(label)}
    same = places == {(picture.key, picture.label) for picture in before.pictures if picture.label is not None}
    return same and CheckpointState.load_checkpoint(before.checkpoint).optimizer.step == job.steps


class _Reader:
    """One pass over a project file."""

    def __init__(self, members: ProjectZip) -> None:
        self.members = members
        try:
            self.root = self.at(plain_json.loads(members.read(DESCRIPTION)), dict, DESCRIPTION)
        except ValueError as error:
            raise members.damaged(f"{DESCRIPTION} is not JSON ({error})") from error

    def at(self, value: Any, kind: Any, where: str) -> Any:
        """`value`, if it is of that kind. A bool is no number."""
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.members.damaged(f"{where} is {value!r:.60}")
        return value

    def text(
        self, holder: Mapping[str, Any], key: str, where: str, pattern: re.Pattern[str] | None = None, default: str | None = None
    ) -> str:
        value: str = self.at(holder.get(key, default), str, f"{where}.{key}")
        if len(value) > _MOST_NAME or (pattern and not pattern.fullmatch(value)):
            raise self.members.damaged(f"{where}.{key} is {value!r:.60}")
        return value

    def project(self) -> Project:
        root, members = self.root, self.members
        if root.get("format") != FORMAT:
            raise FormatError(f"{members.name} is another kind of file: format is {root.get('format')!r:.60}, expected {FORMAT!r}.")
        if self.at(root.get("version"), int, "version") != VERSION:
            raise FormatError(f"{members.name} is of version {root['version']}, this pagetrain reads {VERSION}; use a newer one.")
        base = self.at(root.get("base"), dict, "base")
        labels = tuple(self.at(label, str, "labels") for label in self.at(root.get("labels"), list, "labels"))
        if len(set(labels)) < len(labels):
            raise members.damaged("two classes have one name")
        features = self.matrix(FEATURES) if FEATURES in members else np.empty((0, 0), np.float32)
        training = root.get("training") and self.at(root["training"], dict, "training")
        return Project(
            name=self.text(root, "name", "project"),
            base_name=self.text(base, "name", "base"),
            fingerprint=self.text(base, "fingerprint", "base"),
            layers=self.text(base, "layers", "base"),
            labels=labels,
            pictures=self.pictures(labels, len(features)),
            features=features,
            checkpoint=members.read(CHECKPOINT) if CHECKPOINT in members else None,
            none_below=self.none_below(),
            none_below_chosen=self.at(root.get("none_below_chosen", False), bool, "none_below_chosen"),
            settings=self.at(root.get("settings", {}), dict, "settings"),
            training=training,
            judged=self.judged(training),
        )

    def none_below(self) -> float | None:
        value: float | None = self.root.get("none_below")
        if value is not None and not 0 <= self.at(value, int | float, "none_below") <= 1:
            raise self.members.damaged(f"none_below is {value!r:.60}")
        return value

    def matrix(self, name: str) -> np.ndarray:
        try:
            values = matrix_in(self.members.read(name))
        except ValueError as error:
            raise self.members.damaged(f"{name}: {error}") from error
        if not is_finite(values):
            raise self.members.damaged(f"{name} holds NaN or infinity")
        return values

    def judged(self, training: Mapping[str, Any] | None) -> np.ndarray | None:
        told = training.get("judged") if training else None
        if told is None:
            return None
        kinds = [len(self.at(self.at(told, dict, "judged").get(key), list, f"judged.{key}")) for key in ("pictures", "labels")]
        values = self.matrix(JUDGED)
        if list(values.shape) != kinds:
            raise self.members.damaged(f"{JUDGED} is {values.shape}, expected {tuple(kinds)}")
        return values

    def pictures(self, labels: tuple[str, ...], rows: int) -> tuple[ProjectPicture, ...]:
        listed = self.at(self.root.get("pictures"), list, "pictures")
        found = tuple(self.picture(self.at(one, dict, "pictures"), f"pictures[{index}]", labels, rows) for index, one in enumerate(listed))
        if len({(one.key, one.label) for one in found}) < len(found):
            raise self.members.damaged("a picture is twice in one class")
        placed = {(one.key, one.row) for one in found if one.row is not None}
        if len({key for key, _ in placed}) < len(placed):
            raise self.members.damaged("a picture has two rows of features")
        return found

    def picture(self, one: Mapping[str, Any], where: str, labels: tuple[str, ...], rows: int) -> ProjectPicture:
        label, row, file = one.get("label"), one.get("row"), one.get("file")
        if label is not None and (label not in labels or not 0 <= self.at(row, int, f"{where}.row") < rows):
            raise self.members.damaged(f"{where} is of class {label!r:.60}, row {row!r:.60}")
        key, name = self.text(one, "key", where, _KEY), self.text(one, "name", where, default="")
        if file is not None or label is None:
            self.members.size(self.text(one, "file", where, PHOTO))
        return ProjectPicture(
            key=key,
            name=name,
            label=label,
            row=None if label is None else row,
            hash="" if label is None else self.text(one, "hash", where, _HASH),
            group=self.text(one, "group", where, default=""),
            confirmed=self.at(one.get("confirmed", False), bool, f"{where}.confirmed"),
            photo=partial(_photo, partial(self.members.read, file), key, name) if file else None,
        )
