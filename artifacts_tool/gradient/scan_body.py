"""The two bodies of a differentiated Scan: the forward one that hands out what the backward one reads, and the backward one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pagetrain.graph import NUMPY_DTYPES, ElementType, Graph, Node, Tensor, TensorType, ValueInfo
from pagetrain.names import gradient_of
from pagetrain.renaming import renamed
from pagetrain.topology import reads

from ..op_schemas import since_version
from .backward import pull_back
from .scan_form import ScanForm, Walk, typed_body
from .scan_path import ScanPath
from .scope import BACKWARD

SHAPES = ("Shape", "Size")  # taken in the forward body, so that not the value is kept but its shape
VIEWS = ("Identity", "Split", "Transpose")  # cost nothing, so they are made again instead of being kept


@dataclass(frozen=True)
class Bodies:
    """forward: the body with `kept`, values of it, as further scan outputs.

    backward: its states are the gradients of the carried states, then the sums of captured values' gradients; its scan inputs the gradients
    of the scan outputs that are read, then `elements`, values of the forward body. Its scan outputs: the gradients of the scan inputs, then
    those of the products. types: of the forward body's values.
    """

    forward: Graph
    kept: tuple[str, ...]
    backward: Graph
    elements: tuple[str, ...]
    types: Mapping[str, TensorType]


class BodyWriter:
    """Writes both bodies of one Scan. prefix: stands before every name that is new in them."""

    def __init__(self, form: ScanForm, path: ScanPath, constants: Mapping[str, np.ndarray], prefix: str, opset: int) -> None:
        """Raises UnsupportedOpError naming the body's ops without a gradient."""
        self._form, self._path, self._constants, self._prefix, self._opset = form, path, constants, prefix, opset
        inputs, outputs = form.input_names, form.output_names
        wanted = [inputs[place] for place in (*path.carried, *path.elements)]
        seeded = [outputs[place] for place in (*path.carried, *path.read)]
        products = [product.Y for product in path.products]
        self._made, reached, seeds = pull_back(form.whole, form.types, [*wanted, *path.summed, *products], seeded, opset)
        self._reached = reached.values
        self._seeds = [name or f"{outputs[place]}_unread" for name, place in zip(seeds, (*path.carried, *path.read), strict=True)]
        self._types = {**form.types, **self._made.types}
        self._types |= {name: form.types[value] for name, value in zip(self._seeds, seeded, strict=True) if value in form.types}

    def write(self) -> Bodies:
        """Both, with all their values typed."""
        forward, backward = list(self._made.forward), list(self._made.nodes)
        for node in [node for node in backward if node.op_type in SHAPES and node.inputs[0] in self._known(forward)]:
            backward.remove(node)
            forward.append(node)
            self._types.setdefault(node.outputs[0], TensorType(ElementType.INT64))
        again, elements = _what_is_read(forward, backward, self._known(forward))
        if not elements and not self._path.read:
            elements = (self._form.input_names[self._form.states],)  # tells the number of steps
        grown, kept = self._forward(forward, elements)
        return Bodies(grown, kept, self._backward([*again, *backward], elements), elements, self._types)

    def _known(self, nodes: Sequence[Node]) -> set[str]:
        """What the forward body has in a step that other steps have not."""
        return {*self._form.input_names, *(name for node in nodes for name in node.outputs if name)}

    def _forward(self, nodes: list[Node], elements: Sequence[str]) -> tuple[Graph, tuple[str, ...]]:
        kept = [name for name in elements if self._form.stack_of(name) is None]
        rows = (product.A for product in self._path.products)
        kept += dict.fromkeys(A for A in rows if A not in kept and (self._form.stack_of(A) or ("", None))[1] != Walk())
        there = {*self._form.input_names, *self._form.output_names}
        outputs = []
        for name in kept:
            own = self._copied(nodes, name) if name in there else name
            outputs.append(ValueInfo(own, self._types.get(name)))
        body = self._form.body
        grown = replace(body, nodes=tuple(nodes), outputs=(*body.outputs, *outputs), value_info=self._infos(nodes, outputs))
        return self._typed(grown), tuple(kept)

    def _backward(self, nodes: list[Node], elements: Sequence[str]) -> Graph:
        sums = {name: (f"{gradient_of(name)}_before", gradient_of(name)) for name in self._path.summed}
        self._types |= {before: self._types[name] for name, (before, _) in sums.items()}
        carried = len(self._path.carried)
        inputs = [*self._seeds[:carried], *(before for before, _ in sums.values()), *self._seeds[carried:], *elements]
        results = [self._state_gradient(nodes, *pair) for pair in zip(self._path.carried, self._seeds, strict=False)]
        results += [self._add(nodes, "Add", [before, gradient], f"{gradient}_after") for before, gradient in sums.values()]
        results += [gradient_of(self._form.input_names[place]) for place in self._path.elements]
        results += [gradient_of(product.Y) for product in self._path.products]
        taken = {*inputs, *self._form.captured}
        for index, name in enumerate(results):
            if name in taken:
                results[index] = self._copied(nodes, name)
            taken.add(results[index])
        return self._typed(self._renamed(nodes, inputs, results))

    def _state_gradient(self, nodes: list[Node], place: int, seed: str) -> str:
        """The gradient of a state before the step; zeros where the step does not read it."""
        state = self._form.input_names[place]
        if state in self._reached:
            return gradient_of(state)
        shape = self._add(nodes, "Shape", [seed], f"{state}_shape")
        zero = Tensor(f"{state}_zero", np.zeros((), NUMPY_DTYPES[self._types[seed].element]))
        self._made.initializers.append(zero)
        return self._add(nodes, "Expand", [zero.name, shape], gradient_of(state))

    def _renamed(self, nodes: list[Node], inputs: Sequence[str], outputs: Sequence[str]) -> Graph:
        """The backward body with names of its own."""
        read = {name for node in nodes for name in reads(node)}
        constants = [tensor for tensor in (*self._form.body.initializers, *self._made.initializers) if tensor.name in read]
        own = [*inputs, *(name for node in nodes for name in node.outputs if name), *(tensor.name for tensor in constants)]
        names = {name: f"{self._prefix}/{name}" for name in own}
        infos = [ValueInfo(names[info.name], info.type) for info in self._infos(nodes, outputs)]
        return Graph(
            f"{self._prefix}/body",
            tuple(renamed(node, names) for node in nodes),
            tuple(ValueInfo(names[name], self._types.get(name)) for name in inputs),
            tuple(ValueInfo(names[name], self._types.get(name)) for name in outputs),
            tuple(Tensor(names[tensor.name], tensor.data) for tensor in constants),
            tuple(infos),
        )

    def _infos(self, nodes: Sequence[Node], outputs: Sequence[str | ValueInfo]) -> tuple[ValueInfo, ...]:
        """What is known of the types of inner values."""
        ends = {output if isinstance(output, str) else output.name for output in outputs} | set(self._form.output_names)
        made = (name for node in nodes for name in node.outputs if name not in ends)
        return tuple(ValueInfo(name, self._types[name]) for name in made if name in self._types)

    def _typed(self, body: Graph) -> Graph:
        captured = {name: self._form.types[name] for name in self._form.captured if name in self._form.types}
        return typed_body(body, captured, self._constants, self._opset)[0]

    def _copied(self, nodes: list[Node], name: str) -> str:
        own = f"{self._prefix}/{name}_copy"
        if name in self._types:
            self._types[own] = self._types[name]
        return self._add(nodes, "Identity", [name], own)

    def _add(self, nodes: list[Node], op_type: str, inputs: Sequence[str], output: str) -> str:
        version = since_version(op_type, "", self._opset)
        nodes.append(Node(op_type, tuple(inputs), (output,), f"{output}/{op_type}", since_version=version, doc_string=BACKWARD))
        return output


def _what_is_read(forward: Sequence[Node], backward: Sequence[Node], known: set[str]) -> tuple[list[Node], tuple[str, ...]]:
    """(forward nodes that are calculated again in the backward body, values of the forward body that they and `backward` read)."""
    makers = {name: node for node in forward for name in node.outputs if name}
    waiting = [name for node in backward for name in reads(node) if name in known]
    again: set[int] = set()
    elements: dict[str, None] = {}
    while waiting:
        name = waiting.pop(0)
        maker = makers.get(name)
        if maker is None or maker.op_type not in VIEWS or maker.domain:
            elements[name] = None
        elif id(maker) not in again:
            again.add(id(maker))
            waiting += (read for read in maker.inputs if read in known)
    return [node for node in forward if id(node) in again], tuple(elements)
