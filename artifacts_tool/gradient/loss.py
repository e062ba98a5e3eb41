"""Gradients of losses."""

from __future__ import annotations

from pagetrain.graph import MS_DOMAIN

from .registry import gradient
from .scope import Scope


@gradient("SoftmaxCrossEntropyLoss", stop=(1, 2))
def softmax_cross_entropy_loss(s: Scope) -> None:
    """dscores = (softmax(scores) - onehot(labels)) * weight * dY / (what the mean divided by), from the forward node's log_prob."""
    inputs = [s.GO(0), s.O(1), s.I(1), *([s.I(2)] if s.I(2) else [])]
    s.emit("SoftmaxCrossEntropyLossGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, copied=s.node.attributes)


@gradient("SoftmaxCrossEntropyLossInternal", domain=MS_DOMAIN, stop=(1, 2, 3))
def softmax_cross_entropy_loss_internal(s: Scope) -> None:
    """As above, with ignore_index as an input."""
    inputs = [s.GO(0), s.O(1), s.I(1), s.I(2), s.I(3)]
    while not inputs[-1]:
        inputs.pop()
    s.emit("SoftmaxCrossEntropyLossInternalGrad", inputs, [s.GI(0)], domain=MS_DOMAIN, copied=s.node.attributes)
