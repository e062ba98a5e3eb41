"""Which initializers become parameters, that is inputs of the training and eval graphs, and which of them are trained."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ELEMENT_TYPES, Shape, Tensor, TensorType, ValueInfo


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter with its first values. `shape` may hold a symbolic size; the values then have 0 there."""

    tensor: Tensor
    shape: Shape
    trainable: bool

    @property
    def name(self) -> str:
        """The initializer's name."""
        return self.tensor.name

    @property
    def type(self) -> TensorType:
        """The type of the graph input."""
        return TensorType(ELEMENT_TYPES[self.tensor.data.dtype], self.shape)

    @property
    def value_info(self) -> ValueInfo:
        """The graph input."""
        return ValueInfo(self.name, self.type)


def names_of(argument: str, names: Iterable[str] | None) -> tuple[str, ...]:
    """The names that an argument lists. Raises InvalidInputError for a text, which would be taken for a list of letters."""
    if isinstance(names, str):
        raise InvalidInputError(f"{argument} must be a list of names, got the text {names!r}.")
    return tuple(names or ())


def choose_parameters(
    initializers: Sequence[Tensor], requires_grad: Sequence[str], frozen_params: Sequence[str], shapes: Mapping[str, Shape]
) -> tuple[Parameter, ...]:
    """The parameters in the order of the initializers. shapes: symbolic shapes to declare instead of the values'.

    Raises InvalidInputError when nothing is to be trained, for a name that is no initializer, and for one in both lists.
    """
    if not requires_grad:
        raise InvalidInputError("requires_grad is empty, so there is nothing to train; name the initializers to train.")
    known = {tensor.name for tensor in initializers}
    _refuse_unknown("requires_grad", requires_grad, known)
    _refuse_unknown("frozen_params", frozen_params, known)
    if both := sorted(set(requires_grad) & set(frozen_params)):
        raise InvalidInputError(f"{', '.join(map(repr, both))} cannot be in requires_grad and frozen_params at once; take it out of one.")
    chosen = {*requires_grad, *frozen_params}
    return tuple(
        Parameter(tensor, shapes.get(tensor.name, tensor.data.shape), tensor.name in set(requires_grad))
        for tensor in initializers
        if tensor.name in chosen
    )


def _refuse_unknown(argument: str, names: Sequence[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if not unknown:
        return
    near = [match for name in unknown for match in difflib.get_close_matches(name, known, 1)]
    hint = f"did you mean {', '.join(map(repr, near))}?" if near else f"it has {len(known)} of other names."
    if any(set("*?") & set(name) for name in unknown):
        hint = "patterns are for the command line, here whole names are needed."
    raise InvalidInputError(f"The model has no initializer {', '.join(map(repr, unknown))} ({argument}); {hint}")
