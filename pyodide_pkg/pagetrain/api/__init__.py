"""ORT's training API: Module, Optimizer, CheckpointState, LinearLRScheduler; and what a training needs beside it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checkpoint_state import CheckpointState
    from .gradients import average_grad, clip_grad_norm, non_finite_grad
    from .inference_session import InferenceSession
    from .loss_options import with_loss_options
    from .module import Module
    from .optimizer import Optimizer
    from .parameter import Parameter
    from .scheduler import ConstantLRScheduler, CosineLRScheduler, LinearLRScheduler, LRScheduler

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

_MODULES = {
    "checkpoint_state": "CheckpointState",
    "gradients": "average_grad clip_grad_norm non_finite_grad",
    "inference_session": "InferenceSession",
    "loss_options": "with_loss_options",
    "module": "Module",
    "optimizer": "Optimizer",
    "parameter": "Parameter",
    "scheduler": "ConstantLRScheduler CosineLRScheduler LRScheduler LinearLRScheduler",
}
_MODULE_OF = {name: f".{module}" for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """What is imported when it is asked for."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name], __name__), name)
