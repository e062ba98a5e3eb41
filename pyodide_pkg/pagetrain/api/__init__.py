"""ORT's training API: Module, Optimizer, CheckpointState, LinearLRScheduler."""

from .checkpoint_state import CheckpointState, Parameter
from .module import Module
from .optimizer import Optimizer
from .scheduler import LinearLRScheduler

__all__ = ["CheckpointState", "LinearLRScheduler", "Module", "Optimizer", "Parameter"]
