"""Gradient of Scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pagetrain.graph import Attribute, Graph, TensorType
from pagetrain.topology import reads

from .places import zeros_like
from .registry import gradient
from .scan_body import Bodies, BodyWriter
from .scan_form import ScanForm, Walk, form_of, stacked
from .scan_path import ScanPath, find_scan_path
from .scope import Scope, attribute_of

Stack = tuple[str, Walk]  # a value outside that holds all elements of one of the body, and how they lie in it


@gradient("Scan", differs="ORT has no gradient, and aborts where the body reads a trainable weight")
def scan(s: Scope) -> None:
    """A second Scan, with the steps in the opposite order; its states are the gradients of the states, and sums of captured values' ones.

    The forward Scan hands out what the backward body reads of it. The gradient by a captured matrix B that is only multiplied from the
    left, A B, is one product over all steps in the end.
    """
    form, values = form_of(s.node, s.types, s.constants, s.opset), reads(s.node)
    wanted = [place for place in range(len(values)) if s.GI(place)]
    path = find_scan_path(form, wanted, [place for place, name in enumerate(s.node.outputs) if name and s.GO(place)])
    done = {*path.carried, *path.elements, *(form.place(name) for name in (*path.summed, *(product.B for product in path.products)))}
    if done:
        bodies = BodyWriter(form, path, s.constants, f"{s.prefix}/step", s.opset).write()
        stacks = _forward(s, form, bodies)
        gradients = _backward(s, form, path, bodies, stacks)
        _multiply(s, form, path, stacks, gradients)
    for place in wanted:
        if place not in done:
            s.emit("Identity", [zeros_like(s, values[place], f"unread_{place}")], [s.GI(place)])


def _forward(s: Scope, form: ScanForm, bodies: Bodies) -> dict[str, Stack]:
    """Lets the forward Scan hand out what is kept; {value of the body that the backward one reads: its stack}."""
    named = (*s.node.outputs, *("" for _ in form.output_names[len(s.node.outputs) :]))
    outputs = [name or s.helper(f"unnamed_{place}") for place, name in enumerate(named)]  # ORT cannot run a Scan that leaves one out
    stacks = {name: stack for name in bodies.elements if (stack := form.stack_of(name))}
    stacks |= {name: (s.helper(name, _stacked(s, form, bodies.types.get(name))), Walk()) for name in bodies.kept}
    walks = [*form.outputs, *(Walk() for _ in bodies.kept)]
    attributes = _attributes(bodies.forward, form.inputs, walks)
    s.replace_forward(replace(s.node, outputs=(*outputs, *(stacks[name][0] for name in bodies.kept)), attributes=attributes))
    return stacks


def _stacked(s: Scope, form: ScanForm, known: TensorType | None) -> TensorType | None:
    """The type of a stack of elements."""
    outer = s.types.get(s.node.inputs[form.states])
    steps = None if outer is None or outer.shape is None else outer.shape[form.inputs[0].axis]
    return None if known is None else stacked(known, Walk(), steps)


def _backward(s: Scope, form: ScanForm, path: ScanPath, bodies: Bodies, stacks: Mapping[str, Stack]) -> dict[str, str]:
    """The second Scan; {product Y of the body: the stack of its gradients, in the order of the steps}."""
    states = [s.GO(place) or zeros_like(s, s.I(place), f"state_{place}") for place in path.carried]
    states += [zeros_like(s, name, name) for name in path.summed]
    read = [(s.GO(place), form.outputs[place - form.states].back) for place in path.read]
    read += [(stacks[name][0], stacks[name][1].back) for name in bodies.elements]
    ends = [s.GI(place) or s.helper(f"dstate_{place}") for place in path.carried]
    ends += [s.GI(form.place(name)) for name in path.summed]
    made = [(s.GI(place), form.inputs[place - form.states].back) for place in path.elements]
    products = {p.Y: s.helper(f"d{p.Y}", _stacked(s, form, form.types.get(p.Y))) for p in path.products}
    made += [(name, Walk().back) for name in products.values()]
    attributes = _attributes(bodies.backward, [walk for _, walk in read], [walk for _, walk in made])
    s.emit("Scan", [*states, *(name for name, _ in read)], [*ends, *(name for name, _ in made)], copied=attributes)
    return products


def _attributes(body: Graph, inputs: Sequence[Walk], outputs: Sequence[Walk]) -> dict[str, Attribute]:
    """A Scan's attributes; directions and axes that are all 0 are left out."""
    made = {"body": attribute_of(body), "num_scan_inputs": attribute_of(len(inputs))}
    for what, walks in (("input", inputs), ("output", outputs)):
        for name, values in (("axes", tuple(walk.axis for walk in walks)), ("directions", tuple(walk.direction for walk in walks))):
            if any(values):
                made[f"scan_{what}_{name}"] = attribute_of(values)
    return made


def _multiply(s: Scope, form: ScanForm, path: ScanPath, stacks: Mapping[str, Stack], gradients: Mapping[str, str]) -> None:
    """The gradient by each captured matrix: A^T dY over the rows of all steps, summed over its products."""
    parts: dict[str, list[str]] = {}
    for index, product in enumerate(path.products):
        stack = stacks.get(product.A) or form.stack_of(product.A)
        assert stack is not None, "BodyWriter keeps what has none"
        axis = len(form.types[product.A].shape or ())
        rows, dY = (
            s.emit("Flatten", [value], [s.helper(f"{name}_{index}")], axis=axis)
            for name, value in (("rows", stack[0]), ("dY", gradients[product.Y]))
        )
        turned = s.emit("Transpose", [rows], [s.helper(f"turned_{index}")], perm=(1, 0))
        parts.setdefault(product.B, []).append(s.emit("MatMul", [turned, dY], [s.helper(f"product_{index}")]))
    for name, made in parts.items():
        s.emit("Sum", made, [s.GI(form.place(name))])
