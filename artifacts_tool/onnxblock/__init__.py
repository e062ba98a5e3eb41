"""Building blocks that stack nodes on a model: losses, optimizers and one's own, as onnxruntime.training.onnxblock has them.

    with onnxblock.base(model) as accessor:
        loss = onnxblock.loss.MSELoss()("prediction")

Source of names, arguments and nodes: onnxruntime.training.onnxblock (ORT 1.19).
"""

from . import blocks, loss, optim
from .accessor import base, custom_op_library, empty_base
from .block import Block
from .checkpoint_utils import load_checkpoint_to_model, save_checkpoint
from .graph_blocks import ForwardBlock, TrainingBlock

__all__ = [
    "Block",
    "ForwardBlock",
    "TrainingBlock",
    "base",
    "blocks",
    "custom_op_library",
    "empty_base",
    "load_checkpoint_to_model",
    "loss",
    "optim",
    "save_checkpoint",
]
