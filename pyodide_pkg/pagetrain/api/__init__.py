"""ORT's training API: Module, Optimizer, CheckpointState, LinearLRScheduler; and what a training needs beside it."""

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
