"""Makes the runs of a job: settings from what was asked for and from the pictures, held-out pictures or folds, and the heads to train."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from . import head
from .api import CheckpointState, Module, Optimizer, with_loss_options
from .augmentation import Augmentation
from .class_weights import class_weights
from .features import FeatureLayout
from .fit_settings import FitOptions, FitSettings, default_batch_size, default_folds, default_learning_rate
from .fitting import Fitting
from .folds import NEVER, folds_of
from .gallery import Gallery, Sample
from .graph import Model
from .holdout import held_out
from .learner import Learner, TrainingSet
from .manifest import Manifest


class Trainings:
    """Over one module, its optimizer and their state. Knows the run before: the heads that measured may go on as the kept one does."""

    def __init__(
        self,
        manifest: Manifest,
        files: Mapping[str, bytes],
        models: tuple[Model, Model],
        module: Module,
        optimizer: Optimizer,
        layout: FeatureLayout,
    ) -> None:
        """models: for training and evaluation, of which `module` was made; files: the artifacts'."""
        self._manifest, self._models, self._module, self._optimizer, self._layout = manifest, models, module, optimizer, layout
        self._optimizer_file, self._nominal = files["optimizer_model"], files["nominal_checkpoint"]
        self._starts: dict[str, np.ndarray] = {}
        self._last: tuple[object, Fitting] | None = None  # with what it was made of

    def note_start(self, name: str, values: np.ndarray) -> None:
        """A parameter's values as they came with the model; those that are trained are copied: heads that measure begin with them."""
        if any(one.name == name for one in self._manifest.trainable):
            self._starts[name] = values.copy()

    @property
    def knows_starts(self) -> bool:
        """Whether there is something to begin with for heads that measure."""
        return all(one.init != "stored" or one.name in self._starts for one in self._manifest.trainable)

    @property
    def starts(self) -> Mapping[str, np.ndarray]:
        """Of the trained parameters that came with values: these."""
        return self._starts

    def start(self, gallery: Gallery, augmentation: Augmentation, options: FitOptions, seed: int, edition: Callable[[], int]) -> Fitting:
        """The run that the options ask for, or the default. edition: another number once classes or pictures were taken away.

        Raises InvalidInputError.
        """
        samples, began = gallery.album.samples(), edition()
        keys = [key for key, _ in samples]
        places, table = gallery.features.gather(keys), gallery.features
        groups = gallery.groups(samples)
        settings = FitSettings.of(
            options,
            batch_size=lambda: default_batch_size(len(samples)),
            learning_rate=lambda: self._default_learning_rate(table.take(places[:: 1 + len(places) // 200])),
            seed=lambda: seed,
            folds=lambda: default_folds(_sizes(samples, groups), self._is_head_only),
        )
        data = TrainingSet(
            keys=keys,
            labels=np.array([label for _, label in samples], np.int64),
            rows=lambda indices: table.take(places[indices]),
            is_current=lambda: edition() == began,
            class_weights=_class_weights(settings, gallery),
            learnt_rows=augmentation.drawn(keys, settings.augment, settings.seed) if settings.augment else None,
        )
        training_model = self._training_model(settings, data.class_weights)
        learner = self._learner(self._module_on(training_model, self._module.state), self._optimizer, data, settings)
        folds = self._folds(samples, groups, settings)
        judge = None
        if (folds != NEVER).any():
            if settings.augment:  # draws of their own, so that the head to keep learns the same whoever measures
                data = replace(data, learnt_rows=augmentation.drawn(keys, settings.augment, settings.seed + 1))
            module = self._module_on(training_model, self._starting_state(len(gallery.album.labels), settings.seed))
            judge = self._learner(module, Optimizer(self._optimizer_file, module), data, settings)
        made_of = (samples, folds.tolist(), began)
        run = Fitting(learner, judge, folds, self._goes_on_from(made_of))
        self._last = made_of, run
        return run

    def _goes_on_from(self, made_of: object) -> Fitting | None:
        """The run before, if it was made of the same and the head that it kept is the present one."""
        if self._last is None or self._last[0] != made_of:
            return None
        run = self._last[1]
        return run if run.heads and run.kept_step == self._module.state.optimizer.step else None

    def _folds(self, samples: Sequence[Sample], groups: np.ndarray, settings: FitSettings) -> np.ndarray:
        """The fold of each sample, or NEVER; of held-out ones 0. None is judged where nothing is known for a head to begin with."""
        if not self.knows_starts:
            return np.full(len(samples), NEVER)
        if settings.folds:
            return folds_of(samples, groups, settings.folds, settings.seed)
        return np.where(held_out(samples, groups, settings.validation, settings.seed), 0, NEVER)

    def _learner(self, module: Module, optimizer: Optimizer, data: TrainingSet, settings: FitSettings) -> Learner:
        manifest = self._manifest
        return Learner(module, optimizer, self._layout, data, settings, logits=manifest.logits, labels_input=manifest.labels_input)

    def _training_model(self, settings: FitSettings, weights: np.ndarray | None) -> Model:
        """With the options of the loss put in."""
        if weights is None and not settings.label_smoothing:
            return self._models[0]
        return with_loss_options(self._models[0], class_weights=weights, label_smoothing=settings.label_smoothing)

    def _module_on(self, training_model: Model, state: CheckpointState) -> Module:
        if training_model is self._models[0] and state is self._module.state:
            return self._module
        return Module(training_model, state, self._models[1], data_inputs=[self._manifest.input])

    def _starting_state(self, classes: int, seed: int) -> CheckpointState:
        """What heads of so many classes begin with; of the frozen parameters those that come after the cut."""
        state, present = CheckpointState.load_checkpoint(self._nominal), self._module.state.parameters
        generator = np.random.default_rng(seed)
        for one in self._manifest.trainable:
            begun = self._starts[one.name] if one.init == "stored" else head.start_values(one, classes, lambda: generator)
            state.replace_parameter(one.name, begun)
        for name in self._module.parameters_after_cut.difference(state.trainable_names):
            state.replace_parameter(name, present[name].data)
        return state

    def _default_learning_rate(self, rows: np.ndarray) -> float:
        return default_learning_rate(rows, self._is_head_only)

    @property
    def _is_head_only(self) -> bool:
        return all(one.class_axis is not None for one in self._manifest.trainable)


def _sizes(samples: Sequence[Sample], groups: np.ndarray) -> list[int]:
    """Groups of near-duplicates in each class that has any."""
    found = {(label, int(number)) for (_, label), number in zip(samples, groups, strict=True)}
    return list(Counter(label for label, _ in found).values())


def _class_weights(settings: FitSettings, gallery: Gallery) -> np.ndarray | None:
    if settings.class_weights is None:
        return None
    labels = gallery.album.labels
    return class_weights(settings.class_weights, labels, [len(gallery.album.keys(label)) for label in labels])
