"""Fine-tuning of ONNX models from ORT training artifacts, in CPython and in the web page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors

if TYPE_CHECKING:
    from . import backend
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
    "backend",
    "clip_grad_norm",
    "errors",
    "non_finite_grad",
    "with_loss_options",
]


def __getattr__(name: str) -> Any:
    """What is imported when it is asked for, because in a page reading the sources takes time."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "backend":
        return import_module(".backend", __name__)
    return getattr(import_module(".personalizer" if name == "Personalizer" else ".api", __name__), name)


def __dir__() -> list[str]:
    return __all__
