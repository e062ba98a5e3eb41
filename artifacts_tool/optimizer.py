"""Which optimizers generate_artifacts knows by name, and the optimizer graph."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping

from onnx import TensorProto

from pagetrain.errors import InvalidInputError
from pagetrain.graph import Model

from .naming import Names
from .onnx_io import read
from .onnxblock.accessor import ModelAccessor, empty_model, opened
from .onnxblock.graph_blocks import ForwardBlock
from .onnxblock.optim import SGD, AdamW


class OptimType(enum.IntEnum):
    """ORT's names and numbers."""

    AdamW = 1
    SGD = 2


OPTIMIZERS: Mapping[OptimType, Callable[[], ForwardBlock]] = {OptimType.AdamW: AdamW, OptimType.SGD: SGD}


def optimizer_model(
    optimizer: OptimType | ForwardBlock, parameters: tuple[list[TensorProto], list[TensorProto]], base_opset: int, names: Names
) -> Model:
    """The graph that updates all trainable parameters in place. parameters: (trainable, frozen), as blocks get them.

    Raises InvalidInputError for what is neither an OptimType nor a block that makes a graph.
    """
    with opened(ModelAccessor(empty_model(base_opset), names=names)):
        block = _block_of(optimizer)
        block(parameters)
        return read(block.to_model_proto())


def _block_of(optimizer: OptimType | ForwardBlock) -> ForwardBlock:
    if isinstance(optimizer, ForwardBlock):
        return optimizer
    if optimizer not in OPTIMIZERS:
        known = ", ".join(kind.name for kind in OPTIMIZERS)
        raise InvalidInputError(f"The optimizer {optimizer!r} cannot be built; choose one of {known}, or a block of onnxblock.optim.")
    return OPTIMIZERS[optimizer]()
