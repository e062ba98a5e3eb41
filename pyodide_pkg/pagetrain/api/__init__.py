"""ORT's training API: Module, Optimizer, CheckpointState, LinearLRScheduler."""

from .checkpoint_state import CheckpointState
from .module import Module
from .optimizer import Optimizer
from .parameter import Parameter
from .scheduler import LinearLRScheduler

__all__ = ["CheckpointState", "LinearLRScheduler", "Module", "Optimizer", "Parameter"]
