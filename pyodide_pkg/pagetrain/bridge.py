"""What the page's worker calls: one Session, one method `call`, plain values in and out, no exception ever.

No pyodide import: the worker turns JavaScript values into dicts, lists, str, numbers, bool, None, bytes or memoryview, and back.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import backend, picture
from .api import CheckpointState
from .errors import InvalidInputError, StateError
from .export import PIECE, FileSlice, Part
from .fit_settings import FitOptions
from .fitting import Fitting
from .metrics import Metrics, metrics_of
from .perceptual_hash import perceptual_hash
from .personalizer import Personalizer, floats_of
from .picture import Pixels, Source, key_of
from .preprocess import crop_of
from .progress import EpochProgress, Progress
from .variants import variants_of

if TYPE_CHECKING:
    from .exported import ExportedModel

SLICE_SECONDS = 0.1  # fitNext gives way after this long, so that a stop is heard
FIT_OPTIONS = {  # of fitStart: as JavaScript writes them, as Personalizer.fit does
    "epochs": "epochs",
    "batchSize": "batch_size",
    "learningRate": "learning_rate",
    "validation": "validation",
    "folds": "folds",
    "seed": "seed",
    "schedule": "schedule",
    "warmup": "warmup",
    "gradientAccumulationSteps": "gradient_accumulation_steps",
    "maxGradNorm": "max_grad_norm",
    "patience": "patience",
    "monitor": "monitor",
    "classWeights": "class_weights",
    "labelSmoothing": "label_smoothing",
    "augment": "augment",
}

Arguments = Mapping[str, Any]
Value = dict[str, Any]


class Session:
    """The state behind one worker: a Personalizer and, while training, its run."""

    def __init__(self) -> None:
        self._personalizer: Personalizer | None = None
        self._run: Generator[Progress, None, None] | None = None
        self._fitting: Fitting | None = None  # what the run is of
        self._history: Value = {}
        self._exporting: Iterator[Part] = iter(())
        self._exported: ExportedModel | None = None  # while it is checked
        self._calls: Mapping[str, Callable[[Arguments], Value]] = {
            "open": self._open,
            "feedParameters": self._feed_parameters,
            "setClasses": self._set_classes,
            "renameClass": self._rename_class,
            "prepare": self._prepare,
            "judge": self._judge,
            "look": self._look,
            "embed": self._embed,
            "restore": self._restore,
            "augmentation": self._augmentation,
            "vary": self._vary,
            "restoreRow": self._restore_row,
            "remove": self._remove,
            "move": self._move,
            "fitStart": self._fit_start,
            "fitNext": self._fit_next,
            "fitStop": self._fit_stop,
            "pixels": self._pixels,
            "answer": self._answer,
            "score": self._score,
            "similar": self._similar,
            "nearDuplicates": self._near_duplicates,
            "setNoneBelow": self._set_none_below,
            "exportStart": self._export_start,
            "exportNext": self._export_next,
            "exportedOpen": self._exported_open,
            "exportedAnswer": self._exported_answer,
            "exportedEnd": self._exported_end,
            "checkpoint": self._checkpoint,
            "headState": self._head_state,
            "loadHead": self._load_head,
            "headOf": self._head_of,
            "saveDelta": self._save_delta,
            "applyDelta": self._apply_delta,
        }

    def call(self, name: str, arguments: Arguments) -> Value:
        """{"ok": value}, or {"error": {"kind", "code", "message", "traceback"}} for whatever happened; never raises.

        kind: the exception's class name; code: PictureError's, else "".
        """
        try:
            if name not in self._calls:
                raise InvalidInputError(f"There is no call {name!r}; there are {', '.join(self._calls)}.")
            return {"ok": self._calls[name](arguments)}
        except BaseException as error:  # also KeyboardInterrupt and MemoryError: the worker lives on and tells the page
            return {"error": _error(error)}

    @property
    def _job(self) -> Personalizer:
        if self._personalizer is None:
            raise StateError("No model is open; call open first.")
        return self._personalizer

    def _settled(self) -> Personalizer:
        """The job, when no training is under way: what changes classes or pictures must not pull rows from under a run."""
        if self._run is not None:
            raise StateError("A training is under way; stop it first.")
        return self._job

    def _open(self, a: Arguments) -> Value:
        if chosen := a.get("backend"):  # "" or left out: the fastest that there is
            backend.use(chosen)
        files = {key: bytes(data) for key, data in _need(a, "files").items()}
        self._run, self._fitting, self._personalizer = None, None, Personalizer(_need(a, "manifest"), files, seed=a.get("seed") or 0)
        description = self._job.manifest
        return {
            "name": description.name,
            "title": description.title,
            "backend": backend.name(),
            "featureBytes": self._job.feature_bytes,
            "parameterBytes": description.parameter_bytes,
        }

    def _feed_parameters(self, a: Arguments) -> Value:
        done = self._job.feed_parameters(_need(a, "chunk"), checked=bool(a.get("checked")))
        return {"done": done, "bytes": self._job.parameter_bytes_received}

    def _set_classes(self, a: Arguments) -> Value:
        self._settled().set_classes(_need(a, "labels"))
        return {"labels": self._job.labels}

    def _rename_class(self, a: Arguments) -> Value:
        self._job.rename_class(_need(a, "from"), _need(a, "to"))
        return {"labels": self._job.labels}

    def _prepare(self, a: Arguments) -> Value:
        """Loads what the first training needs, so that it does not wait for it; for a moment without work."""
        import_module("numpy.random")
        return {}

    def _judge(self, a: Arguments) -> Value:
        verdict = picture.judge(_need(a, "data"))
        return {"format": verdict.format, "width": verdict.width, "height": verdict.height, "decoder": verdict.decoder}

    def _look(self, a: Arguments) -> Value:
        """The picture's key and hash, and its features if they are known; else what the model sees of it, for `embed`."""
        source, pixels = _source(a)
        key = key_of(source)
        known = self._job.known(key)
        if known is not None and known.hash:
            return {"key": key, "hash": known.hash, "features": _bytes(known.row)}
        seen = self._job.pixels(source, pixels)
        return {"key": key, "hash": perceptual_hash(seen), "pixels": seen.tobytes()}

    def _embed(self, a: Arguments) -> Value:
        width, height = crop_of(self._job.manifest.steps)
        seen = np.frombuffer(_need(a, "pixels"), np.uint8)
        if seen.size != height * width * 3:
            raise InvalidInputError(f"What the model sees has {width} x {height} x 3 bytes, got {seen.size}.")
        return {"features": _bytes(self._job.embed(seen.reshape(height, width, 3)))}

    def _restore(self, a: Arguments) -> Value:
        added = self._settled().restore(_need(a, "key"), _need(a, "label"), _need(a, "features"), a.get("hash") or "", a.get("group") or "")
        return {"key": added.key, "duplicate": added.duplicate}

    def _augmentation(self, a: Arguments) -> Value:
        """How many rows a picture then has, and the pictures that lack some of theirs."""
        augment, job = _need(a, "augment"), self._job
        keys = [key for label in job.labels for key in job.keys(label)]
        return {"rows": 1 + len(variants_of(augment)), "missing": job.augmentation.missing(keys, augment)}

    def _vary(self, a: Arguments) -> Value:
        """What the model sees of each variant of an added picture that has no row yet, for `embed`."""
        source, pixels = _source(a)
        key = key_of(source)
        seen = self._job.augmentation.seen(key, source, _need(a, "augment"), pixels)
        return {"key": key, "variants": [{"variant": variant, "pixels": one.tobytes()} for variant, one in seen]}

    def _restore_row(self, a: Arguments) -> Value:
        self._settled().augmentation.restore(_need(a, "key"), _need(a, "variant"), floats_of(_need(a, "features")))
        return {}

    def _remove(self, a: Arguments) -> Value:
        self._settled().remove(_need(a, "key"), _need(a, "label"))
        return {}

    def _move(self, a: Arguments) -> Value:
        self._settled().move(_need(a, "key"), _need(a, "from"), _need(a, "to"))
        return {}

    def _pixels(self, a: Arguments) -> Value:
        seen = self._job.pixels(*_source(a))
        return {"width": seen.shape[1], "height": seen.shape[0], "data": seen.tobytes()}

    def _fit_start(self, a: Arguments) -> Value:
        options = {name: _whole(a.get(key)) for key, name in FIT_OPTIONS.items()}
        self._fitting = self._settled().fitting(**cast(FitOptions, options))
        self._run = self._fitting.run()
        self._history = {
            "epochs": [],
            "bestEpoch": 0,
            "validationAccuracy": None,
            "validationLoss": None,
            "stopped": False,
            "folds": self._fitting.folds,
        }
        return _start(self._fitting)

    def _fit_next(self, a: Arguments) -> Value:
        if self._run is None:
            raise StateError("No training is under way; call fitStart first.")
        end = time.perf_counter() + SLICE_SECONDS
        try:
            for progress in self._steps(self._run):
                if isinstance(progress, EpochProgress) or time.perf_counter() >= end:
                    return {"done": False, "progress": self._note(progress)}
        except BaseException:
            self._run = self._fitting = None
            raise
        return self._end()

    def _end(self) -> Value:
        """The history, with what was judged; the pictures are no longer needed."""
        fitting, self._run, self._fitting = self._fitting, None, None
        if fitting is not None:
            self._history["judged"] = _judged(fitting, self._job.labels)
        return {"done": True, "history": self._history}

    @staticmethod
    def _steps(run: Generator[Progress, None, None]) -> Generator[Progress, None, None]:
        """One after another without closing `run` when the loop over this is left."""
        while (progress := next(run, None)) is not None:
            yield progress

    def _note(self, progress: Progress) -> Value:
        """The progress as the page reads it; epochs go into the history."""
        value: Value = {
            "epoch": progress.epoch,
            "epochs": progress.epochs,
            "step": progress.step,
            "steps": progress.steps,
            "loss": progress.loss,
            "fold": progress.fold,
            "folds": progress.folds,
        }
        if isinstance(progress, EpochProgress):
            value |= {
                "accuracy": progress.accuracy,
                "validationLoss": progress.validation_loss,
                "validationAccuracy": progress.validation_accuracy,
                "best": progress.best,
            }
            self._history["epochs"].append(value)
            if progress.best:
                self._history |= {
                    "bestEpoch": progress.epoch,
                    "validationAccuracy": progress.validation_accuracy,
                    "validationLoss": progress.validation_loss,
                }
            value = {**value, "sure": progress.sure}
        return value

    def _fit_stop(self, a: Arguments) -> Value:
        if self._run is not None:
            self._history["stopped"] = True
            self._run.close()
        return self._end()

    def _answer(self, a: Arguments) -> Value:
        answers = self._job.answer(_need(a, "key"), _need(a, "features"), a.get("hash") or "")
        return {"answers": _answers((one.label, one.probability) for one in answers)}

    def _score(self, a: Arguments) -> Value:
        """Metrics of labels that were answered before, so that no more than one picture is ever held."""
        labels = self._job.labels
        truth, answers = ([labels.index(label) for label in _need(a, key)] for key in ("truth", "answers"))
        return _metrics(metrics_of(labels, truth, answers))

    def _similar(self, a: Arguments) -> Value:
        found = self._job.similar(floats_of(_need(a, "features")), _whole(_need(a, "count")))
        return {"pictures": [{"key": one.key, "label": one.label, "similarity": one.similarity} for one in found]}

    def _near_duplicates(self, a: Arguments) -> Value:
        return {"groups": [[{"key": one.key, "label": one.label} for one in group] for group in self._job.near_duplicates()]}

    def _set_none_below(self, a: Arguments) -> Value:
        self._job.none_below = a.get("probability")
        return {"probability": self._job.none_below}

    def _export_start(self, a: Arguments) -> Value:
        self._exporting = self._job.export_parts(picture_input=bool(a.get("pictureInput")))
        return {}

    def _export_next(self, a: Arguments) -> Value:
        """The next parts of the model: beside file slices less than PIECE bytes and one part more. Those handed over are no longer here."""
        parts: list[Any] = []
        size = 0
        for part in self._exporting:
            if isinstance(part, FileSlice):
                parts.append({"file": part.file, "offset": part.offset, "length": part.length})
            else:
                parts.append(part)
                size += len(part)
            if size >= PIECE:
                return {"done": False, "parts": parts}
        return {"done": True, "parts": parts}

    def _exported_open(self, a: Arguments) -> Value:
        """Reads an exported file, as anybody would who has nothing else."""
        from .exported import ExportedModel  # and what opens ONNX files: no start has to wait for it

        self._exported = one = ExportedModel(_need(a, "data"))
        return {
            "labels": one.labels,
            "noneBelow": one.none_below,
            "input": one.input,
            "preprocessing": one.preprocessing,
            "pictureInput": one.picture_input,
        }

    def _exported_answer(self, a: Arguments) -> Value:
        source, pixels = _source(a)
        if self._exported is None or isinstance(source, Pixels):
            raise StateError("No exported model is open, or this is no file of a picture.")
        return {"answers": _answers(self._exported.probabilities(source, pixels).items())}

    def _exported_end(self, a: Arguments) -> Value:
        """Lets go of it; with facts, what makes them its receipt."""
        exported, self._exported = self._exported, None
        if exported is None or a.get("facts") is None:
            return {"entry": None, "sha256": ""}
        entry, sha256 = exported.receipt(a["facts"])
        return {"entry": entry, "sha256": sha256}

    def _checkpoint(self, a: Arguments) -> Value:
        return {"data": self._job.save_checkpoint()}

    def _head_state(self, a: Arguments) -> Value:
        return {"data": self._job.head_state()}

    def _load_head(self, a: Arguments) -> Value:
        self._settled().load_checkpoint(_need(a, "data"))
        return {"labels": self._job.labels}

    def _head_of(self, a: Arguments) -> Value:
        """What `headState` would answer where that whole checkpoint was loaded; nothing is loaded."""
        state = CheckpointState.load_checkpoint(_need(a, "checkpoint"))
        return {"data": state.to_bytes(include_optimizer_state=True, trainable_only=True)}

    def _save_delta(self, a: Arguments) -> Value:
        return {"data": self._job.save_delta()}

    def _apply_delta(self, a: Arguments) -> Value:
        self._settled().apply_delta(_need(a, "data"))
        return {"labels": self._job.labels, "noneBelow": self._job.none_below}


def _error(error: BaseException) -> Value:
    text = str(error) or {"MemoryError": "Out of memory.", "KeyboardInterrupt": "Interrupted."}.get(
        type(error).__name__, type(error).__name__
    )
    return {
        "kind": type(error).__name__,
        "code": getattr(error, "code", "") if isinstance(getattr(error, "code", ""), str) else "",
        "message": text,
        "traceback": "".join(traceback.format_exception(error)),
    }


def _need(a: Arguments, name: str) -> Any:
    if a.get(name) is None:
        raise InvalidInputError(f"The argument {name!r} is missing.")
    return a[name]


def _whole(value: Any) -> Any:
    """JavaScript has no integers: 8.0 is meant as 8. Anything else is passed on and refused where it is checked."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _source(a: Arguments) -> tuple[Source, Pixels | None]:
    """The picture: `data`, its file, with `pixels` if that was decoded already; or `pixels` alone."""
    if a.get("data") is None:
        return _pixels(_need(a, "pixels")), None
    return a["data"], None if a.get("pixels") is None else _pixels(a["pixels"])


def _pixels(given: Arguments) -> Pixels:
    return Pixels(_need(given, "width"), _need(given, "height"), _need(given, "data"), given.get("channels") or 4)


def _bytes(row: np.ndarray) -> bytes:
    return row.astype("<f4").tobytes()


def _start(fitting: Fitting) -> Value:
    settings = fitting.settings
    return {
        "epochs": settings.epochs,
        "batchSize": settings.batch_size,
        "learningRate": settings.learning_rate,
        "trainCount": fitting.train_count,
        "validationCount": fitting.validation_count,
        "folds": fitting.folds,
    }


def _answers(probabilities: Iterable[tuple[str, float]]) -> list[Value]:
    return [{"label": label, "probability": probability} for label, probability in probabilities]


def _judged(fitting: Fitting, labels: list[str]) -> Value:
    judged = fitting.judged
    return {
        "labels": labels,
        "pictures": [{"key": key, "label": labels[label]} for key, label in zip(judged.keys, judged.labels, strict=True)],
        "probabilities": _bytes(judged.probabilities),
    }


def _metrics(metrics: Metrics) -> Value:
    return {
        "accuracy": metrics.accuracy,
        "confusion": {"labels": list(metrics.labels), "counts": [list(row) for row in metrics.confusion]},
        "perClass": [
            {"label": one.label, "count": one.count, "recall": one.recall, "precision": one.precision} for one in metrics.per_class
        ],
    }
