"""Types that ONNX's shape inference leaves out: of Reshape, Slice and Split by calculated sizes, of Conv by its weight, of ai.onnx.ml's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pagetrain.graph import Dimension, ElementType, Graph, Node, Shape, Tensor, TensorType, ValueInfo

from .value_types import value_types

MOST_AXES = 64  # of a shape worth following
WHOLE = "iub"  # kinds of numpy types
KEEP_SHAPE = ("Binarizer", "Imputer", "Normalizer", "Scaler")
TO_BOOL = 9
MADE_UP = "unk__"
ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": lambda a, b: int(a / b) if b else 0,
    "And": lambda a, b: int(a and b),
    "Or": lambda a, b: int(a or b),
    "Equal": lambda a, b: int(a == b),
    "Greater": lambda a, b: int(a > b),
    "GreaterOrEqual": lambda a, b: int(a >= b),
    "Less": lambda a, b: int(a < b),
    "LessOrEqual": lambda a, b: int(a <= b),
}
Elements = list[Dimension]


def further_types(graph: Graph) -> tuple[ValueInfo, ...]:
    """Types that follow from known ones, of values that have none yet or less of a shape; () when nothing follows."""
    types = value_types(graph)
    values = Values(graph, types)
    found: list[ValueInfo] = []
    for node in graph.nodes:
        for index, name in enumerate(node.outputs[: None if node.op_type == "Split" else 1]):
            before = types[name].shape if name in types else None
            if name and (before is None or not all(map(is_said, before))):
                known = _type_of(node, index, types, values)
                if known is not None and _says_more(known.shape or (), before):
                    found.append(ValueInfo(name, known))
    return tuple(found)


def types_by_weights(graph: Graph) -> tuple[ValueInfo, ...]:
    """Rank and channels of convolutions of who knows what: for when nothing else follows, as the other way says more."""
    types, found = value_types(graph), []
    for node in graph.nodes:
        if node.op_type == "Conv" and ((known := types.get(node.outputs[0])) is None or known.shape is None):
            weight = types.get(node.inputs[1])
            if weight is not None and weight.shape:
                shape = (None, weight.shape[0], *(None for _ in weight.shape[2:]))
                found.append(ValueInfo(node.outputs[0], TensorType(weight.element, shape)))
    return tuple(found)


def is_said(size: Dimension) -> bool:
    """Whether a size is a number or a name of the model's own, not one that ONNX's inference made up."""
    return isinstance(size, int) or (size is not None and not size.startswith(MADE_UP))


def _says_more(shape: Shape, before: Shape | None) -> bool:
    return before is None or sum(map(is_said, shape)) > sum(map(is_said, before))


def _type_of(node: Node, index: int, types: Mapping[str, TensorType], values: Values) -> TensorType | None:
    """The type of the node's output `index`."""
    known = types.get(node.inputs[0]) if node.inputs else None
    if known is None or known.shape is None:
        return None
    if node.domain == "ai.onnx.ml" and node.op_type in KEEP_SHAPE:
        return TensorType(ElementType.FLOAT, known.shape)
    if node.op_type == "Reshape" and (sizes := values.elements(node.inputs[1])) is not None:
        allowzero = node.attributes.get("allowzero")
        return TensorType(known.element, _reshaped(known.shape, sizes, bool(allowzero and allowzero.value)))
    if node.op_type == "Slice" and len(node.inputs) > 2:  # with bounds as inputs, from opset 10 on
        return TensorType(known.element, _sliced(known.shape, [values.elements(name) for name in node.inputs[1:]]))
    if node.op_type == "Split" and len(node.inputs) > 1:  # with sizes as an input, from opset 13 on
        axis = node.attributes["axis"].value if "axis" in node.attributes else 0
        sizes = values.elements(node.inputs[1])
        return TensorType(known.element, _with_size(known.shape, axis, sizes[index] if sizes else None))  # type: ignore[arg-type]
    return None


def _with_size(shape: Shape, axis: int, size: Dimension) -> Shape:
    """The shape with another size along the axis."""
    if not shape:
        return shape
    axis %= len(shape)
    return (*shape[:axis], size, *shape[axis + 1 :])


def _sliced(shape: Shape, bounds: Sequence[Elements | None]) -> Shape:
    """The result's shape; a size is open where its bounds or it itself are."""
    starts, ends, *more = bounds
    axes = more[0] if more and more[0] is not None else list(range(len(starts or ()))) if not more else None
    if starts is None or ends is None or axes is None or not all(isinstance(axis, int) for axis in axes):
        return (None,) * len(shape)
    steps = more[1] if len(more) > 1 else [1] * len(axes)
    sizes = list(shape)
    for axis, start, end, step in zip(axes, starts, ends, steps or [None] * len(axes), strict=True):
        assert isinstance(axis, int)
        size, sure = sizes[axis], isinstance(start, int) and isinstance(end, int) and isinstance(step, int) and step != 0
        sizes[axis] = _sliced_size(size, start, end, step) if sure and isinstance(size, int) else None  # type: ignore[arg-type]
    return tuple(sizes)


def _sliced_size(size: int, start: int, end: int, step: int) -> int:
    """A start before the first element is the first one, backwards too, where Python would take none."""
    return len(range(*slice(max(start, -size) if step < 0 else start, end, step).indices(size)))


def _reshaped(shape: Shape, sizes: Sequence[Dimension], allowzero: bool) -> Shape:
    """The result's shape: 0 copies a size, -1 is what is left, where that can be said."""
    copied = [(shape[index] if index < len(shape) else None) if size == 0 and not allowzero else size for index, size in enumerate(sizes)]
    if -1 not in copied:
        return tuple(copied)
    left = list(shape)
    for size in (size for size in copied if size != -1):
        if size in left and size is not None:
            left.remove(size)  # the same symbol, or the same number, on both sides
        else:
            left.append(None if not isinstance(size, int) else _inverse(size))
    return tuple(_remaining(left) if size == -1 else size for size in copied)


def _remaining(left: Sequence[Dimension]) -> Dimension:
    """The product of the sizes that are left: a number, or the one name among them if the numbers cancel."""
    numbers, others = _product(left), [size for size in left if not isinstance(size, int)]
    if not others:
        return numbers
    return others[0] if len(others) == 1 and numbers == 1 else None


def _inverse(size: int) -> int:
    """Marks a divisor: sizes are positive, so the sign is free."""
    return -size


def _product(left: Sequence[Dimension]) -> int | None:
    numbers = [size for size in left if isinstance(size, int)]
    above, below = math.prod(size for size in numbers if size > 0), math.prod(-size for size in numbers if size < 0)
    return above // below if below and above % below == 0 else None


class Values:
    """Elements of one-dimensional integer values, as far as constants and shapes tell them; None for one that stays unknown."""

    def __init__(self, graph: Graph, types: Mapping[str, TensorType]) -> None:
        self._types = types
        self._made = {output: node for node in graph.nodes for output in node.outputs}
        vectors = (tensor for tensor in graph.initializers if tensor.data.ndim < 2 and tensor.data.size <= MOST_AXES)
        self._known: dict[str, Elements | None] = {t.name: _flat(t.data) for t in vectors if t.data.dtype.kind in WHOLE}

    def elements(self, name: str) -> Elements | None:
        """The elements, None when not even their number is known."""
        if name not in self._known:
            self._known[name] = None  # a damaged graph may be cyclic
            shape = self._shape(name)
            if shape is None or len(shape) < 2:
                self._known[name] = self._calculated(self._made[name]) if name in self._made else None
            if self._known[name] is None and shape is not None and len(shape) == 1 and isinstance(shape[0], int) and shape[0] <= MOST_AXES:
                self._known[name] = [None] * shape[0]
        return self._known[name]

    def _shape(self, name: str) -> Shape | None:
        known = self._types.get(name)
        return known.shape if known else None

    def _calculated(self, node: Node) -> Elements | None:
        match node.op_type:
            case "Shape" if not node.attributes:
                shape = self._shape(node.inputs[0])
                return None if shape is None else list(shape)
            case "Size":
                shape = self._shape(node.inputs[0])
                sizes = [size for size in shape or () if isinstance(size, int)]
                return None if shape is None or len(sizes) < len(shape) else [math.prod(sizes)]
            case "Constant":
                tensor = next(iter(node.attributes.values())).value
                small = isinstance(tensor, Tensor) and tensor.data.size <= MOST_AXES and tensor.data.dtype.kind in WHOLE
                return _flat(tensor.data) if isinstance(tensor, Tensor) and small else None
            case "Cast" if node.attributes["to"].value == TO_BOOL:
                return _mapped(bool, self.elements(node.inputs[0]))
            case "Not":
                return _mapped(lambda value: not value, self.elements(node.inputs[0]))
            case "Identity" | "Cast" | "Squeeze" | "Unsqueeze" | "Reshape":
                return self.elements(node.inputs[0])
            case "Concat":
                parts = [self.elements(name) for name in node.inputs]
                return None if None in parts else [size for part in parts if part is not None for size in part]
            case "Gather":
                return _gathered(*(self.elements(name) for name in node.inputs))
            case op if op in ARITHMETIC:
                return _combined(ARITHMETIC[op], *(self.elements(name) for name in node.inputs))
        return None


def _flat(array: np.ndarray) -> Elements:
    return [int(value) for value in array.ravel()]


def _mapped(operation: Callable[[int], bool], elements: Elements | None) -> Elements | None:
    return None if elements is None else [int(operation(size)) if isinstance(size, int) else None for size in elements]


def _gathered(data: Elements | None, indices: Elements | None) -> Elements | None:
    if data is None or indices is None:
        return None
    fitting = [index for index in indices if isinstance(index, int) and -len(data) <= index < len(data)]
    return [data[index] for index in fitting] if len(fitting) == len(indices) else None


def _combined(operation: Callable[[int, int], int], left: Elements | None, right: Elements | None) -> Elements | None:
    """Element by element; one element goes with all."""
    if left is None or right is None or (1 not in (len(left), len(right)) and len(left) != len(right)):
        return None
    count = max(len(left), len(right))
    pairs = zip(left * (count // len(left)) if left else [], right * (count // len(right)) if right else [], strict=True)
    return [operation(a, b) if isinstance(a, int) and isinstance(b, int) else None for a, b in pairs]
