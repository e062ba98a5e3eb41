"""Gradient of Einsum: another Einsum for each operand."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence

from pagetrain.graph import Dimension

from .expression import calculate
from .places import int64_constant, shape_of, unsqueeze
from .reduce import sum_to
from .registry import NONE_IN_ORT, gradient
from .scope import Scope

ELLIPSIS = "..."


@gradient("Einsum", differs=NONE_IN_ORT)
def einsum(s: Scope) -> None:
    """dX = the sum over the products of dY with the other operands, with the labels of X; those that only X has are spread out again.

    Of an operand that is read along a diagonal, all else gets zeros: a product with the identity matrix of the label that it repeats.
    """
    operands, output = _labels(s)
    sizes = _sizes(s, operands)
    for index, own in enumerate(operands):
        if s.GI(index):
            _by_operand(s, index, own, [*operands[:index], *operands[index + 1 :]], output, sizes)


def _by_operand(s: Scope, index: int, labels: str, others: Sequence[str], output: str, sizes: dict[str, Dimension]) -> None:
    name = f"operand_{index}"
    own, repeated = _apart(labels, (output, *others))
    sizes = sizes | {new: sizes[old] for old, new in repeated}
    others = [*others, *(old + new for old, new in repeated)]
    kept = "".join(label for label in own if label in output or any(label in other for other in others))
    values = [s.GO(0), *(value for place, value in enumerate(s.node.inputs) if place != index)]
    values += [_identity(s, index, labels.index(old), f"{name}_{new}") for old, new in repeated]
    product = s.emit("Einsum", values, [s.helper(f"{name}_product")], equation=f"{','.join([output, *others])}->{kept}")
    for place, label in enumerate(own):
        if label not in kept:
            product = unsqueeze(s, product, place, f"{name}_{label}")
    if kept != own:
        product = s.emit("Expand", [product, shape_of(s, s.I(index), name)], [s.helper(f"{name}_expanded")])
    sum_to(s, product, tuple(sizes[label] for label in own), s.I(index), s.GI(index), name)


def _apart(labels: str, others: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """(the labels, each only once, (label, the new one) for each repetition)."""
    free = (letter for letter in string.ascii_letters if letter not in "".join((labels, *others)))
    own, repeated = "", []
    for label in labels:
        if label in own:
            repeated.append((label, next(free)))
            label = repeated[-1][1]
        own += label
    return own, repeated


def _identity(s: Scope, index: int, axis: int, name: str) -> str:
    """The identity matrix of the size of an operand's axis."""
    size = s.emit("Gather", [shape_of(s, s.I(index), name), int64_constant(s, (axis, axis), f"{name}_axis")], [s.helper(f"{name}_square")])
    zeros = calculate(s, "ConstantOfShape", [size], f"{name}_zeros")
    return s.emit("EyeLike", [zeros], [s.helper(f"{name}_identity")], dtype=int(s.element(s.I(index))))


def _labels(s: Scope) -> tuple[list[str], str]:
    """The labels of each operand and of the result, one letter per axis: an ellipsis gets letters of its own."""
    equation = s.attribute("equation", "").replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    free = [letter for letter in string.ascii_letters if letter not in equation]
    widths = [len(s.shape(name)) - len(term.replace(ELLIPSIS, "")) for term, name in zip(terms, s.node.inputs, strict=True)]
    widest = max((width for term, width in zip(terms, widths, strict=True) if ELLIPSIS in term), default=0)
    batch = "".join(free[:widest])
    operands = [term.replace(ELLIPSIS, batch[widest - width :]) for term, width in zip(terms, widths, strict=True)]
    if not arrow:
        counts = Counter(label for term in terms for label in term.replace(ELLIPSIS, ""))
        right = ELLIPSIS + "".join(sorted(label for label, count in counts.items() if count == 1))
    return operands, right.replace(ELLIPSIS, batch)


def _sizes(s: Scope, operands: Sequence[str]) -> dict[str, Dimension]:
    """The size of each label: that of the operand that is not stretched along it."""
    sizes: dict[str, Dimension] = {}
    for own, name in zip(operands, s.node.inputs, strict=True):
        for label, size in zip(own, s.shape(name), strict=True):
            if sizes.get(label, 1) == 1:
                sizes[label] = size
    return sizes
