"""One recurrent node as a Scan per direction, whose body is one step."""

from __future__ import annotations

from dataclasses import dataclass

from pagetrain.graph import ElementType, Graph, TensorType, ValueInfo

from .gradient.scope import AttributeValue
from .half_precision import HALVES
from .node_writer import NodeWriter
from .recurrent_cells import Cell
from .recurrent_node import GATES, LENGTHS, RecurrentNode


@dataclass
class ScanWriter:
    """Writes the nodes that take the place of `node`. The product of X and W is made for all steps at once, before the Scan.

    One of half precision is calculated in float32, as its kernel does it.
    """

    node: RecurrentNode
    writer: NodeWriter

    def write(self) -> None:
        """Appends to the writer; the last nodes make the node's outputs."""
        node, writer = self.node.with_float32_inputs(self.writer), self.writer
        x = writer.emit("Transpose", node.input(0), perm=(1, 0, 2)) if node.batch_first else node.input(0)
        steps = _Steps(writer, x)
        running = steps.before(node.input(LENGTHS)) if node.input(LENGTHS) else ""
        made = [_Direction(node, writer, x, steps, running, way).write() for way in range(len(node.backwards))]
        if node.output(0):
            rows = [writer.unsqueeze(rows, 1) for _, rows in made]
            self._finish(writer.joined(rows, 1), 0, (2, 0, 1, 3))
        for place, states in enumerate(zip(*(ends for ends, _ in made), strict=True), 1):
            if node.output(place):
                self._finish(writer.joined([writer.unsqueeze(state, 0) for state in states], 0), place, (1, 0, 2))

    def _finish(self, value: str, place: int, perm: tuple[int, ...]) -> None:
        """Gives the value the name and the type of the node's output."""
        if self.node.batch_first:
            value = self.writer.emit("Transpose", value, perm=perm)
        if self.node.X.element in HALVES:
            self.writer.emit("Cast", value, output=self.node.output(place), to=int(self.node.X.element))
        else:
            self.writer.emit("Identity", value, output=self.node.output(place))


@dataclass
class _Steps:
    """Sizes of X (T, N, I) at run time."""

    writer: NodeWriter
    x: str
    _shape: str = ""

    def size(self, axis: int) -> str:
        """An int64 tensor of one element."""
        self._shape = self._shape or self.writer.emit("Shape", self.x)
        return self.writer.emit("Gather", self._shape, self.writer.ints(axis), axis=0)

    def before(self, lengths: str) -> str:
        """(T, N, 1) bool: whether the step is one of the sequence."""
        emit, ints = self.writer.emit, self.writer.ints
        numbers = emit("NonZero", emit("Expand", ints(1), self.size(0)))  # 0, 1, ..; Range is an op from opset 11 on
        ends = emit("Cast", lengths, to=int(ElementType.INT64))
        return emit("Less", emit("Reshape", numbers, ints(-1, 1, 1)), emit("Reshape", ends, ints(1, -1, 1)))

    def zeros(self, size: int) -> str:
        """(N, size)."""
        shape = self.writer.emit("Concat", self.size(1), self.writer.ints(size), axis=0)
        return self.writer.emit("Expand", self.writer.number(0), shape)


@dataclass
class _Direction:
    """One of the node's directions. x: (T, N, I); running: (T, N, 1) bool or "", see _Steps.before."""

    node: RecurrentNode
    writer: NodeWriter
    x: str
    steps: _Steps
    running: str
    way: int

    def write(self) -> tuple[list[str], str]:
        """(the states at the end (N, H), H of each step (T, N, H) or "" where nobody asks)."""
        node, emit = self.node, self.writer.emit
        biases = self._biases()
        product = emit("MatMul", self.x, emit("Transpose", self._of(1), perm=(1, 0)))
        scanned = [self.writer.sum(product, biases[0]), *filter(None, [self.running])]
        states = [self._initial(place) for place in self._state_places]
        rows = [f"{self._prefix}/Y"] if node.output(0) else []
        ends = [f"{self._prefix}/{name}" for name in self._state_names]
        directions: dict[str, AttributeValue] = {}
        if node.backwards[self.way]:
            directions["scan_input_directions"] = (1,) * len(scanned)
        if node.backwards[self.way] and rows:
            directions["scan_output_directions"] = (1,)
        body = self._body(self._cell(biases[1]))
        self.writer.emit_several("Scan", [*states, *scanned], [*ends, *rows], body=body, num_scan_inputs=len(scanned), **directions)
        return ends, "".join(rows)

    @property
    def _prefix(self) -> str:
        return f"{self.writer.prefix}/{self.way}"

    @property
    def _state_names(self) -> tuple[str, ...]:
        return ("H", "C") if self.node.op_type == "LSTM" else ("H",)

    @property
    def _state_places(self) -> range:
        return range(5, 5 + len(self._state_names))

    def _of(self, place: int) -> str:
        """The direction's part of an input, without the axis of directions; "" for one that is left out."""
        if name := self.node.input(place):
            return self.writer.squeeze(self.writer.split(name, [1] * len(self.node.backwards), 0)[self.way], 0)
        return ""

    def _initial(self, place: int) -> str:
        """An initial state (N, H), zeros where none is given."""
        if not self.node.input(place):
            return self.steps.zeros(self.node.hidden)
        axis = 1 if self.node.batch_first else 0
        parts = self.writer.split(self.node.input(place), [1] * len(self.node.backwards), axis)
        return self.writer.squeeze(parts[self.way], axis)

    def _biases(self) -> tuple[str, str]:
        """(what is added to X W^T, what is added to the recurrent product inside of a GRU's step)."""
        hidden, gates, writer = self.node.hidden, GATES[self.node.op_type], self.writer
        if not (B := self._of(3)):
            return "", ""
        if not self._resets_late:
            return writer.emit("Add", *writer.split(B, [gates * hidden] * 2, 0)), ""
        W_zr, W_h, R_zr, R_h = writer.split(B, [2 * hidden, hidden] * 2, 0)
        return writer.joined([writer.emit("Add", W_zr, R_zr), W_h], 0), R_h

    @property
    def _resets_late(self) -> bool:
        return self.node.op_type == "GRU" and self.node.attribute("linear_before_reset", 0) != 0

    def _cell(self, bias: str) -> Cell:
        hidden, P = self.node.hidden, self._of(7) if self.node.op_type == "LSTM" else ""
        into: tuple[str, ...] = (self.writer.emit("Transpose", self._of(2), perm=(1, 0)),)
        if self.node.op_type == "GRU" and not self._resets_late:
            into = tuple(self.writer.split(into[0], [2 * hidden, hidden], 1))
        return Cell(
            NodeWriter(f"{self._prefix}/step", self.writer.opset, self.writer.dtype),
            hidden,
            self.node.activations[self.way],
            self.node.clip,
            into,
            bias,
            tuple(self.writer.split(P, [hidden] * 3, 0)) if P else (),
            self._resets_late,
            self.node.attribute("input_forget", 0) != 0,
        )

    def _body(self, cell: Cell) -> Graph:
        node, writer = self.node, cell.writer
        row = TensorType(node.X.element, (node.batch, node.hidden))
        gates = TensorType(node.X.element, (node.batch, GATES[node.op_type] * node.hidden))
        running = ValueInfo(f"{writer.prefix}/running", TensorType(ElementType.BOOL, (node.batch, 1)))
        before = [f"{writer.prefix}/{name}" for name in self._state_names]
        x = f"{writer.prefix}/gates"
        after = cell.step(node.op_type, x, before)
        seen = after[0]
        if self.running:
            seen = writer.emit("Where", running.name, after[0], writer.number(0)) if node.output(0) else ""
            after = [writer.emit("Where", running.name, new, old) for new, old in zip(after, before, strict=True)]
        ends = [*after, *([writer.emit("Identity", seen)] if node.output(0) else [])]
        inputs = [*(ValueInfo(name, row) for name in before), ValueInfo(x, gates), *([running] if self.running else [])]
        outputs = tuple(ValueInfo(name, row) for name in ends)
        return Graph(writer.prefix, tuple(writer.nodes), tuple(inputs), outputs, tuple(writer.constants))
