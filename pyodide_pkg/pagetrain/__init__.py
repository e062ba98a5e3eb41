"""Fine-tuning of ONNX models from ORT training artifacts, in CPython and in the web page."""

from . import errors
from .api import CheckpointState, LinearLRScheduler, Module, Optimizer
from .personalizer import Personalizer

__version__ = "0.1.0"
__all__ = ["CheckpointState", "LinearLRScheduler", "Module", "Optimizer", "Personalizer", "__version__", "errors"]
