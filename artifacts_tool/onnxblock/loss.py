"""Losses as blocks. Source: onnxruntime.training.onnxblock.loss (ORT 1.19); values and nodes carry the names that it gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from pagetrain.errors import InvalidInputError, ShapeMismatchError
from pagetrain.graph import MS_DOMAIN
from pagetrain.names import LABELS

from ..value_types import shape_text
from .accessor import current
from .block import Block
from .blocks import Abs, Add, InputLike, Mul, Neg, Pow, ReduceMean, ReduceSum, Softplus, Sub, like

REDUCTIONS = ("mean", "sum", "none")
TARGET = "target"
CROSS_ENTROPY_SINCE = 12


def _checked(reduction: str) -> str:
    if reduction not in REDUCTIONS:
        raise InvalidInputError(f"The reduction {reduction!r} is none of {', '.join(REDUCTIONS)}.")
    return reduction


class _ElementLoss(Block):
    """A loss of prediction and target of the same shape, element by element, then reduced."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self._reduction = _checked(reduction)

    def build(self, loss_input_name: str, target_name: str = TARGET) -> str:
        """The loss's name. `target_name` becomes a graph input like the prediction, if the graph does not know it yet.

        Raises InvalidInputError for a value of that name that is not like the prediction.
        """
        if _is_known(self.base, target_name):
            _refuse_unlike(target_name, current().type_of(loss_input_name).tensor_type, broadcasts=True)
        else:
            InputLike(loss_input_name).build(target_name)
        losses = self._losses(loss_input_name, target_name)
        if self._reduction == "none":
            return losses
        block = ReduceMean if self._reduction == "mean" else ReduceSum
        return block(keepdims=False).build(losses)

    def _losses(self, prediction: str, target: str) -> str:
        raise NotImplementedError


class MSELoss(_ElementLoss):
    """(prediction - target) ** 2, reduced. reduction "none": one loss per element; gradients are those of their sum."""

    def _losses(self, prediction: str, target: str) -> str:
        return Pow(2.0).build(Sub().build(prediction, target))


class L1Loss(_ElementLoss):
    """|prediction - target|, reduced."""

    def _losses(self, prediction: str, target: str) -> str:
        return Abs().build(Sub().build(prediction, target))


class BCEWithLogitsLoss(_ElementLoss):
    """-(pos_weight * t * log(sigmoid(x)) + (1 - t) * log(1 - sigmoid(x))) * weight, reduced; x logits, t in [0, 1].

    weight, pos_weight: arrays that broadcast against x. Written with Softplus, as -log(sigmoid(x)) = softplus(-x): finite for all x, where
    ORT takes the logarithm of 0 beyond about x = 17.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self._weight, self._pos_weight = weight, pos_weight

    def _losses(self, prediction: str, target: str) -> str:
        pos_weight, weight = (
            self._weights(token, array, prediction)
            for token, array in (("bceloss.pos_weight", self._pos_weight), ("bceloss.weight", self._weight))
        )
        one = self._constant("bceloss.sub_ones", like(prediction, [1]))
        self._skip("bceloss.sub_ones")
        positive = Mul().build(Softplus().build(Neg().build(prediction)), target)
        if self._pos_weight is not None:
            positive = Mul().build(positive, pos_weight)
        softplus = Softplus().build(prediction)
        self._skip("log_output", "Log")
        losses = Add().build(positive, Mul().build(softplus, Sub().build(one, target)))
        self._skip("neg_output", "Neg")
        return losses if self._weight is None else Mul().build(weight, losses)

    def _weights(self, token: str, array: Any, prediction: str) -> str:
        if array is None:
            self._skip(token)
            return ""
        return self._constant(token, like(prediction, array))

    def _skip(self, *tokens: str) -> None:
        """Takes the numbers of what ORT's formula has here and ours has not, so that later names are ORT's."""
        for token in tokens:
            self._name(token)


class CrossEntropyLoss(Block):
    """-weight[label] * log softmax(scores)[label], reduced over the labels; the mean divides by the sum of their weights.

    weight: (classes,). ignore_index: a label that does not count. Scores are (N, classes, d1..), labels int64 (N, d1..).
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", ignore_index: int | None = None) -> None:
        super().__init__()
        self._weight, self._reduction, self._ignore_index = weight, _checked(reduction), ignore_index

    def build(self, scores_input_name: str, labels_name: str = LABELS) -> str:
        """The loss's name. `labels_name` becomes a graph input, if the graph does not know it yet.

        Raises ShapeMismatchError for scores of one axis, or weights that are not one per class; InvalidInputError for a known value that
        cannot be labels.
        """
        scores = current().type_of(scores_input_name).tensor_type
        _check_scores(scores_input_name, scores, self._weight)
        weight = self._name("celoss.weight")
        if self._weight is not None:
            self.base.graph.initializer.append(onnx.numpy_helper.from_array(like(scores_input_name, self._weight), weight))
        if _is_known(self.base, labels_name):
            _refuse_unlike(labels_name, _labels_type(scores).tensor_type, broadcasts=False)
        else:
            self.base.graph.input.append(onnx.helper.make_value_info(labels_name, _labels_type(scores)))
        loss, log_prob = self._name("loss"), self._name("log_prob")
        inputs = [scores_input_name, labels_name, weight if self._weight is not None else ""]
        if _opset_of(self.base) >= CROSS_ENTROPY_SINCE:
            self._append(inputs, [loss, log_prob])
        else:
            self._append_internal(inputs, [loss, log_prob])
        return loss

    def _append(self, inputs: list[str], outputs: list[str]) -> None:
        ignored: dict[str, Any] = {} if self._ignore_index is None else {"ignore_index": self._ignore_index}
        name = self._name("SoftmaxCrossEntropyLoss")
        node = onnx.helper.make_node("SoftmaxCrossEntropyLoss", _trimmed(inputs), outputs, name, reduction=self._reduction, **ignored)
        self.base.graph.node.append(node)

    def _append_internal(self, inputs: list[str], outputs: list[str]) -> None:
        """Before opset 12 ORT's own form of the op, and the types of its results, which onnx cannot infer."""
        inputs = [*inputs, "" if self._ignore_index is None else self._constant("ignore_index", np.array(self._ignore_index, np.int64))]
        name = self._name("SoftmaxCrossEntropyLoss")
        node = onnx.helper.make_node(
            "SoftmaxCrossEntropyLossInternal", _trimmed(inputs), outputs, name, domain=MS_DOMAIN, reduction=self._reduction
        )
        self.base.graph.node.append(node)
        if all(entry.domain != MS_DOMAIN for entry in self.base.opset_import):
            self.base.opset_import.append(onnx.helper.make_opsetid(MS_DOMAIN, 1))
        scores = current().type_of(inputs[0])
        loss = _labels_type(scores.tensor_type)
        loss.tensor_type.elem_type = scores.tensor_type.elem_type
        if self._reduction != "none":
            del loss.tensor_type.shape.dim[:]
        self.base.graph.value_info.extend(onnx.helper.make_value_info(*pair) for pair in zip(outputs, (loss, scores), strict=True))


def _trimmed(names: list[str]) -> list[str]:
    """Without the empty names at the end."""
    return _trimmed(names[:-1]) if not names[-1] else names


def _opset_of(model: onnx.ModelProto) -> int:
    return next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 1)


def _check_scores(name: str, scores: onnx.TypeProto.Tensor, weight: Any) -> None:
    if not scores.HasField("shape") or len(scores.shape.dim) < 2:
        shape = f"({len(scores.shape.dim)} axis)" if scores.HasField("shape") else "of unknown rank"
        raise ShapeMismatchError(f"CrossEntropyLoss needs scores of shape (N, classes), but {name!r} is {shape}.")
    classes = scores.shape.dim[1]
    if classes.dim_value == 1:
        raise ShapeMismatchError(
            f"CrossEntropyLoss needs scores of shape (N, classes), but {name!r} has a single class, whose loss is 0 whatever is learnt; "
            "take BCEWithLogitsLoss for yes and no, or MSELoss for a quantity."
        )
    if weight is not None and (np.ndim(weight) != 1 or (classes.HasField("dim_value") and classes.dim_value != len(weight))):
        raise ShapeMismatchError(f"CrossEntropyLoss needs one weight per class of {name!r}, got an array of shape {np.shape(weight)}.")


def _labels_type(scores: onnx.TypeProto.Tensor) -> onnx.TypeProto:
    """The type of labels for scores whose axis 1 is the class."""
    found = onnx.TypeProto()
    found.tensor_type.elem_type = onnx.TensorProto.INT64
    found.tensor_type.shape.CopyFrom(scores.shape)
    del found.tensor_type.shape.dim[1]
    return found


def _is_known(model: onnx.ModelProto, name: str) -> bool:
    graph = model.graph
    if any(value.name == name for values in (graph.input, graph.initializer) for value in values):
        return True
    return any(name in node.input or name in node.output for node in graph.node)


def _refuse_unlike(name: str, wanted: onnx.TypeProto.Tensor, broadcasts: bool) -> None:
    """A value of the model that has the name of the labels is taken for them, as in ORT, if its element type and sizes allow it."""
    known = current().type_of(name).tensor_type
    ours, theirs = ([dim.dim_value for dim in found.shape.dim] for found in (known, wanted))
    fits = broadcasts or len(ours) == len(theirs) or not (known.HasField("shape") and wanted.HasField("shape"))
    pairs = zip(reversed(ours), reversed(theirs), strict=False)
    apart = [pair for pair in pairs if 0 not in pair and len(set(pair)) == 2 and not (broadcasts and 1 in pair)]
    elements = {known.elem_type, wanted.elem_type}
    if apart or not fits or not (len(elements) == 1 or elements == {onnx.TensorProto.INT32, onnx.TensorProto.INT64}):
        raise InvalidInputError(
            f"The model has a value {name!r} of its own, {_text(known)}, where the loss would take {_text(wanted)}; "
            "give the labels another name, as the second of loss_input_names."
        )


def _text(known: onnx.TypeProto.Tensor) -> str:
    shape = tuple(dim.dim_param or dim.dim_value or None for dim in known.shape.dim) if known.HasField("shape") else None
    return f"{onnx.TensorProto.DataType.Name(known.elem_type).lower()} {shape_text(shape)}"
