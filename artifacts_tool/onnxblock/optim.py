"""Optimizers as blocks: one node over sequences of parameters, gradients and moments.

Source: onnxruntime.training.onnxblock.optim (ORT 1.19), com.microsoft AdamWOptimizer-1, SGDOptimizerV2-1, InplaceClipGradNorm-1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import TensorProto

from pagetrain.errors import InvalidInputError
from pagetrain.names import FIRST_ORDER_MOMENTS, GRADIENTS, LEARNING_RATE, PARAMETERS, SECOND_ORDER_MOMENTS, STEP

from .block import Block
from .graph_blocks import ForwardBlock

MS = "com.microsoft"
Parameters = tuple[Sequence[TensorProto], Sequence[TensorProto]]


class ClipGradNorm(Block):
    """All gradients times min(1, max_norm / (their common L2 norm + 1e-6)), in place: the buffers themselves are clipped."""

    def __init__(self, max_norm: float) -> None:
        super().__init__()
        self._max_norm = float(max_norm)

    def build(self, gradients_name: str) -> str:
        """Appends the node over a sequence, and the type of its output."""
        output = self._name("clip_grad_norm_output")
        self._node("InplaceClipGradNorm", [gradients_name], output, MS, max_norm=self._max_norm)
        self.base.graph.value_info.append(onnx.helper.make_tensor_sequence_value_info(output, TensorProto.FLOAT, None))
        return output


class SGDOptimizer(Block):
    """w -= lr * g."""

    def build(self, learning_rate_name: str, params_name: str, gradients_name: str) -> str:
        """Appends the node; returns its flag. (ORT calls the last two the other way round, and hands them over so.)"""
        flag = self._name("update_completed")
        return self._node("SGDOptimizerV2", [learning_rate_name, params_name, gradients_name], flag, MS)


class AdamWOptimizer(Block):
    """w -= lr * sqrt(1 - b2^t) / (1 - b1^t) * m / (sqrt(v) + eps), then w -= lr * weight_decay * w.

    eps is added to the root of the uncorrected second moment, as in ORT: not what torch's AdamW does.
    """

    def __init__(
        self, bias_correction: bool = True, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-6, weight_decay: float = 0.0
    ) -> None:
        super().__init__()
        self._attributes: dict[str, Any] = {
            "alpha": float(betas[0]),
            "beta": float(betas[1]),
            "epsilon": float(eps),
            "weight_decay": float(weight_decay),
            "correct_bias": int(bias_correction),
            "adam_mode": 1,
        }

    def build(self, *input_names: str) -> str:
        """Appends the node over learning rate, step, and the sequences of parameters, gradients and both moments; returns its flag."""
        return self._node("AdamWOptimizer", list(input_names), self._name("adamw.updated_flag"), MS, **self._attributes)


class _Optimizer(ForwardBlock):
    """The whole optimizer graph; it does not depend on which parameters there are."""

    moments: tuple[str, ...]

    def __init__(self, clip_grad: ClipGradNorm | None = None) -> None:
        super().__init__()
        self._clip_grad = clip_grad

    def build(self, parameters: Parameters) -> str:
        """Appends inputs, nodes and output; returns the flag. parameters: (trainable, frozen). Raises InvalidInputError for none."""
        trainable, _ = parameters
        if not trainable:
            raise InvalidInputError("There is nothing to train, so there is nothing to optimize; name parameters in requires_grad.")
        self.base.graph.input.extend(
            [
                onnx.helper.make_tensor_value_info(LEARNING_RATE, TensorProto.FLOAT, [1]),
                onnx.helper.make_tensor_value_info(STEP, TensorProto.INT64, [1]),
                *(
                    onnx.helper.make_tensor_sequence_value_info(name, trainable[0].data_type, None)
                    for name in (PARAMETERS, GRADIENTS, *self.moments)
                ),
            ]
        )
        flag = self._update(GRADIENTS if self._clip_grad is None else self._clip_grad(GRADIENTS))
        self.base.graph.output.append(onnx.helper.make_tensor_value_info(flag, TensorProto.BOOL, [1]))
        return flag

    def _update(self, gradients: str) -> str:
        raise NotImplementedError


class AdamW(_Optimizer):
    """AdamWOptimizer over all trainable parameters; ORT's arguments and defaults."""

    moments = (FIRST_ORDER_MOMENTS, SECOND_ORDER_MOMENTS)

    def __init__(
        self,
        bias_correction: bool = True,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        clip_grad: ClipGradNorm | None = None,
    ) -> None:
        super().__init__(clip_grad)
        self._adamw = AdamWOptimizer(bias_correction, betas, eps, weight_decay)

    def _update(self, gradients: str) -> str:
        return self._adamw.build(LEARNING_RATE, STEP, PARAMETERS, gradients, *self.moments)


class SGD(_Optimizer):
    """SGDOptimizer over all trainable parameters. The graph has one moment that it does not use, as ORT's."""

    moments = (FIRST_ORDER_MOMENTS,)

    def _update(self, gradients: str) -> str:
        return SGDOptimizer().build(LEARNING_RATE, PARAMETERS, gradients)
