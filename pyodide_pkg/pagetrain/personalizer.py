"""Personalizer: the whole job on one artifact set. Classes, pictures, training, answers, the model to take away.

In a notebook or a script:

    from pathlib import Path
    from pagetrain import Personalizer

    job = Personalizer.load("artifacts/efficientnet-lite0", seed=0)
    job.set_classes(["cat", "dog"])
    for path in Path("photos").glob("*/*.jpg"):
        job.add(path.read_bytes(), path.parent.name)
    for progress in job.fit():
        print(progress.epoch, progress.loss, progress.validation_accuracy)
    print(job.predict(Path("who.jpg").read_bytes())[0])
    Path("cat-or-dog.onnx").write_bytes(job.export())
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Unpack

import numpy as np

from . import artifact_check, delta, export, head, manifest, names, picture, preprocess
from .album import clean_labels
from .api import CheckpointState, Module, Optimizer
from .api.properties import Properties
from .augmentation import Augmentation, Makers
from .errors import FormatError, InvalidInputError, NotLoadedError, StateError
from .export import FileSlice, Part
from .features import FeatureLayout, Seen, checked_row
from .fit_settings import FitOptions
from .fitting import Fitting
from .gallery import Added, Gallery, Placed, Similar
from .metrics import Metrics, metrics_of, softmax
from .ortformat import model as ort_model
from .parameter_file import ParameterFile
from .perceptual_hash import checked_hash, perceptual_hash
from .picture import Pixels, Source, key_of
from .progress import EpochProgress, Progress
from .takeaway import check_saved, checked_none_below, metadata_of, none_below_of
from .trainings import Trainings

_GRAPHS = ("training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model")


@dataclass(frozen=True, slots=True)
class Prediction:
    """One class and its probability; those of all classes sum to 1."""

    label: str
    probability: float


class Personalizer:
    """A classifier of a person's own classes on the frozen part of a ready-made network.

    Pictures are run through the frozen part once, when added; only their features are kept (`feature_bytes` each). Same artifacts, seed and
    pictures: same weights, whatever the order in which the pictures came.
    """

    def __init__(self, description: manifest.Manifest | str | bytes, files: Mapping[str, bytes], *, seed: int = 0) -> None:
        """description: manifest.json. files: its files by key, all but `parameters`, which feed_parameters takes.

        Raises: FormatError for a missing or damaged file, UnsupportedOpError for a graph that cannot be run.
        """
        self.manifest = description if isinstance(description, manifest.Manifest) else manifest.parse(description)
        self.seed = seed
        for key in _GRAPHS:
            artifact_check.check_file(self.manifest, key, files.get(key))
        self._skeleton = bytes(files["inference_model"])
        self._models = ort_model.load(files["training_model"]), ort_model.load(files["eval_model"])
        self._state = CheckpointState.load_checkpoint(files["nominal_checkpoint"])
        artifact_check.check_names(self.manifest, self._state)
        artifact_check.check_shapes(self.manifest, self._models[0].graph)
        self._module = Module(self._models[0], self._state, self._models[1], data_inputs=[self.manifest.input])
        self._optimizer = Optimizer(files["optimizer_model"], self._module)
        self._layout = FeatureLayout.of(self._models[0].graph, self._module.cut or (self.manifest.input,))
        self._trainings = Trainings(self.manifest, files, self._models, self._module, self._optimizer, self._layout)
        self._gallery = Gallery(self._layout.width)
        self.augmentation = Augmentation(self._gallery.features, Makers(key_of, self.pixels, self.embed))
        self._generator = cache(lambda: np.random.default_rng(seed))  # numpy.random takes long to load in a page
        self._none_below: float | None = None
        self._changes = 0  # of classes and taken out pictures: a run that began before cannot go on
        self._parameter_file: ParameterFile | None = ParameterFile(self.manifest)
        if self.manifest.num_classes is not None:
            self.set_classes(self.manifest.labels or [f"class {index + 1}" for index in range(self.manifest.num_classes)])

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, seed: int = 0) -> Personalizer:
        """The artifact set in a folder, parameters included. Raises FormatError for a missing or damaged file."""
        root = Path(folder)
        try:
            description = manifest.parse((root / names.MANIFEST_FILE).read_bytes())
            files = {key: (root / entry.path).read_bytes() for key, entry in description.files.items() if key in manifest.REQUIRED_FILES}
        except OSError as error:
            raise FormatError(
                f"{error.filename}: {error.strerror}; expected a folder that artifacts_tool wrote (generate: with --preprocessing)."
            ) from error
        job = cls(description, files, seed=seed)
        if not job.feed_parameters(files["parameters"]):
            raise FormatError(f"parameters: {len(files['parameters'])} bytes, expected {description.parameter_bytes}; the file is cut off.")
        return job

    def feed_parameters(self, chunk: bytes | bytearray | memoryview, *, checked: bool = False) -> bool:
        """Takes the next bytes of parameters.bin, in chunks of any size; True when the model is complete.

        Only what runs pictures through the frozen part needs them, or trains or saves what is in them: with features that were made
        elsewhere, see restore and answer, the last layer is trained without. Parameters that have values by then keep them.
        checked: the file's hash was compared before; if that is said of every chunk, it is not computed here.
        Raises: FormatError for too many bytes or a wrong hash, StateError when the model was complete before.
        """
        if self._parameter_file is None:
            raise StateError("The parameters are complete; no more bytes are expected.")
        if not self._parameter_file.feed(chunk, checked=checked):
            return False
        for name, values in self._parameter_file.arrays():
            self._trainings.note_start(name, values)
            if self._state.parameters[name].is_nominal:
                self._state.replace_parameter(name, values)
        self._parameter_file = None
        return True

    @property
    def parameter_bytes_received(self) -> int:
        """How much of parameters.bin has come in."""
        return self.manifest.parameter_bytes if self._parameter_file is None else self._parameter_file.received

    @property
    def feature_bytes(self) -> int:
        """Bytes kept per picture."""
        return 4 * self._layout.width

    @property
    def labels(self) -> list[str]:
        """Class names, in the order of the logits."""
        return self._gallery.album.labels

    @property
    def is_trained(self) -> bool:
        """Whether the present classes have learnt anything."""
        return self.steps > 0

    @property
    def steps(self) -> int:
        """Optimizer steps that the present classes have learnt in."""
        return self._state.optimizer.step

    @property
    def none_below(self) -> float | None:
        """The probability below which the best answer means "none of these"; None for no threshold. predict does not look at it.

        It leaves with the model, as metadata, and with checkpoints. Setting it raises InvalidInputError for what is no probability.
        """
        return self._none_below

    @none_below.setter
    def none_below(self, probability: float | None) -> None:
        self._none_below = checked_none_below(probability)

    # Classes

    def set_classes(self, labels: Iterable[str]) -> None:
        """These classes, in this order. Those with a name from before keep pictures and what they have learnt; others start empty.

        Raises: InvalidInputError unless names are 1 to 100 characters and differ; StateError for another number than the artifacts are
        made for.
        """
        new, old = clean_labels(labels), self.labels
        if self.manifest.num_classes not in (None, len(new)):
            raise StateError(f"These artifacts are made for exactly {self.manifest.num_classes} classes, got {len(new)}.")
        kept = [old.index(label) if label in old else None for label in new]
        if self.manifest.num_classes is not None and any(row not in (None, index) for index, row in enumerate(kept)):
            raise StateError("These artifacts have a fixed head: their classes can be renamed, but not put in another order.")
        self._changes += 1
        self._set_rows(kept)
        self._gallery.set_labels(new)

    def add_class(self, label: str) -> None:
        """One more class, last in order. Raises as set_classes."""
        self.set_classes([*self.labels, label])

    def remove_class(self, label: str) -> None:
        """The class goes with its pictures; the others keep what they have learnt. Raises InvalidInputError for an unknown one."""
        self._gallery.album.check(label)
        self.set_classes(other for other in self.labels if other != label)

    def rename_class(self, old: str, new: str) -> None:
        """Another name; place, pictures and learnt weights stay. Raises InvalidInputError for an unknown or taken name."""
        self._gallery.album.rename(old, new)

    def _set_rows(self, kept: Sequence[int | None]) -> None:
        for one in self.manifest.trainable:
            head.set_rows(self._state, one, kept, self._generator)
        if all(row is None for row in kept) and self.manifest.num_classes is None:
            self._state.optimizer.step = 0

    # Pictures

    def add(self, data: Source, label: str, pixels: Pixels | None = None, group: str = "") -> Added:
        """Puts a picture into a class. data: the file's bytes, or pixels without a file, see `pixels`; pixels: those of a file that was
        decoded elsewhere (see picture.decode). group: a name that pictures share which were taken in one go, such as frames of a film; they
        are held out together, as near-duplicates are.

        The same picture is computed once, also in several classes. Raises: PictureError, InvalidInputError for an unknown class,
        StateError before the parameters are complete.
        """
        self._gallery.album.check(label)
        key = key_of(data)
        return self._gallery.put(key, label, self._seen(key, data, pixels), group)

    def restore(self, key: str, label: str, features: np.ndarray | bytes | memoryview, looks: str = "", group: str = "") -> Added:
        """Puts a picture back from its key and features (float32), without the file. looks: its perceptual_hash; "": near to no other.
        group: as for add. Raises InvalidInputError.
        """
        return self._gallery.put(key, label, self._given(features, looks), group)

    def remove(self, key: str, label: str) -> None:
        """Takes a picture out of a class. Raises InvalidInputError if it is not there."""
        self._gallery.remove(key, label)
        self._changes += 1

    def move(self, key: str, old: str, new: str) -> None:
        """Takes a picture out of `old` and puts it into `new`. Raises InvalidInputError if it is not there or a class is unknown."""
        if not self._gallery.album.has(key, old):
            raise InvalidInputError(f"Class {old!r} has no picture {key}.")
        if old != new:
            self._gallery.put(key, new, None)
            self.remove(key, old)

    def keys(self, label: str) -> list[str]:
        """Keys of the pictures of a class. Raises InvalidInputError for an unknown one."""
        return self._gallery.album.keys(label)

    def traits(self, key: str) -> tuple[str, str]:
        """perceptual_hash and group of a picture that stands in a class, "" for none. Raises InvalidInputError for others."""
        return self._gallery.traits(key)

    def near_duplicates(self) -> list[list[Placed]]:
        """Groups of two or more places, whatever the class, whose pictures are the same or nearly: see near_duplicates.py.

        On such a group no head is measured that has learnt from a part of it.
        """
        return self._gallery.near_duplicates()

    def similar(self, source: Source | str | np.ndarray, count: int = 3) -> list[Similar]:
        """The `count` added pictures whose features are nearest by cosine, best first. source: as `features` takes it, or features.

        An added picture is the nearest to itself. Raises: as features; InvalidInputError for a count below 1.
        """
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InvalidInputError(f"similar: count is {count!r:.60}, expected a whole number from 1 on.")
        row = checked_row(source, self._layout.width) if isinstance(source, np.ndarray) else self.features(source)
        return self._gallery.similar(row, count)

    def features(self, source: Source | str, pixels: Pixels | None = None) -> np.ndarray:
        """What the frozen part makes of a picture: float32, a copy. source: the key of an added picture, or what add takes.

        Raises: InvalidInputError for an unknown key; as add for a picture.
        """
        return (self._gallery.row(source) if isinstance(source, str) else self._row_of(source, pixels)).copy()

    def known(self, key: str) -> Seen | None:
        """Features and perceptual_hash of a picture that was added, or asked about not long ago; None for others."""
        return self._gallery.known(key)

    def pixels(self, data: Source, pixels: Pixels | None = None) -> np.ndarray:
        """What the model sees of a picture, before normalisation: uint8 (H, W, 3), upright and cropped. data, pixels: as add takes them.

        Pixels without a file that have the model's size are what the model sees; others are resized and cropped as files are. Raises
        PictureError.
        """
        if not isinstance(data, Pixels):
            return preprocess.pixels(self.manifest.steps, picture.decode(data, pixels))
        image = picture.of_pixels(data)
        is_whole = image.mode == "RGB" and image.size == preprocess.crop_of(self.manifest.steps)
        return np.asarray(image) if is_whole else preprocess.pixels(self.manifest.steps, image)

    def embed(self, seen: np.ndarray) -> np.ndarray:
        """Features of what `pixels` returned: float32. Raises StateError before the parameters are complete."""
        self._check_loaded(self._state.frozen_names)
        feeds = {self.manifest.input: preprocess.tensor(self.manifest.steps, seen)}
        return self._layout.pack(self._module.run_prefix(feeds) if self._module.cut else feeds)

    # Training

    def fit(self, **options: Unpack[FitOptions]) -> Generator[EpochProgress, None, None]:
        """Trains on from the present weights; yields after each epoch. Closing the generator stops and keeps the best weights so far.

        The head learns from all pictures. Beside it others learn from all but those that they judge, and the epoch in which they judge
        best, by `monitor`, is kept: with folds one head for each, with validation > 0 one for that share of each class with 4 pictures or
        more. Near-duplicates are judged together. With neither, the epoch with the lowest mean loss of its steps is kept. Default: up to 5
        folds for up to 300 pictures, else a fifth; with `validation`, no folds. Heads that judge begin anew, unless nothing has changed
        since the last run: they go on then, as the kept one always does. fitting().judged: what they said. The learning rate falls linearly
        to 0. batch_size: default 8 to 64 by the number of pictures. All options: fit_settings.FitSettings. Raises: StateError (also when
        classes are changed or pictures taken out before the end), InvalidInputError, TrainingDivergedError (weights from before are kept).
        """
        run = self.fitting(**options).run()
        return (progress for progress in _closing(run) if isinstance(progress, EpochProgress))

    def fitting(self, **options: Unpack[FitOptions]) -> Fitting:
        """The run that `fit` makes, to go through step by step: fitting.run() yields StepProgress too."""
        self._check_trainable()
        return self._trainings.start(self._gallery, self.augmentation, options, self.seed, lambda: self._changes)

    # Answers

    def predict(self, data: Source, pixels: Pixels | None = None) -> list[Prediction]:
        """All classes with their probabilities, most likely first. Raises PictureError, StateError before anything was learnt."""
        self._check_trained()
        return self._answers(self._row_of(data, pixels))

    def answer(self, key: str, features: np.ndarray | bytes | memoryview, looks: str = "") -> list[Prediction]:
        """As predict, for a picture whose features were made elsewhere; they are kept for the next questions about it."""
        self._check_trained()
        seen = self._given(features, looks)
        self._gallery.note(key, seen)
        return self._answers(seen.row)

    def _answers(self, row: np.ndarray) -> list[Prediction]:
        probabilities = softmax(self._logits(row[np.newaxis]))[0]
        order = sorted(range(len(probabilities)), key=lambda index: -probabilities[index])
        return [Prediction(self.labels[index], float(probabilities[index])) for index in order]

    def evaluate(self, items: Iterable[tuple[Source | str, str] | tuple[Source | str, str, Pixels | None]]) -> Metrics:
        """How well pictures are answered. items: (what add takes or an added picture's key, label[, pixels]), taken one at a time.

        Raises: as predict, and InvalidInputError for an unknown class or key.
        """
        self._check_trained()
        labels, truth, answers = self.labels, [], []
        for item in items:
            source, label, pixels = item if len(item) == 3 else (*item, None)
            self._gallery.album.check(label)
            row = self.features(source, pixels)
            truth.append(labels.index(label))
            answers.append(int(self._logits(row[np.newaxis])[0].argmax()))
        return metrics_of(labels, truth, answers)

    def _row_of(self, data: Source, pixels: Pixels | None) -> np.ndarray:
        key = key_of(data)
        seen = self._seen(key, data, pixels)
        self._gallery.note(key, seen)
        return seen.row

    def _seen(self, key: str, data: Source, pixels: Pixels | None) -> Seen:
        """What is known of a picture, from before or made now."""
        known = self._gallery.known(key)
        if known is not None:
            return known
        self._check_loaded(self._state.frozen_names)
        seen = self.pixels(data, pixels)
        return Seen(self.embed(seen), perceptual_hash(seen))

    def _given(self, features: np.ndarray | bytes | memoryview, looks: str) -> Seen:
        return Seen(checked_row(floats_of(features), self._layout.width), checked_hash(looks))

    def _logits(self, rows: np.ndarray) -> np.ndarray:
        return self._module.eval_step(self._layout.unpack(rows), [self.manifest.logits])[self.manifest.logits]

    # Files to take away

    def export_parts(self, *, picture_input: bool = False) -> Iterator[Part]:
        """The inference model in pieces to put one behind another. Extra memory: one piece, 256 KB; ask for all before training on.

        FileSlice pieces are byte ranges of the artifact files "inference_model" (the whole skeleton) and "parameters"; see
        export.model_parts. picture_input: as for export. Raises: StateError before anything was learnt.
        """
        self._check_trained()
        self._check_loaded(one.name for one in self.manifest.parameters if one.stored == "int8")  # the others' values stay in the file
        skeleton = self._skeleton_of_pictures() if picture_input else FileSlice("inference_model", 0, len(self._skeleton))
        return export.model_parts(self.manifest, skeleton, self._values, self._metadata)

    def export(self, *, picture_input: bool = False) -> bytes:
        """The inference model as one ONNX file: metadata says labels and preprocessing; outputs logits and probabilities.

        picture_input: it takes a picture as it is, uint8 [height, width, 3], RGB and upright, with resize, crop and normalisation inside;
        see picture_input.with_picture_input, also for what raises InvalidInputError.
        """
        self._check_trained()
        self._check_loaded(self._state.frozen_names)
        by_offset = {one.offset: one for one in self.manifest.parameters}
        parts = self.export_parts(picture_input=picture_input)
        return b"".join(part if isinstance(part, bytes) else self._bytes_of(part, by_offset) for part in parts)

    def _skeleton_of_pictures(self) -> bytes:
        from . import onnxformat  # wanted here alone
        from .picture_input import with_picture_input

        return onnxformat.dump(with_picture_input(onnxformat.load(self._skeleton), self.manifest.steps, self.manifest.input))

    def _bytes_of(self, part: FileSlice, by_offset: Mapping[int, manifest.Stored]) -> bytes:
        """What the file has there: a float16 number that was widened is the same number when narrowed."""
        if part.file == "inference_model":
            return self._skeleton
        one = by_offset[part.offset]
        return self._values(one.name).astype(one.stored).tobytes()

    @property
    def _metadata(self) -> dict[str, str]:
        return metadata_of(self.manifest, self.labels, self.none_below)

    def _values(self, name: str) -> np.ndarray:
        return self._state.parameters[name].data

    def save_checkpoint(self) -> bytes:
        """All parameters, moments and class names as an ORT checkpoint (ODTC); no pictures. Raises StateError before complete."""
        self._check_loaded(self._state.frozen_names)
        return self._to_bytes(trainable_only=False)

    def head_state(self) -> bytes:
        """The trainable parameters, moments and class names alone, as an ORT checkpoint; load_checkpoint takes it too."""
        self._check_loaded(self._state.trainable_names)
        return self._to_bytes(trainable_only=True)

    def load_checkpoint(self, data: bytes | bytearray | memoryview) -> None:
        """Takes classes, weights and moments from save_checkpoint or head_state. Classes with a name from before keep their pictures.

        Raises: FormatError if it is damaged, of other artifacts, or its shapes do not fit; nothing is changed then.
        """
        saved = CheckpointState.load_checkpoint(data)
        labels, none_below = check_saved(self.manifest, saved), none_below_of(saved)
        self.set_classes(labels)
        self._none_below = none_below
        for name in self._state.trainable_names:
            self._state.replace_parameter(name, saved.parameters[name].data, saved.optimizer.momentums.get(name))
        self._state.optimizer.step, self._state.optimizer.initial_lr = saved.optimizer.step, saved.optimizer.initial_lr
        if self._parameter_file is not None and saved.frozen_names:
            for name in self._state.frozen_names:
                self._state.replace_parameter(name, saved.parameters[name].data)
            self._parameter_file = None

    def save_delta(self) -> bytes:
        """What the trainable parameters have become minus what they began as, class names, and which base model it is of: see apply_delta.

        A small file without pictures or features, for somebody with the same base model. Raises StateError before anything was learnt.
        """
        self._check_trained()
        return delta.delta_of(self._state, self._known_starts(), self._metadata)

    def apply_delta(self, data: bytes | bytearray | memoryview) -> None:
        """Makes the trainable parameters what they were where save_delta was called; the optimizer begins anew. Pictures stay.

        Where there are no pictures, its classes are taken. Raises: FormatError if it is damaged, or of another base model, preparation of
        pictures, or other classes, and says which; nothing is changed then.
        """
        saved = CheckpointState.load_checkpoint(data)
        labels, sums = delta.sums_of(self.manifest, saved, self._known_starts())
        if self._gallery.album.count() and labels != self.labels:
            raise FormatError(
                f"The delta is of the classes {', '.join(labels):.300}; here they are {', '.join(self.labels):.300}. "
                "Give these the same names in the same order, or begin without pictures."
            )
        none_below = none_below_of(saved)
        self.set_classes(labels)
        self._changes += 1
        self._none_below = none_below
        for name, values in sums.items():
            self._state.replace_parameter(name, values)
        self._state.optimizer.step = 1  # learnt, and the moments, which are zeros, count little against what comes

    def _known_starts(self) -> Mapping[str, np.ndarray]:
        if not self._trainings.knows_starts:
            raise self._not_loaded()
        return self._trainings.starts

    def _to_bytes(self, *, trainable_only: bool) -> bytes:
        self._state.properties = Properties(self._metadata)
        return self._state.to_bytes(include_optimizer_state=True, trainable_only=trainable_only)

    # What must be so

    @cached_property
    def _after_cut(self) -> frozenset[str]:
        return self._module.parameters_after_cut

    def _check_loaded(self, needed: Iterable[str]) -> None:
        """None of these parameters is still to come with parameters.bin."""
        if self._parameter_file is None:
            return
        stored = {one.name for one in self.manifest.parameters}
        if any(name in stored and self._state.parameters[name].is_nominal for name in needed):
            raise self._not_loaded()

    def _not_loaded(self) -> NotLoadedError:
        return NotLoadedError(f"The model is not loaded yet: {self.parameter_bytes_received} of {self.manifest.parameter_bytes} bytes.")

    def _check_trainable(self) -> None:
        """After a head was restored nothing else is needed to train it, but heads that measure begin with what came with the model."""
        self._check_loaded(self._after_cut)
        if self._parameter_file is not None and not self._trainings.knows_starts:
            raise self._not_loaded()
        filled = [label for label in self.labels if self._gallery.album.keys(label)]
        if len(filled) < 2:
            raise StateError(
                f"Training needs at least two classes with a picture each; {len(filled)} of {len(self.labels)} classes has pictures."
            )

    def _check_trained(self) -> None:
        self._check_loaded(self._after_cut)
        if not self.is_trained:
            raise StateError("Nothing has been learnt yet; train first.")


def floats_of(features: np.ndarray | bytes | memoryview) -> np.ndarray:
    """Features as an array, from float32 bytes too. Raises InvalidInputError for a broken number."""
    if isinstance(features, np.ndarray):
        return features
    if rest := memoryview(features).nbytes % 4:
        raise InvalidInputError(f"Features of a picture are float32, but {rest} bytes are left over behind the last.")
    return np.frombuffer(features, "<f4")


def _closing(run: Generator[Progress, None, None]) -> Generator[Progress, None, None]:
    """Passes on what `run` yields; closing this closes `run`."""
    yield from run
