"""Optimizer graphs: one node over sequences of parameters, gradients and moments.

Source: onnxruntime.training.onnxblock.optim (ORT 1.19), com.microsoft AdamWOptimizer-1.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, Attribute, AttributeType, ElementType, Graph, Model, Node, SequenceType, TensorType, ValueInfo
from pagetrain.names import FIRST_ORDER_MOMENTS, GRADIENTS, LEARNING_RATE, PARAMETERS, SECOND_ORDER_MOMENTS, STEP

from .naming import Names

OPTIMIZER_IR_VERSION = 10
FLOATS = SequenceType(TensorType(ElementType.FLOAT))


class OptimType(enum.IntEnum):
    """ORT's names and numbers; OPTIMIZERS says which can be built."""

    AdamW = 1
    SGD = 2


@dataclass(frozen=True, slots=True)
class AdamW:
    """w -= lr * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps), then w -= lr * weight_decay * w; ORT's parameters and defaults.

    eps is added to the root of the uncorrected second moment, as in ORT: not what torch's AdamW does.
    """

    bias_correction: bool = True
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-6
    weight_decay: float = 0.0

    def attributes(self) -> dict[str, Attribute]:
        """Attributes of the AdamWOptimizer node."""
        floats = {"alpha": self.betas[0], "beta": self.betas[1], "epsilon": self.eps, "weight_decay": self.weight_decay}
        integers = {"adam_mode": 1, "correct_bias": int(self.bias_correction)}
        made = {name: Attribute(AttributeType.FLOAT, value) for name, value in floats.items()}
        made |= {name: Attribute(AttributeType.INT, value) for name, value in integers.items()}
        return dict(sorted(made.items()))


OPTIMIZERS: Mapping[OptimType, AdamW] = {OptimType.AdamW: AdamW()}


def optimizer_model(optimizer: OptimType | AdamW, base_opset: int, names: Names) -> Model:
    """The graph that updates all trainable parameters in place; it does not depend on which they are."""
    if not isinstance(optimizer, AdamW):
        if optimizer not in OPTIMIZERS:
            known = ", ".join(kind.name for kind in OPTIMIZERS)
            raise InvalidInputError(f"The optimizer {optimizer!r} cannot be built; choose one of {known}.")
        optimizer = OPTIMIZERS[optimizer]
    inputs = (
        ValueInfo(LEARNING_RATE, TensorType(ElementType.FLOAT, (1,))),
        ValueInfo(STEP, TensorType(ElementType.INT64, (1,))),
        *(ValueInfo(name, FLOATS) for name in (PARAMETERS, GRADIENTS, FIRST_ORDER_MOMENTS, SECOND_ORDER_MOMENTS)),
    )
    flag = names.new("adamw.updated_flag")
    node = Node(
        "AdamWOptimizer",
        tuple(value.name for value in inputs),
        (flag,),
        name=names.new("AdamWOptimizer"),
        domain=MS_DOMAIN,
        attributes=optimizer.attributes(),
    )
    graph = Graph("graph", (node,), inputs, (ValueInfo(flag, TensorType(ElementType.BOOL, (1,))),))
    return Model(graph, OPTIMIZER_IR_VERSION, {MS_DOMAIN: 1, "": base_opset}, producer_name="orttraining")
