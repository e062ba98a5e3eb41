"""Makes the runs of a job: settings from what was asked for and from the pictures, held-out pictures or folds, and the heads to train."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from . import head
from .api import CheckpointState, Module, Optimizer, with_loss_options
from .augmentation import Augmentation
from .class_weights import class_weights
from .cross_fitting import CrossFitting
from .errors import StateError
from .features import FeatureLayout
from .fit_settings import FitOptions, FitSettings, default_batch_size, default_folds, default_learning_rate
from .fitting import Fitting
from .folds import NEVER, folds_of
from .gallery import Gallery, Sample
from .graph import Model
from .holdout import held_out
from .learner import Learner, TrainingSet
from .manifest import Manifest

Run = Fitting | CrossFitting


class Trainings:
    """Over one module, its optimizer and their state."""

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

    def start(self, gallery: Gallery, augmentation: Augmentation, options: FitOptions, seed: int, edition: Callable[[], int]) -> Run:
        """The run that the options ask for, or the default. edition: another number once classes or pictures were taken away.

        Raises InvalidInputError; StateError where folds are asked for that cannot be.
        """
        samples, began = gallery.album.samples(), edition()
        keys = [key for key, _ in samples]
        places, table = gallery.features.gather(keys), gallery.features
        settings = FitSettings.of(
            options,
            batch_size=lambda: default_batch_size(len(samples)),
            learning_rate=lambda: self._default_learning_rate(table.take(places[:: 1 + len(places) // 200])),
            seed=lambda: seed,
            folds=lambda: default_folds(len(samples)) if self._has_own_starts else 0,
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
        groups = gallery.groups(samples)
        folds = self._folds(samples, groups, settings)
        if (folds == NEVER).all():
            return Fitting(learner, held_out(samples, groups, 0 if settings.folds else settings.validation, settings.seed))
        fold_module = self._module_on(training_model, self._starting_state(len(gallery.album.labels), settings.seed))
        if settings.augment:  # draws of their own, so that the head to keep learns the same with and without folds
            data = replace(data, learnt_rows=augmentation.drawn(keys, settings.augment, settings.seed + 1))
        fold_learner = self._learner(fold_module, Optimizer(self._optimizer_file, fold_module), data, settings)
        return CrossFitting(learner, fold_learner, folds)

    @property
    def _has_own_starts(self) -> bool:
        """Whether a head can be begun anew: no trainable parameter came with the model, to be overwritten by the first training."""
        return all(one.init != "stored" for one in self._manifest.trainable)

    def _folds(self, samples: Sequence[Sample], groups: np.ndarray, settings: FitSettings) -> np.ndarray:
        if settings.folds == 0:
            return np.full(len(samples), NEVER)
        if not self._has_own_starts:
            raise StateError("fit: folds need heads that begin anew, but trainable parameters of this model came with it; use validation.")
        return folds_of(samples, groups, settings.folds, settings.seed)

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
        """What a head on so many classes begins with; of the frozen parameters those that come after the cut."""
        state, present = CheckpointState.load_checkpoint(self._nominal), self._module.state.parameters
        generator = np.random.default_rng(seed)
        for one in self._manifest.trainable:
            state.replace_parameter(one.name, head.start_values(one, classes, lambda: generator))
        for name in self._module.parameters_after_cut.difference(state.trainable_names):
            state.replace_parameter(name, present[name].data)
        return state

    def _default_learning_rate(self, rows: np.ndarray) -> float:
        head_only = all(one.class_axis is not None for one in self._manifest.trainable)
        return default_learning_rate(rows, head_only)


def _class_weights(settings: FitSettings, gallery: Gallery) -> np.ndarray | None:
    if settings.class_weights is None:
        return None
    labels = gallery.album.labels
    return class_weights(settings.class_weights, labels, [len(gallery.album.keys(label)) for label in labels])
