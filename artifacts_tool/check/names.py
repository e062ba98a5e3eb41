"""Names of the model that the trainer needs for gradients, their buffers and flags."""

from __future__ import annotations

from collections.abc import Iterator

from pagetrain.names import LAZY_RESET_GRAD, accumulation_buffer_of, accumulation_output_of, gradient_of

from ..assembly import is_reserved
from ..logits import makers
from ..value_types import value_types
from .report import Finding, finding
from .subject import Subject


def colliding(subject: Subject) -> Iterator[Finding]:
    """Inputs, outputs and parameters by whose ending the trainer knows gradients; values inside that are called as one will be."""
    made = makers(subject.graph)
    inputs = (value.name for value in subject.graph.inputs)
    outputs = (subject.scored, *subject.request.additional_output_names)
    told = set()
    for kind, names in (("input", inputs), ("output", outputs), ("parameter", (*subject.chosen, *subject.frozen))):
        for name in dict.fromkeys(filter(is_reserved, names)):
            told.add(name)
            yield finding(f"the {kind} {name!r} has a name that the trainer keeps for gradients", "rename it", made.get(name))
    taken = {*made, *value_types(subject.graph)} - told
    for name, what in _names_to_come(subject):
        if name in taken:
            yield finding(f"{what} is to be called {name!r}, as a value of the model is already", "rename that value", made.get(name))


def _names_to_come(subject: Subject) -> Iterator[tuple[str, str]]:
    yield from ((gradient_of(name), f"the gradient of {name!r}") for name in sorted(subject.path.values))
    for name in subject.chosen:
        for new in (accumulation_buffer_of(name), accumulation_output_of(name)):
            yield new, f"what gathers the gradients of {name!r}"
    yield LAZY_RESET_GRAD, "the trainer's flag"
