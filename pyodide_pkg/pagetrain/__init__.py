"""Fine-tuning of ONNX models from ORT training artifacts, in CPython and in the web page."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """Personalizer is imported when it is asked for: with Pillow it takes longer than all the rest."""
    if name != "Personalizer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .personalizer import Personalizer

    return Personalizer
