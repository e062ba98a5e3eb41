"""check: everything that stands in the way of training a model, at once, each with its fix; and what would be trained.

One file per kind of finding: weights, operators, scores (the loss and its input), names, sizes, remarks. None imports another.
"""

from .examine import Checked, check
from .report import Blocker, Cached, Report, Weight
from .request import Request

__all__ = ["Blocker", "Cached", "Checked", "Report", "Request", "Weight", "check"]
