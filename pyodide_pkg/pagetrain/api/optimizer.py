"""Optimizer: the optimizer graph over a Module's state, as onnxruntime.training.api.Optimizer."""

from __future__ import annotations

from .module import Module, ModelSource


class Optimizer:
    """Updates the trainable parameters of `module.state` from their gradients. Default learning rate 0.001."""

    def __init__(self, optimizer_model: ModelSource, module: Module) -> None:
        raise NotImplementedError

    def step(self) -> None:
        """One update in place; counts itself in the state. Does not reset gradients. Raises StateError on a nominal state."""
        raise NotImplementedError

    def get_learning_rate(self) -> float:
        """The rate of the next step, as float32 holds it."""
        raise NotImplementedError

    def set_learning_rate(self, learning_rate: float) -> None:
        """Sets the rate of the next steps; kept in the state."""
        raise NotImplementedError
