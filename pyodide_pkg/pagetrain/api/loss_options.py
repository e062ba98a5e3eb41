"""Class weights and label smoothing for training graphs that were made without: the graph is rewritten when it is loaded."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InvalidInputError, ShapeMismatchError
from ..graph import ELEMENT_TYPES, MS_DOMAIN, NUMPY_DTYPES, ONNX_DOMAIN, Attribute, AttributeType, Graph, Model, Node, Tensor, TensorType
from .model_source import ModelSource, load_model

_LOSSES = ("SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLossInternal")
_WEIGHT, _IGNORED = 2, 3  # inputs of a loss; its gradient has one more before them. Only the internal one has an ignored label there
_SINCE = {"ConstantOfShape": 9, "Einsum": 12, "LogSoftmaxGrad_13": 1}


def with_loss_options(train_model: ModelSource, *, class_weights: np.ndarray | None = None, label_smoothing: float = 0.0) -> Model:
    """The training model with other options of its cross-entropy, for Module. Nothing else in it changes; an eval model stays as it is.

    loss = sum_n [-(1 - e) w[y_n] log p(n, y_n) - e / C sum_c w_c log p(n, c)] / sum_n w[y_n], for e = label_smoothing from 0 to below 1
    and C classes; without division for reduction "sum". class_weights: w, (C,), above 0, in place of any that the model has.
    Source: PyTorch, torch.nn.CrossEntropyLoss (weight, label_smoothing); Szegedy et al. 2016, section 7.
    Raises FormatError; InvalidInputError for another loss than one cross-entropy, ShapeMismatchError for another number of classes.
    """
    if not isinstance(label_smoothing, numbers.Real) or not 0 <= label_smoothing < 1:
        raise InvalidInputError(f"label_smoothing is {label_smoothing!r}, expected a number from 0 to below 1.")
    model = load_model(train_model)
    graph = model.graph
    if class_weights is not None:
        graph = _weighted(graph, class_weights)
    if label_smoothing:
        graph = _smoothed(graph, label_smoothing)
    return replace(model, graph=graph)


@dataclass(frozen=True, slots=True)
class _CrossEntropy:
    """The loss of a training graph: its node, the one of its gradient, the type of log_prob, and the number of classes where stated."""

    forward: Node
    backward: Node
    dtype: np.dtype
    classes: int | None

    @classmethod
    def of(cls, graph: Graph) -> _CrossEntropy:
        forward = [node for node in graph.nodes if node.op_type in _LOSSES]
        backward = [node for node in graph.nodes if node.op_type.removesuffix("Grad") in _LOSSES and node not in forward]
        if len(forward) != 1 or len(backward) != 1:
            raise InvalidInputError(
                f"Class weights and label smoothing need one SoftmaxCrossEntropyLoss with its gradient; the graph {graph.name!r} has "
                f"{len(forward)} and {len(backward)}; make the artifacts with CrossEntropyLoss."
            )
        log_prob = backward[0].inputs[1]
        known = next((value.type for value in (*graph.value_info, *graph.outputs) if value.name == log_prob), None)
        if not isinstance(known, TensorType):
            return cls(forward[0], backward[0], np.dtype(np.float32), None)
        size = known.shape[1] if known.shape and len(known.shape) > 1 else None
        return cls(forward[0], backward[0], NUMPY_DTYPES[known.element], size if isinstance(size, int) else None)


def _weighted(graph: Graph, class_weights: np.ndarray) -> Graph:
    """The graph with these weights in both nodes of its loss."""
    loss = _CrossEntropy.of(graph)
    try:
        weights = np.array(class_weights, loss.dtype)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"class_weights must be one number for each class, got {class_weights!r}.") from error
    if weights.ndim != 1 or loss.classes not in (None, len(weights)):
        raise ShapeMismatchError(f"class_weights must have shape ({loss.classes or 'classes'},), got {weights.shape}.")
    if not np.all((weights > 0) & np.isfinite(weights)):
        raise InvalidInputError(
            f"class_weights must be finite and above 0, got {weights.tolist()}; leave out the pictures of a class instead."
        )
    name = f"{loss.forward.outputs[0]}/class_weights"
    changed = {
        id(loss.forward): _with_input(loss.forward, _WEIGHT, name),
        id(loss.backward): _with_input(loss.backward, _WEIGHT + 1, name),
    }
    nodes = tuple(changed.get(id(node), node) for node in graph.nodes)
    return replace(graph, nodes=nodes, initializers=(*graph.initializers, Tensor(name, weights)))


def _with_input(node: Node, position: int, name: str) -> Node:
    inputs = [*node.inputs, *[""] * (position + 1 - len(node.inputs))]
    inputs[position] = name
    return replace(node, inputs=tuple(inputs))


def _smoothed(graph: Graph, label_smoothing: float) -> Graph:
    """The graph with label smoothing around its loss: nodes behind the loss, and in place of its gradient."""
    loss = _CrossEntropy.of(graph)
    if _reduction(loss) == "none" or any(loss.forward.inputs[_IGNORED:]):
        raise InvalidInputError(
            "Label smoothing needs a loss with reduction 'mean' or 'sum' and with ignore_index as an attribute; "
            f"{loss.forward.label} has {_reduction(loss)!r} and the inputs {list(loss.forward.inputs)}."
        )
    smoothing = _Smoothing(loss)
    nodes: list[Node] = []
    for node in graph.nodes:
        if node is loss.forward:
            nodes += smoothing.forward()
        elif node is loss.backward:
            nodes += smoothing.backward()
        else:
            nodes.append(node)
    return replace(graph, nodes=tuple(nodes), initializers=(*graph.initializers, *smoothing.constants(label_smoothing)))


def _reduction(loss: _CrossEntropy) -> str:
    given = loss.forward.attributes.get("reduction")
    return "mean" if given is None else str(given.value)


class _Smoothing:
    """The nodes of label smoothing: loss = (1 - e) loss' + sum(T log_prob), T = -e / C w_c share_n, share_n = 1 / sum_n w[y_n].

    For reduction "sum" share_n is 1; where a label is ignored it is 0. T has the shape of log_prob.
    """

    def __init__(self, loss: _CrossEntropy) -> None:
        self._loss = loss
        self._log_prob, self._labels = loss.backward.inputs[1], loss.forward.inputs[1]
        self._weights = [name for name in loss.forward.inputs[_WEIGHT : _WEIGHT + 1] if name]
        ignore = loss.forward.attributes.get("ignore_index")
        self._ignore: dict[str, Any] = {} if ignore is None else {"ignore_index": ignore.value}

    def constants(self, label_smoothing: float) -> Iterator[Tensor]:
        """What the nodes read beside values of the graph."""
        own, dtype = self._own, self._loss.dtype
        yield Tensor(own("rest"), np.array(1 - label_smoothing, dtype))
        yield Tensor(own("smoothing"), np.array(label_smoothing, dtype))
        yield Tensor(own("smallest"), np.array(np.finfo(dtype).tiny, dtype))
        yield Tensor(own("class_axis"), np.array(1, np.int64))

    def forward(self) -> Iterator[Node]:
        """The loss under another name, T, and their sum under the loss's name."""
        own, node = self._own, self._loss.forward
        yield replace(node, outputs=(own("sharp"), *node.outputs[1:]))
        yield from self._shares()
        yield from self._targets()
        yield _node("Mul", [own("rest"), own("sharp")], own("sharp_part"))
        yield _node("Mul", [own("target"), self._log_prob], own("at_each"))
        yield _node("ReduceSum", [own("at_each")], own("smooth_part"), keepdims=0)
        yield _node("Add", [own("sharp_part"), own("smooth_part")], node.outputs[0])

    def _shares(self) -> Iterator[Node]:
        """The loss of log p = -1 counts: 1 for each label that is not ignored, and in sum what the mean divides by."""
        own, mean = self._own, _reduction(self._loss) == "mean"
        counted = own("counted" if mean else "share")
        yield _node("Shape", [self._log_prob], own("shape"))
        yield _node("ConstantOfShape", [own("shape")], own("minus_ones"), value=Tensor("", np.array([-1], self._loss.dtype)))
        loss, inputs = "NegativeLogLikelihoodLoss", [own("minus_ones"), self._labels]
        yield _node(loss, inputs, counted, **self._ignore, reduction="none")
        if mean:
            yield _node(loss, [*inputs, *self._weights], own("total"), **self._ignore, reduction="sum")
            yield _node("Max", [own("total"), own("smallest")], own("divisor"))  # where all labels are ignored: a loss of 0, not NaN
            yield _node("Div", [counted, own("divisor")], own("share"))

    def _targets(self) -> Iterator[Node]:
        own, equation = self._own, "nc...,c,n...->nc..." if self._weights else "nc...,n...->nc..."
        yield _node("Gather", [own("shape"), own("class_axis")], own("class_count"), axis=0)
        yield _node("Cast", [own("class_count")], own("classes"), to=int(ELEMENT_TYPES[self._loss.dtype]))
        yield _node("Div", [own("smoothing"), own("classes")], own("per_class"))
        yield _node("Einsum", [own("minus_ones"), *self._weights, own("share")], own("weighted"), equation=equation)
        yield _node("Mul", [own("weighted"), own("per_class")], own("target"))

    def backward(self) -> Iterator[Node]:
        """d_scores = the loss's gradient for (1 - e) dY + LogSoftmaxGrad(T dY, log_prob)."""
        own, node = self._own, self._loss.backward
        yield _node("Mul", [own("rest"), node.inputs[0]], own("sharp_dY"))
        yield replace(node, inputs=(own("sharp_dY"), *node.inputs[1:]), outputs=(own("sharp_grad"),))
        yield _node("Mul", [own("target"), node.inputs[0]], own("log_prob_grad"))
        yield _node("LogSoftmaxGrad_13", [own("log_prob_grad"), self._log_prob], own("smooth_grad"), MS_DOMAIN, axis=1)
        yield _node("Add", [own("sharp_grad"), own("smooth_grad")], node.outputs[0])

    def _own(self, name: str) -> str:
        return f"{self._loss.forward.outputs[0]}/smoothing/{name}"


def _node(op_type: str, inputs: Sequence[str], output: str, domain: str = ONNX_DOMAIN, **attributes: int | str | Tensor) -> Node:
    """A node with the op's version at opset 13, under its output's name."""
    kinds = {int: AttributeType.INT, str: AttributeType.STRING, Tensor: AttributeType.TENSOR}
    typed = {name: Attribute(kinds[type(value)], value) for name, value in attributes.items()}
    return Node(op_type, tuple(inputs), (output,), output, domain, typed, _SINCE.get(op_type, 13))
