"""One recurrent node as standard ops, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ONNX_DOMAIN, Attribute, AttributeType, Node, Tensor, TensorType

from .op_schemas import since_version

ACTIVATIONS = {"RNN": ("Tanh",), "GRU": ("Sigmoid", "Tanh"), "LSTM": ("Sigmoid", "Tanh", "Tanh")}
ALLOWED = ("Relu", "Sigmoid", "Softplus", "Softsign", "Tanh")  # standard ops of the same name, without parameters
SPLIT_COUNTS_SINCE = 18


@dataclass
class Unrolling:
    """One node being written out. Values over the steps are (1, N, H), so that nothing needs to be squeezed."""

    node: Node
    X: TensorType
    R: TensorType
    opset: int
    nodes: list[Node] = field(default_factory=list)
    constants: list[Tensor] = field(default_factory=list)

    def write(self) -> Unrolling:
        steps, hidden = self._sizes()
        ways = 2 if self._text("direction", "forward") == "bidirectional" else 1
        first = self._attribute("layout", 0) == 1
        x = self.emit("Transpose", [self.node.inputs[0]], perm=(1, 0, 2)) if first else self.node.inputs[0]
        sequences, ends = [], []
        for way in range(ways):
            backwards = way == 1 or self._text("direction", "forward") == "reverse"
            outputs, states = self._direction(x, way, ways, steps, backwards)
            rows = self.emit("Concat", outputs, axis=0)
            sequences.append(self.emit("Reshape", [rows, self.constant(np.array([steps, 1, -1, hidden], np.int64))]))
            ends.append(states)
        self._finish(self._joined(sequences, 1), 0, (2, 0, 1, 3) if first else None)
        for place, states in enumerate(zip(*ends, strict=True), 1):
            self._finish(self._joined(list(states), 0), place, (1, 0, 2) if first else None)
        return self

    def _sizes(self) -> tuple[int, int]:
        axis = 1 if self._attribute("layout", 0) == 1 else 0
        steps = self.X.shape[axis] if self.X.shape else None
        hidden = self.R.shape[2] if self.R.shape else None
        if not isinstance(steps, int) or not isinstance(hidden, int):
            self._refuse("with an open number of steps; fix the length of the model's input")
        for name in ("clip", "activation_alpha", "activation_beta"):
            if name in self.node.attributes:
                self._refuse(f"with {name}; leave it out")
        if self.input(4):
            self._refuse("with sequence_lens; pad the sequences, or give each its own batch")
        return steps, hidden  # type: ignore[return-value]  # ints, or refused

    def _refuse(self, what: str) -> None:
        raise InvalidInputError(f"{self.node.op_type} {self.node.name!r} cannot be trained {what}.")

    def _direction(self, x: str, way: int, ways: int, steps: int, backwards: bool) -> tuple[list[str], tuple[str, ...]]:
        """(H of each step in the order of time, the states at the end)."""
        own = [self._of(place, way) for place in (1, 2, 3)]
        gates = self.emit("MatMul", [x, self.emit("Transpose", [own[0]], perm=(1, 0))])
        into = self.emit("Transpose", [own[1]], perm=(1, 0))
        functions = self._functions(way, ways)
        cell = {"RNN": self._rnn, "GRU": self._gru, "LSTM": self._lstm}[self.node.op_type](way, into, own[2], functions)
        if own[2]:
            gates = self.emit("Add", [gates, cell.bias])
        each = self.split(gates, steps, 0)
        states = tuple(self._initial(place, way, ways) for place in ((5, 6) if self.node.op_type == "LSTM" else (5,)))
        outputs = [""] * steps
        for step in range(steps)[::-1] if backwards else range(steps):
            states = cell.step(each[step], states)
            outputs[step] = states[0]
        return outputs, states

    def _rnn(self, way: int, into: str, B: str, functions: list[str]) -> _Cell:
        def step(gates: str, states: tuple[str, ...]) -> tuple[str, ...]:
            return (self.emit(functions[0], [self.with_recurrent(gates, states[0], into)]),)

        return _Cell(self._bias(B, 1), step)

    def _gru(self, way: int, into: str, B: str, functions: list[str]) -> _Cell:
        f, g = functions
        parts = self.split(B, 6, 0) if B else []
        after = self._attribute("linear_before_reset", 0)
        bias = ""
        if parts:
            sums = [self.emit("Add", [parts[gate], parts[gate + 3]]) for gate in range(2 if after else 3)]
            bias = self.emit("Concat", [*sums, *([parts[2]] if after else [])], axis=0)
        for_z, for_r, for_h = self.split(into, 3, 1)

        def step(gates: str, states: tuple[str, ...]) -> tuple[str, ...]:
            (H,) = states
            x_z, x_r, x_h = self.split(gates, 3, 2)
            z, r = (self.emit(f, [self.with_recurrent(x, H, R)]) for x, R in ((x_z, for_z), (x_r, for_r)))
            recurrent = ""
            if after:
                inner = self.emit("MatMul", [H, for_h]) if H else ""
                inner = self.sum(inner, parts[5] if parts else "")
                recurrent = self.emit("Mul", [r, inner]) if inner else ""
            elif H:
                recurrent = self.emit("MatMul", [self.emit("Mul", [r, H]), for_h])
            new = self.emit(g, [self.sum(x_h, recurrent)])
            rest = self.emit("Sub", [new, self.emit("Mul", [z, new])])
            return (self.sum(rest, self.emit("Mul", [z, H]) if H else ""),)

        return _Cell(bias, step)

    def _lstm(self, way: int, into: str, B: str, functions: list[str]) -> _Cell:
        f, g, h = functions
        peepholes = self.split(self._of(7, way), 3, 0) if self.input(7) else ["", "", ""]
        coupled = self._attribute("input_forget", 0)

        def seen(x: str, C: str, weights: str) -> str:
            return self.sum(x, self.emit("Mul", [weights, C]) if weights and C else "")

        def step(gates: str, states: tuple[str, ...]) -> tuple[str, ...]:
            H, C = states
            x_i, x_o, x_f, x_c = self.split(self.with_recurrent(gates, H, into), 4, 2)
            i = self.emit(f, [seen(x_i, C, peepholes[0])])
            added = self.emit("Mul", [i, self.emit(g, [x_c])])
            if C and coupled:
                kept = self.emit("Sub", [C, self.emit("Mul", [i, C])])
            else:
                kept = self.emit("Mul", [self.emit(f, [seen(x_f, C, peepholes[2])]), C]) if C else ""
            C = self.sum(added, kept)
            return self.emit("Mul", [self.emit(f, [seen(x_o, C, peepholes[1])]), self.emit(h, [C])]), C

        return _Cell(self._bias(B, 4), step)

    def _bias(self, B: str, gates: int) -> str:
        return self.emit("Add", list(self.split(B, 2, 0))) if B else ""

    def _functions(self, way: int, ways: int) -> list[str]:
        default = ACTIVATIONS[self.node.op_type]
        given = self.node.attributes.get("activations")
        names = given.value if given is not None else default * ways
        assert isinstance(names, tuple)
        own = [str(name).capitalize() for name in names[way * len(default) : (way + 1) * len(default)]]
        if unknown := [name for name in own if name not in ALLOWED]:
            self._refuse(f"with the activations {unknown}; use {', '.join(ALLOWED)}")
        return own

    def _of(self, place: int, way: int) -> str:
        """The part of an input that belongs to a direction, without the axis of directions."""
        name = self.input(place)
        return self.emit("Gather", [name, self.constant(np.array(way, np.int64))], axis=0) if name else ""

    def _initial(self, place: int, way: int, ways: int) -> str:
        """An initial state as (1, N, H), "" for zeros."""
        name = self.input(place)
        if name and self._attribute("layout", 0) == 1:
            name = self.emit("Transpose", [name], perm=(1, 0, 2))
        return self.emit("Gather", [name, self.constant(np.array([way], np.int64))], axis=0) if name and ways > 1 else name

    def _joined(self, values: list[str], axis: int) -> str:
        return values[0] if len(values) == 1 else self.emit("Concat", values, axis=axis)

    def _finish(self, value: str, place: int, perm: tuple[int, ...] | None) -> None:
        """Gives the value the name of the node's output."""
        if place < len(self.node.outputs) and self.node.outputs[place]:
            attributes = {} if perm is None else {"perm": perm}
            self.emit("Identity" if perm is None else "Transpose", [value], output=self.node.outputs[place], **attributes)

    def with_recurrent(self, gates: str, H: str, into: str) -> str:
        """gates + H R^T."""
        return self.sum(gates, self.emit("MatMul", [H, into]) if H else "")

    def sum(self, a: str, b: str) -> str:
        """a + b, "" being zero."""
        return self.emit("Add", [a, b]) if a and b else a or b

    def split(self, value: str, parts: int, axis: int) -> list[str]:
        """Equal parts."""
        if parts == 1:
            return [value]
        names = [self._name("Split", index) for index in range(parts)]
        counted = {"num_outputs": parts} if self.opset >= SPLIT_COUNTS_SINCE else {}
        self._append("Split", [value], names, {"axis": axis, **counted})
        return names

    def input(self, place: int) -> str:
        return self.node.inputs[place] if place < len(self.node.inputs) else ""

    def constant(self, data: np.ndarray) -> str:
        name = f"{self._prefix}/constant_{len(self.constants)}"
        self.constants.append(Tensor(name, data))
        return name

    def emit(self, op_type: str, inputs: list[str], *, output: str = "", **attributes: int | tuple[int, ...]) -> str:
        name = output or self._name(op_type, 0)
        self._append(op_type, inputs, [name], attributes)
        return name

    def _append(
        self, op_type: str, inputs: list[str], outputs: list[str], attributes: dict[str, int] | dict[str, int | tuple[int, ...]]
    ) -> None:
        typed = {
            name: Attribute(AttributeType.INT if isinstance(value, int) else AttributeType.INTS, value)
            for name, value in attributes.items()
        }
        version = since_version(op_type, ONNX_DOMAIN, self.opset)
        name = f"{self._prefix}/{op_type}_{len(self.nodes)}"
        self.nodes.append(Node(op_type, tuple(inputs), tuple(outputs), name, ONNX_DOMAIN, typed, version))

    def _name(self, op_type: str, index: int) -> str:
        return f"{self._prefix}/{op_type}_{len(self.nodes)}_output_{index}"

    @property
    def _prefix(self) -> str:
        return f"{next(name for name in self.node.outputs if name)}_unrolled"

    def _attribute(self, name: str, default: int) -> int:
        found = self.node.attributes.get(name)
        return default if found is None else int(found.value)  # type: ignore[call-overload]  # the schema fixes the type

    def _text(self, name: str, default: str) -> str:
        found = self.node.attributes.get(name)
        return default if found is None else str(found.value)


@dataclass
class _Cell:
    """What is added to all steps at once, and one step: (gates (1, N, gates * H), states) -> new states."""

    bias: str
    step: Callable[[str, tuple[str, ...]], tuple[str, ...]]
