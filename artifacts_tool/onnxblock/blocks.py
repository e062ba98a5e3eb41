"""Small blocks: one node each. Source: onnxruntime.training.onnxblock.blocks (ORT 1.19)."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from .accessor import current
from .block import Block

__all__ = [
    "Abs",
    "Add",
    "Block",
    "Cast",
    "Clip",
    "Constant",
    "Div",
    "InputLike",
    "LabelEncoder",
    "Linear",
    "Log",
    "Mul",
    "Neg",
    "PassThrough",
    "Pow",
    "ReduceAllL2",
    "ReduceMean",
    "ReduceSum",
    "SequenceConstruct",
    "Sigmoid",
    "Softplus",
    "Sub",
]


class _Op(Block):
    """A node of a fixed op: output onnx::<op lower case>_output::n."""

    op_type: str
    domain: str | None = None

    def __init__(self, **attributes: Any) -> None:
        super().__init__()
        self._attributes = attributes

    def _append(self, *input_names: str) -> str:
        output = self._name(f"{self.op_type.lower()}_output")
        return self._node(self.op_type, list(input_names), output, self.domain, **self._attributes)


class _Binary(_Op):
    def __init__(self) -> None:
        super().__init__()

    def build(self, input_name1: str, input_name2: str) -> str:
        """Appends the node over two values, which broadcast."""
        return self._append(input_name1, input_name2)


class _Unary(_Op):
    def __init__(self) -> None:
        super().__init__()

    def build(self, input_name: str) -> str:
        """Appends the node over one value."""
        return self._append(input_name)


class Add(_Binary):
    """input_name1 + input_name2."""

    op_type = "Add"


class Sub(_Binary):
    """input_name1 - input_name2."""

    op_type = "Sub"


class Mul(_Binary):
    """input_name1 * input_name2."""

    op_type = "Mul"


class Div(_Binary):
    """input_name1 / input_name2."""

    op_type = "Div"


class Sigmoid(_Unary):
    """1 / (1 + exp(-x))."""

    op_type = "Sigmoid"


class Softplus(_Unary):
    """log(1 + exp(x)). Not among ORT's blocks."""

    op_type = "Softplus"


class Log(_Unary):
    """The natural logarithm."""

    op_type = "Log"


class Neg(_Unary):
    """-x."""

    op_type = "Neg"


class Abs(_Unary):
    """|x|."""

    op_type = "Abs"


class _Reduction(_Op):
    def __init__(self, keepdims: bool = True) -> None:
        super().__init__(keepdims=int(keepdims))

    def build(self, input_name: str) -> str:
        """Appends the node over one value; all axes are reduced."""
        return self._append(input_name)


class ReduceMean(_Reduction):
    """The mean of all elements."""

    op_type = "ReduceMean"


class ReduceSum(_Reduction):
    """The sum of all elements."""

    op_type = "ReduceSum"


class SequenceConstruct(_Op):
    """The named tensors as a sequence."""

    op_type = "SequenceConstruct"

    def __init__(self, temp_file_name: str = "temp.onnx") -> None:
        super().__init__()

    def build(self, *sequence_input_names: str) -> str:
        """Appends the node over tensors of one type."""
        return self._append(*sequence_input_names)


class ReduceAllL2(_Op):
    """The root of the sum of all squares of all the named tensors: [1], com.microsoft."""

    op_type, domain = "ReduceAllL2", "com.microsoft"

    def __init__(self, temp_file_name: str = "temp.onnx") -> None:
        super().__init__()

    def build(self, *reduce_node_input_names: str) -> str:
        """Appends the node, and the type of its output."""
        output = self._append(*reduce_node_input_names)
        self.base.graph.value_info.append(onnx.helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, [1]))
        return output


class Pow(Block):
    """x ** exponent; the exponent is a constant [1] of x's type."""

    def __init__(self, exponent: float) -> None:
        super().__init__()
        self._exponent = exponent

    def build(self, pow_input_name: str) -> str:
        """Appends constant and node."""
        exponent = self._constant("pow_exponent", like(pow_input_name, [self._exponent]))
        return self._node("Pow", [pow_input_name, exponent], self._name("pow_output"))


class Clip(Block):
    """min(max(x, clip_min), clip_max); None is no bound."""

    def __init__(self, clip_min: float | None = None, clip_max: float | None = None) -> None:
        super().__init__()
        self._bounds = {"clip_min": clip_min, "clip_max": clip_max}

    def build(self, clip_input_name: str) -> str:
        """Appends node and bounds (scalars, as the op wants them; ORT's [1] is refused by onnx's own checks)."""
        bounds = ["" if value is None else self._constant(token, like(clip_input_name, value)) for token, value in self._bounds.items()]
        return self._node("Clip", [clip_input_name, *bounds], self._name("clip_output"))


class Constant(Block):
    """A float constant [1]."""

    def __init__(self, value_float: float) -> None:
        super().__init__()
        self._value = value_float

    def build(self) -> str:
        """Appends the initializer."""
        return self._constant("initializer", np.array([self._value], np.float32))


class PassThrough(Block):
    """Changes nothing: returns the names it gets."""

    def build(self, *input_names: str) -> tuple[str, ...]:
        """The names."""
        return input_names


class InputLike(Block):
    """A new graph input with the type and shape of the value `like`."""

    def __init__(self, like: str) -> None:
        super().__init__()
        self._like = like

    def build(self, input_name: str | None = None) -> str:
        """Appends the input. Raises InvalidInputError when the value has no known type."""
        name = input_name or self._name("input")
        self.base.graph.input.append(onnx.helper.make_value_info(name, current().type_of(self._like)))
        return name


class LabelEncoder(Block):
    """Values looked up in a table: ai.onnx.ml LabelEncoder with exactly one keys_* and one values_*."""

    def __init__(
        self,
        default_float: float = 0.0,
        default_int64: int = -1,
        default_string: str = "_Unused",
        keys_floats: list[float] | None = None,
        keys_int64s: list[int] | None = None,
        keys_strings: list[str] | None = None,
        values_floats: list[float] | None = None,
        values_int64s: list[int] | None = None,
        values_strings: list[str] | None = None,
    ) -> None:
        super().__init__()
        tables = {
            "keys_floats": keys_floats,
            "keys_int64s": keys_int64s,
            "keys_strings": keys_strings,
            "values_floats": values_floats,
            "values_int64s": values_int64s,
            "values_strings": values_strings,
        }
        self._attributes: dict[str, Any] = {name: table for name, table in tables.items() if table is not None}
        self._attributes |= {"default_float": default_float, "default_int64": default_int64, "default_string": default_string}

    def build(self, label_encoder_input_name: str) -> str:
        """Appends the node."""
        output = self._name("label_encoder.output")
        return self._node("LabelEncoder", [label_encoder_input_name], output, "ai.onnx.ml", **self._attributes)


class Cast(Block):
    """x as element type `to` (TensorProto.DataType)."""

    def __init__(self, to: int) -> None:
        super().__init__()
        self._to = to

    def build(self, cast_input_name: str) -> str:
        """Appends the node."""
        return self._node("Cast", [cast_input_name], self._name("cast.output"), to=self._to)


class Linear(Block):
    """alpha * x W + beta * b, W (in_features, out_features) and b (out_features,) new initializers, normally distributed.

    seed: ORT draws from numpy's global generator; here the same block gives the same numbers.
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, alpha: float = 1.0, beta: float = 1.0, seed: int = 0
    ) -> None:
        super().__init__()
        self._shape, self._bias, self._seed = (in_features, out_features), bias, seed
        self._alpha, self._beta = float(alpha), float(beta)

    def build(self, linear_input_name: str) -> str:
        """Appends weights and node."""
        random = np.random.default_rng(self._seed)
        inputs = [linear_input_name, self._constant("linear.weight", random.normal(size=self._shape).astype(np.float32))]
        if self._bias:
            inputs.append(self._constant("linear.bias", random.normal(size=self._shape[1]).astype(np.float32)))
        return self._node("Gemm", inputs, self._name("linear.output"), name="linear", alpha=self._alpha, beta=self._beta)


def like(name: str, values: Any) -> np.ndarray:
    """The numbers as an array of the named value's element type."""
    return np.array(values, onnx.helper.tensor_dtype_to_np_dtype(current().type_of(name).tensor_type.elem_type))
