"""Fine-tuning of ONNX models from ORT training artifacts, in CPython and in the web page."""

from . import accelerator, backend, errors
from .api import (
    CheckpointState,
    ConstantLRScheduler,
    CosineLRScheduler,
    InferenceSession,
    LinearLRScheduler,
    Module,
    Optimizer,
    average_grad,
    clip_grad_norm,
    non_finite_grad,
    with_loss_options,
)
from .personalizer import Personalizer

backend.found_by(accelerator.find)

__version__ = "0.1.0"
__all__ = [
    "CheckpointState",
    "ConstantLRScheduler",
    "CosineLRScheduler",
    "InferenceSession",
    "LinearLRScheduler",
    "Module",
    "Optimizer",
    "Personalizer",
    "__version__",
    "average_grad",
    "clip_grad_norm",
    "errors",
    "non_finite_grad",
    "with_loss_options",
]
