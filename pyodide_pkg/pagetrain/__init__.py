"""Fine-tuning of ONNX models from ORT training artifacts, in CPython and in the web page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors
from .api import (
    CheckpointState,
    ConstantLRScheduler,
    CosineLRScheduler,
    LinearLRScheduler,
    Module,
    Optimizer,
    average_grad,
    clip_grad_norm,
    non_finite_grad,
)

if TYPE_CHECKING:
    from .api import InferenceSession, with_loss_options
    from .personalizer import Personalizer


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
    """What is imported when it is asked for: with Pillow, Personalizer takes longer than all the rest."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".personalizer" if name == "Personalizer" else ".api", __name__), name)
