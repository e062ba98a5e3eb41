"""One step of RNN, GRU and LSTM, as nodes."""

from __future__ import annotations

from dataclasses import dataclass

from pagetrain_ops.gates import NamedActivation

from .node_writer import NodeWriter

States = list[str]


@dataclass
class Cell:
    """How one direction makes a step. Its values: (N, H), and gates one after the other in the last axis.

    into: R^T, (H, gates * H); of a GRU without linear_before_reset in two parts, z with r and h. bias: (H), that of the recurrent product
    for h of a GRU with linear_before_reset. peepholes: (H) each, i, o, f.
    """

    writer: NodeWriter
    hidden: int
    functions: list[NamedActivation]
    clip: float
    into: tuple[str, ...]
    bias: str = ""
    peepholes: tuple[str, ...] = ()
    linear_before_reset: bool = False
    input_forget: bool = False

    def step(self, op_type: str, gates: str, states: States) -> States:
        """The new states. gates: X W^T with the biases."""
        return {"RNN": self._rnn, "GRU": self._gru, "LSTM": self._lstm}[op_type](gates, states)

    def _rnn(self, gates: str, states: States) -> States:
        return [self._activation(0, self._emit("Add", gates, self._emit("MatMul", states[0], self.into[0])))]

    def _gru(self, gates: str, states: States) -> States:
        (H,), sizes = states, (2 * self.hidden, self.hidden)
        x_zr, x_h = self.writer.split(gates, sizes, 1)
        if self.linear_before_reset:
            for_zr, inner = self.writer.split(self._emit("MatMul", H, self.into[0]), sizes, 1)
            z, r = self._halves(self._activation(0, self._emit("Add", x_zr, for_zr)))
            recurrent = self._emit("Mul", r, self.writer.sum(inner, self.bias))
        else:
            z, r = self._halves(self._activation(0, self._emit("Add", x_zr, self._emit("MatMul", H, self.into[0]))))
            recurrent = self._emit("MatMul", self._emit("Mul", r, H), self.into[1])
        new = self._activation(1, self._emit("Add", x_h, recurrent))
        return [self._emit("Add", new, self._emit("Mul", z, self._emit("Sub", H, new)))]

    def _halves(self, value: str) -> tuple[str, str]:
        first, second = self.writer.split(value, (self.hidden, self.hidden), 1)
        return first, second

    def _lstm(self, gates: str, states: States) -> States:
        H, C = states
        gates = self._emit("Add", gates, self._emit("MatMul", H, self.into[0]))
        i, o, f, c = self._seeing(gates, C) if self.peepholes else self._blind(gates)
        if self.input_forget:
            C = self._emit("Add", C, self._emit("Mul", i, self._emit("Sub", c, C)))
        else:
            C = self._emit("Add", self._emit("Mul", f, C), self._emit("Mul", i, c))
        if self.peepholes:
            o = self._activation(0, self._emit("Add", o, self._emit("Mul", self.peepholes[1], C)))
        return [self._emit("Mul", o, self._activation(2, C)), C]

    def _blind(self, gates: str) -> tuple[str, str, str, str]:
        """i, o, f, c without peepholes: the three that have the same activation go through it together."""
        three, last = self.writer.split(gates, (3 * self.hidden, self.hidden), 1)
        i, o, f = self.writer.split(self._activation(0, three), (self.hidden,) * 3, 1)
        return i, o, f, self._activation(1, last)

    def _seeing(self, gates: str, C: str) -> tuple[str, str, str, str]:
        """i, o, f, c with peepholes; o still without, because it sees the new C."""
        i, o, f, c = self.writer.split(gates, (self.hidden,) * 4, 1)
        i = self._activation(0, self._emit("Add", i, self._emit("Mul", self.peepholes[0], C)))
        if not self.input_forget:
            f = self._activation(0, self._emit("Add", f, self._emit("Mul", self.peepholes[2], C)))
        return i, o, f, self._activation(1, c)

    def _activation(self, place: int, x: str) -> str:
        function, emit, number = self.functions[place], self._emit, self.writer.number
        x = self._clipped(x)
        match function.name:
            case "relu" | "tanh" | "sigmoid" | "softsign" | "softplus" as name:
                return emit(name.capitalize(), x)
            case "affine":
                return emit("Add", emit("Mul", x, number(function.alpha)), number(function.beta))
            case "scaledtanh":
                return emit("Mul", emit("Tanh", emit("Mul", x, number(function.beta))), number(function.alpha))
            case "hardsigmoid":
                return self.writer.emit("HardSigmoid", x, alpha=function.alpha, beta=function.beta)
            case "leakyrelu":
                return self.writer.emit("LeakyRelu", x, alpha=function.alpha)
            case "elu":
                return self.writer.emit("Elu", x, alpha=function.alpha)
            case _:  # ThresholdedRelu, an op from opset 10 on
                return emit("Where", emit("Greater", x, number(function.alpha)), x, number(0))

    def _clipped(self, x: str) -> str:
        if not self.clip:
            return x
        if self.writer.opset < 11:  # bounds as attributes
            return self.writer.emit("Clip", x, min=-self.clip, max=self.clip)
        return self._emit("Clip", x, self.writer.number(-self.clip), self.writer.number(self.clip))

    def _emit(self, op_type: str, *inputs: str) -> str:
        return self.writer.emit(op_type, *inputs)
