"""Training artifacts from ONNX models, offline, without torch or onnxruntime: generate_artifacts, and `python -m artifacts_tool --help`."""

from .bind import bind_num_classes
from .generate import generate_artifacts
from .loss import LossType
from .optimizer import AdamW, OptimType
from .version import __version__

__all__ = ["AdamW", "LossType", "OptimType", "__version__", "bind_num_classes", "generate_artifacts"]
