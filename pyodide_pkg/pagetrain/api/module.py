"""Module: training and evaluation graphs over a CheckpointState, as onnxruntime.training.api.Module."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..graph import Model
from .checkpoint_state import CheckpointState

ModelSource = Model | bytes | bytearray | memoryview | str | os.PathLike[str]


class Module:
    """Runs train and eval steps of ORT training artifacts on the parameters of `state`.

    train_model, eval_model: a graph.Model, the bytes of an ORT-format file, or its path. The frozen prefix (everything before the first value
    that depends on a trainable parameter) is found from the graph: a step takes either the data inputs or the values of `cut`.
    Making a Module gives every trainable parameter of `state` a gradient buffer of zeros. A nominal state is fine here;
    steps and reads raise StateError until copy_buffer_to_parameters has filled it.
    """

    training: bool
    state: CheckpointState
    cut: tuple[str, ...]  # names of the values at the end of the frozen prefix; () when nothing but the data itself would be kept

    def __init__(
        self, train_model: ModelSource, state: CheckpointState, eval_model: ModelSource | None = None, *, data_inputs: Collection[str] | None = None
    ) -> None:
        """data_inputs: the user inputs that the prefix may depend on; default: the first user input."""
        raise NotImplementedError

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """One step in the present mode; inputs in the order of input_names(), or by name. One output -> array, several -> tuple."""
        raise NotImplementedError

    def train(self, mode: bool = True) -> Module:
        """Training mode: calls accumulate gradients. Returns self."""
        raise NotImplementedError

    def eval(self) -> Module:
        """Evaluation mode: calls run the eval model. Returns self."""
        raise NotImplementedError

    def train_step(self, feeds: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """One forward and backward pass; gradients are added into (after lazy_reset_grad: written over) the parameters' `grad`.

        feeds: {user input name: array}, where all values of `cut` may stand for the data inputs. Returns {output name: array}, loss first.
        """
        raise NotImplementedError

    def eval_step(self, feeds: Mapping[str, Any], fetches: Sequence[str] | None = None) -> dict[str, np.ndarray]:
        """One pass of the eval model; changes nothing. feeds as in train_step; only what the fetches need must be there (logits need no labels).

        fetches: any values of the eval graph; default: its outputs. Raises StateError without an eval model.
        """
        raise NotImplementedError

    def run_prefix(self, feeds: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The values of `cut` for a batch of data inputs: {name: C-contiguous array, one row per picture}."""
        raise NotImplementedError

    def lazy_reset_grad(self) -> None:
        """The next train step overwrites the gradients instead of adding to them; until then they stay visible."""
        raise NotImplementedError

    def get_parameters_size(self, trainable_only: bool = True) -> int:
        """Number of elements of the (trainable) parameters. A nominal state is fine if the graph's shapes are static."""
        raise NotImplementedError

    def get_contiguous_parameters(self, trainable_only: bool = False) -> np.ndarray:
        """A copy of the (trainable) float32 parameters in one flat array, in the order of the training graph's inputs."""
        raise NotImplementedError

    def copy_buffer_to_parameters(self, buffer: Any, trainable_only: bool = True) -> None:
        """Sets the (trainable) parameters from one flat float32 array in the order of get_contiguous_parameters; any shape of that size.

        Fills a nominal state with trainable_only=False and all parameters. Raises ShapeMismatchError for another size.
        """
        raise NotImplementedError

    def input_names(self) -> list[str]:
        """User inputs of the present mode's graph, in order."""
        raise NotImplementedError

    def output_names(self) -> list[str]:
        """User outputs of the present mode's graph, in order; the loss is first."""
        raise NotImplementedError
