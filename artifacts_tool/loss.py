"""Which losses generate_artifacts knows by name, and how a loss is put on a model."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence

from pagetrain.errors import InvalidInputError
from pagetrain.graph import Graph, Model

from .half_precision import with_float32_scores
from .naming import Names
from .onnx_io import read_proto
from .onnxblock.accessor import ModelAccessor, opened
from .onnxblock.block import Block
from .onnxblock.blocks import PassThrough
from .onnxblock.graph_blocks import output_names
from .onnxblock.loss import BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss
from .proto_writer import proto_of
from .value_types import value_types


class LossType(enum.IntEnum):
    """ORT's names and numbers."""

    MSELoss = 1
    CrossEntropyLoss = 2
    BCEWithLogitsLoss = 3
    L1Loss = 4


LOSSES: Mapping[LossType, Callable[[], Block]] = {
    LossType.MSELoss: MSELoss,
    LossType.CrossEntropyLoss: CrossEntropyLoss,
    LossType.BCEWithLogitsLoss: BCEWithLogitsLoss,
    LossType.L1Loss: L1Loss,
}


def with_loss(model: Model, loss: LossType | Block | None, input_names: Sequence[str] | None, names: Names) -> tuple[Model, list[str]]:
    """(the model with the block's nodes, names of the loss and of what else the block returned).

    The block gets the values `input_names`, by default the outputs, and half-precision ones cast to float32; a loss of LOSSES wants one,
    and the target's name if it is not the usual. Raises InvalidInputError for an unknown loss or value.
    """
    block = _block_of(loss)
    chosen = [value.name for value in model.graph.outputs] if input_names is None else list(input_names)
    if isinstance(loss, LossType):
        _check_inputs(model.graph, chosen, input_names is not None)
    if loss is not None:
        model, read_as = with_float32_scores(model, chosen, value_types(model.graph))
        chosen = [read_as.get(name, name) for name in chosen]
    values = {tensor.name: tensor.data for tensor in model.graph.initializers}
    accessor = ModelAccessor(proto_of(model, with_large=False), names=names)
    with opened(accessor), accessor.nested():  # not the outermost block: assemble checks the whole
        outputs = output_names(block(*chosen))
    return read_proto(accessor.model, lambda tensor: values[tensor.name]), outputs


def _block_of(loss: LossType | Block | None) -> Block:
    if loss is None:
        return PassThrough()
    if isinstance(loss, Block):
        return loss
    if loss not in LOSSES:
        raise InvalidInputError(
            f"The loss {loss!r} cannot be built; choose one of {', '.join(known.name for known in LOSSES)}, or a Block."
        )
    return LOSSES[loss]()


def _check_inputs(graph: Graph, chosen: Sequence[str], named: bool) -> None:
    if not named and len(chosen) != 1:
        outputs = ", ".join(chosen)
        raise InvalidInputError(f"The model has {len(chosen)} outputs ({outputs}); say which one is scored with loss_input_names.")
    if not 1 <= len(chosen) <= 2 or chosen[0] not in value_types(graph):
        raise InvalidInputError(f"loss_input_names must be a value of the model and, if wanted, a name for the labels; got {list(chosen)}.")
