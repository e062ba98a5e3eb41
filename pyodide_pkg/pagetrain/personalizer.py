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

import hashlib
import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Unpack

import numpy as np

from . import artifact_check, export, head, manifest, names, picture, preprocess
from .album import Album, clean_labels
from .api import CheckpointState, Module, Optimizer, with_loss_options
from .augmentation import Augmentation, Makers
from .class_weights import class_weights
from .errors import FormatError, InvalidInputError, NotLoadedError, StateError
from .export import FileSlice, Part
from .features import FeatureLayout, FeatureTable, RecentFeatures, checked_row
from .fit_settings import FitOptions, FitSettings, default_batch_size, default_learning_rate
from .fitting import Fitting, TrainingSet
from .holdout import held_out
from .metrics import Metrics, metrics_of, softmax
from .ortformat import model as ort_model
from .parameter_file import ParameterFile
from .picture import Pixels, Source
from .progress import EpochProgress, Progress
from .takeaway import check_saved, metadata_of

_GRAPHS = ("training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "inference_model")


@dataclass(frozen=True, slots=True)
class Added:
    """key: see key_of. duplicate: the class had this picture already, and keeps it once."""

    key: str
    label: str
    duplicate: bool


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
        self._features = FeatureTable(self._layout.width)
        self._recent = RecentFeatures(self._layout.width)
        self._album = Album()
        self.augmentation = Augmentation(self._features, Makers(key_of, self.pixels, self.embed))
        self._generator = cache(lambda: np.random.default_rng(seed))  # numpy.random takes long to load in a page
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

    def feed_parameters(self, chunk: bytes | bytearray | memoryview) -> bool:
        """Takes the next bytes of parameters.bin, in chunks of any size; True when the model is complete.

        Only what runs pictures through the frozen part needs them, or trains or saves what is in them: with features that were made
        elsewhere, see restore and answer, the last layer is trained without. Parameters that have values by then keep them.
        Raises: FormatError for too many bytes or a wrong hash, StateError when the model was complete before.
        """
        if self._parameter_file is None:
            raise StateError("The parameters are complete; no more bytes are expected.")
        if not self._parameter_file.feed(chunk):
            return False
        for name, values in self._parameter_file.arrays():
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
        return self._album.labels

    @property
    def is_trained(self) -> bool:
        """Whether the present classes have learnt anything."""
        return self._state.optimizer.step > 0

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
        for key in self._album.set_labels(new):
            self._features.release(key)

    def add_class(self, label: str) -> None:
        """One more class, last in order. Raises as set_classes."""
        self.set_classes([*self.labels, label])

    def remove_class(self, label: str) -> None:
        """The class goes with its pictures; the others keep what they have learnt. Raises InvalidInputError for an unknown one."""
        self._album.check(label)
        self.set_classes(other for other in self.labels if other != label)

    def rename_class(self, old: str, new: str) -> None:
        """Another name; place, pictures and learnt weights stay. Raises InvalidInputError for an unknown or taken name."""
        self._album.rename(old, new)

    def _set_rows(self, kept: Sequence[int | None]) -> None:
        for one in self.manifest.trainable:
            head.set_rows(self._state, one, kept, self._generator)
        if all(row is None for row in kept) and self.manifest.num_classes is None:
            self._state.optimizer.step = 0

    # Pictures

    def add(self, data: Source, label: str, pixels: Pixels | None = None) -> Added:
        """Puts a picture into a class. data: the file's bytes, or pixels without a file, see `pixels`; pixels: those of a file that was
        decoded elsewhere (see picture.decode).

        The same picture is computed once, also in several classes. Raises: PictureError, InvalidInputError for an unknown class,
        StateError before the parameters are complete.
        """
        self._album.check(label)
        key = key_of(data)
        return self._put(key, label, None if key in self._features else self._new_row(key, data, pixels))

    def restore(self, key: str, label: str, features: np.ndarray | bytes | memoryview) -> Added:
        """Puts a picture back from its key and features (float32), without the file. Raises InvalidInputError."""
        row = floats_of(features)
        self._album.check(label)
        return self._put(key, label, row)

    def _put(self, key: str, label: str, row: np.ndarray | None) -> Added:
        if self._album.has(key, label):
            return Added(key, label, duplicate=True)
        self._features.hold(key, row)
        self._album.add(key, label)
        return Added(key, label, duplicate=False)

    def remove(self, key: str, label: str) -> None:
        """Takes a picture out of a class. Raises InvalidInputError if it is not there."""
        self._album.remove(key, label)
        self._features.release(key)
        self._changes += 1

    def move(self, key: str, old: str, new: str) -> None:
        """Takes a picture out of `old` and puts it into `new`. Raises InvalidInputError if it is not there or a class is unknown."""
        if not self._album.has(key, old):
            raise InvalidInputError(f"Class {old!r} has no picture {key}.")
        if old != new:
            self._put(key, new, None)
            self.remove(key, old)

    def keys(self, label: str) -> list[str]:
        """Keys of the pictures of a class. Raises InvalidInputError for an unknown one."""
        return self._album.keys(label)

    def features(self, source: Source | str, pixels: Pixels | None = None) -> np.ndarray:
        """What the frozen part makes of a picture: float32, a copy. source: the key of an added picture, or what add takes.

        Raises: InvalidInputError for an unknown key; as add for a picture.
        """
        if not isinstance(source, str):
            return self._row_of(source, pixels).copy()
        if source not in self._features:
            raise InvalidInputError(f"There is no picture {source}.")
        return self._features.row(source).copy()

    def known(self, key: str) -> np.ndarray | None:
        """The features of a picture that was added, or asked about not long ago; None for others."""
        return self._features.row(key) if key in self._features else self._recent.get(key)

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

        With validation > 0 that share of each class with 4 pictures or more is held out during the first half of the epochs; the best of
        these heads (highest held-out accuracy, then lowest loss) then goes on for the second half with all pictures, the epoch with the
        lowest mean loss of its steps wins.
        Without held-out pictures all epochs learn from all. The learning rate falls linearly to 0 in each part. batch_size: default 8 to
        64 by the number of pictures. All options: fit_settings.FitSettings. Raises: StateError (also when classes are changed or pictures
        taken out before the end), InvalidInputError, TrainingDivergedError (weights from before are kept).
        """
        run = self.fitting(**options).run()
        return (progress for progress in _closing(run) if isinstance(progress, EpochProgress))

    def fitting(self, **options: Unpack[FitOptions]) -> Fitting:
        """The run that `fit` makes, to go through step by step: fitting.run() yields StepProgress too."""
        self._check_trainable()
        samples = self._album.samples()
        keys = [key for key, _ in samples]
        places = self._features.gather(keys)
        settings = FitSettings.of(options, lambda: default_batch_size(len(samples)), lambda: self._default_learning_rate(places), self.seed)
        changes = self._changes
        data = TrainingSet(
            keys=keys,
            labels=np.array([label for _, label in samples], np.int64),
            held_out=held_out(samples, settings.validation, settings.seed),
            rows=lambda indices: self._features.take(places[indices]),
            is_current=lambda: self._changes == changes,
            class_weights=self._class_weights(settings),
            learnt_rows=self.augmentation.drawn(keys, settings.augment, settings.seed) if settings.augment else None,
        )
        return Fitting(
            self._module_for(settings, data.class_weights),
            self._optimizer,
            self._layout,
            data,
            settings,
            logits=self.manifest.logits,
            labels_input=self.manifest.labels_input,
        )

    def _class_weights(self, settings: FitSettings) -> np.ndarray | None:
        if settings.class_weights is None:
            return None
        return class_weights(settings.class_weights, self.labels, [len(self._album.keys(label)) for label in self.labels])

    def _module_for(self, settings: FitSettings, weights: np.ndarray | None) -> Module:
        """The module, or one on the same state with the options of the loss put in."""
        if weights is None and not settings.label_smoothing:
            return self._module
        training_model, eval_model = self._models
        changed = with_loss_options(training_model, class_weights=weights, label_smoothing=settings.label_smoothing)
        return Module(changed, self._state, eval_model, data_inputs=[self.manifest.input])

    def _default_learning_rate(self, places: np.ndarray) -> float:
        head_only = all(one.class_axis is not None for one in self.manifest.trainable)
        return default_learning_rate(self._features.take(places[:: 1 + len(places) // 200]), head_only)

    # Answers

    def predict(self, data: Source, pixels: Pixels | None = None) -> list[Prediction]:
        """All classes with their probabilities, most likely first. Raises PictureError, StateError before anything was learnt."""
        self._check_trained()
        return self._answers(self._row_of(data, pixels))

    def answer(self, key: str, features: np.ndarray | bytes | memoryview) -> list[Prediction]:
        """As predict, for a picture whose features were made elsewhere; they are kept for the next questions about it."""
        self._check_trained()
        row = checked_row(floats_of(features), self._layout.width)
        if key not in self._features:
            self._recent.keep(key, row)
        return self._answers(row)

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
            self._album.check(label)
            row = self.features(source, pixels)
            truth.append(labels.index(label))
            answers.append(int(self._logits(row[np.newaxis])[0].argmax()))
        return metrics_of(labels, truth, answers)

    def _row_of(self, data: Source, pixels: Pixels | None) -> np.ndarray:
        key = key_of(data)
        if key in self._features:
            return self._features.row(key)
        row = self._new_row(key, data, pixels)
        self._recent.keep(key, row)
        return row

    def _new_row(self, key: str, data: Source, pixels: Pixels | None) -> np.ndarray:
        """Features of a picture that was not added: those of an earlier question, or computed."""
        row = self._recent.take(key)
        if row is not None:
            return row
        self._check_loaded(self._state.frozen_names)
        return self.embed(self.pixels(data, pixels))

    def _logits(self, rows: np.ndarray) -> np.ndarray:
        return self._module.eval_step(self._layout.unpack(rows), [self.manifest.logits])[self.manifest.logits]

    # Files to take away

    def export_parts(self) -> Iterator[Part]:
        """The inference model in pieces to put one behind another. Extra memory: one piece, 256 KB; ask for all before training on.

        FileSlice pieces are byte ranges of the artifact files "inference_model" (the whole skeleton) and "parameters"; see
        export.model_parts. Raises: StateError before anything was learnt.
        """
        self._check_trained()
        self._check_loaded(one.name for one in self.manifest.parameters if one.stored == "int8")  # the others' values stay in the file
        return export.model_parts(self.manifest, len(self._skeleton), self._values, metadata_of(self.manifest, self.labels))

    def export(self) -> bytes:
        """The inference model as one ONNX file: metadata says labels and preprocessing; outputs logits and probabilities."""
        self._check_trained()
        self._check_loaded(self._state.frozen_names)
        by_offset = {one.offset: one for one in self.manifest.parameters}
        pieces = (part if isinstance(part, bytes) else self._bytes_of(part, by_offset) for part in self.export_parts())
        return b"".join(pieces)

    def _bytes_of(self, part: FileSlice, by_offset: Mapping[int, manifest.Stored]) -> bytes:
        """What the file has there: a float16 number that was widened is the same number when narrowed."""
        if part.file == "inference_model":
            return self._skeleton
        one = by_offset[part.offset]
        return self._values(one.name).astype(one.stored).tobytes()

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
        labels = check_saved(self.manifest, saved)
        self.set_classes(labels)
        for name in self._state.trainable_names:
            self._state.replace_parameter(name, saved.parameters[name].data, saved.optimizer.momentums.get(name))
        self._state.optimizer.step, self._state.optimizer.initial_lr = saved.optimizer.step, saved.optimizer.initial_lr
        if self._parameter_file is not None and saved.frozen_names:
            for name in self._state.frozen_names:
                self._state.replace_parameter(name, saved.parameters[name].data)
            self._parameter_file = None

    def _to_bytes(self, *, trainable_only: bool) -> bytes:
        for name, value in metadata_of(self.manifest, self.labels).items():
            self._state.properties[name] = value
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
            raise NotLoadedError(f"The model is not loaded yet: {self.parameter_bytes_received} of {self.manifest.parameter_bytes} bytes.")

    def _check_trainable(self) -> None:
        self._check_loaded(self._after_cut)
        filled = [label for label in self.labels if self._album.keys(label)]
        if len(filled) < 2:
            raise StateError(
                f"Training needs at least two classes with a picture each; {len(filled)} of {len(self.labels)} classes has pictures."
            )

    def _check_trained(self) -> None:
        self._check_loaded(self._after_cut)
        if not self.is_trained:
            raise StateError("Nothing has been learnt yet; train first.")


def key_of(data: Source) -> str:
    """The key of a picture: sha256 of its file's bytes, hexadecimal; without a file: of a line with the size, and the pixels."""
    if not isinstance(data, Pixels):
        return hashlib.sha256(data).hexdigest()
    one = picture.opaque(data)
    header = f"pagetrain pixels {one.width} x {one.height} x {one.channels}\n".encode()
    return hashlib.sha256(header + bytes(one.data)).hexdigest()


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
