"""Which gradients a Scan passes from step to step, and which it can leave to one matrix product over all steps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pagetrain.graph import Node
from pagetrain.topology import reads

from .path import dependents, trace
from .scan_form import ScanForm

MATRIX = 2  # axes


@dataclass(frozen=True, slots=True)
class Product:
    """A product A B in the body with B from outside: the gradient by B is the sum over the steps of A^T dY, one product of all rows."""

    A: str
    B: str
    Y: str


@dataclass(frozen=True)
class ScanPath:
    """carried: states whose gradient goes from step to step. read: scan outputs whose gradient comes in. Positions as in the body.

    elements: scan inputs (positions among the body's inputs) that get a gradient; summed: captured values whose gradients are added up
    step by step; products: those that need not be.
    """

    carried: tuple[int, ...]
    read: tuple[int, ...]
    elements: tuple[int, ...]
    summed: tuple[str, ...]
    products: tuple[Product, ...]


def find_scan_path(form: ScanForm, wanted: Collection[int], given: Collection[int]) -> ScanPath:
    """wanted: positions in reads(node) that are to get a gradient. given: positions of the outputs that have one."""
    inputs, outputs = form.input_names, form.output_names
    named = (*inputs, *form.captured)
    trained = {named[place] for place in wanted}
    while more := _made_from(form, trained):
        trained |= more
    relevant = {outputs[place] for place in given}
    path = trace(form.whole, form.types, trained, relevant)
    while more := {outputs[i] for i in range(form.states) if inputs[i] in path.values} - relevant:
        relevant |= more
        path = trace(form.whole, form.types, trained, relevant)
    captured = [name for name in form.captured if name in trained and name in path.values]
    products = {name: _products(name, form, path.nodes) for name in captured}
    return ScanPath(
        carried=tuple(i for i in range(form.states) if inputs[i] in trained and outputs[i] in relevant),
        read=tuple(place for place in sorted(given) if place >= form.states and outputs[place] in path.values),
        elements=tuple(place for place in range(form.states, len(inputs)) if place in wanted and inputs[place] in path.values),
        summed=tuple(name for name in captured if not products[name]),
        products=tuple(product for name in captured for product in products[name]),
    )


def _made_from(form: ScanForm, trained: set[str]) -> set[str]:
    """Further states that depend on `trained` values after a step."""
    found = dependents(form.whole, form.types, trained)
    return {form.input_names[i] for i in range(form.states) if form.output_names[i] in found} - trained


def _products(B: str, form: ScanForm, nodes: Collection[Node]) -> tuple[Product, ...]:
    """The products that B is the matrix of; () where it has another use."""
    known, users = form.types.get(B), [node for node in nodes if B in reads(node)]
    if known is None or known.shape is None or len(known.shape) != MATRIX or B in form.output_names:
        return ()
    inner = {*form.input_names, *(name for node in form.body.nodes for name in node.outputs)}
    if all(node.op_type == "MatMul" and node.inputs[1] == B and node.inputs[0] in inner for node in users):
        return tuple(Product(node.inputs[0], B, node.outputs[0]) for node in users)
    return ()
