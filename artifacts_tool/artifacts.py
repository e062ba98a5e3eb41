"""generate_artifacts and what it takes, where ORT has them: `from artifacts_tool import artifacts`."""

from .generate import generate_artifacts
from .loss import LossType
from .optimizer import OptimType

__all__ = ["LossType", "OptimType", "generate_artifacts"]
