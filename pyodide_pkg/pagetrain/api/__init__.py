"""ORT's training API: Module, Optimizer, CheckpointState, LinearLRScheduler; and what a training needs beside it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .checkpoint_state import CheckpointState
from .gradients import average_grad, clip_grad_norm, non_finite_grad
from .module import Module
from .optimizer import Optimizer
from .parameter import Parameter
from .scheduler import ConstantLRScheduler, CosineLRScheduler, LinearLRScheduler, LRScheduler

if TYPE_CHECKING:
    from .inference_session import InferenceSession
    from .loss_options import with_loss_options

__all__ = [
    "CheckpointState",
    "ConstantLRScheduler",
    "CosineLRScheduler",
    "InferenceSession",
    "LRScheduler",
    "LinearLRScheduler",
    "Module",
    "Optimizer",
    "Parameter",
    "average_grad",
    "clip_grad_norm",
    "non_finite_grad",
    "with_loss_options",
]

_ON_USE = {"InferenceSession": ".inference_session", "with_loss_options": ".loss_options"}  # most trainings need neither


def __getattr__(name: str) -> Any:
    """What is imported when it is asked for."""
    if name not in _ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ON_USE[name], __name__), name)
