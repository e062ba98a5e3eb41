"""Training artifacts from ONNX models, offline, without torch or onnxruntime: generate_artifacts, and `python -m artifacts_tool --help`."""

from . import artifacts, onnxblock
from .bind import bind_num_classes
from .generate import generate_artifacts
from .loss import LossType
from .onnxblock.optim import AdamW
from .optimizer import OptimType
from .version import __version__

__all__ = [
    "AdamW",
    "LossType",
    "OptimType",
    "__version__",
    "artifacts",
    "bind_num_classes",
    "generate_artifacts",
    "onnxblock",
]
