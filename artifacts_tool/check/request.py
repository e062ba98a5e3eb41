"""What is asked of `check` and `generate`: the parameters of generate_artifacts, weights by pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..loss import LossType
from ..optimizer import OptimType


@dataclass(frozen=True, slots=True)
class Request:
    """trainable, frozen: names, patterns with * and ?, last:N; frozen None: all other weights. loss None: the model's first output.

    loss_input_names: the value that the loss is about and, if wanted, the name of the labels; None: found from the outputs.
    fix: what can be put right without changing what is learnt is put right, with a note.
    """

    trainable: Sequence[str]
    frozen: Sequence[str] | None = None
    loss: LossType | None = LossType.CrossEntropyLoss
    loss_input_names: Sequence[str] | None = None
    optimizer: OptimType | None = None
    additional_output_names: Sequence[str] = ()
    batch_statistics: bool = False
    fix: bool = False
