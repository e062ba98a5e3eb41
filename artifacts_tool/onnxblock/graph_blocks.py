"""ForwardBlock and TrainingBlock: blocks whose call makes a whole graph of what they built."""

from __future__ import annotations

from typing import Any

import onnx
import onnx.shape_inference

from pagetrain.errors import InvalidInputError, StateError

from ..assembly import Assembled, assemble
from ..forward import prepare
from ..onnx_io import infer_types, read
from ..proto_writer import proto_of
from .accessor import ModelAccessor, current
from .block import Block

Models = tuple[onnx.ModelProto, onnx.ModelProto]
TensorLists = tuple[list[onnx.TensorProto], list[onnx.TensorProto]]


def output_names(result: Any) -> list[str]:
    """What a block's build returned, as a list of names."""
    return [result] if isinstance(result, str) else list(result)


class ForwardBlock(Block):
    """`build` returns the names of the graph's outputs; the call types the graph and registers them."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """build(...), then shape inference. Raises InvalidInputError for an output without a known type."""
        accessor = current()
        with accessor.nested():
            result = self.build(*args, **kwargs)
        _register_outputs(accessor, self.infer_shapes_on_base(), output_names(result))
        self._model = onnx.ModelProto()
        self._model.CopyFrom(accessor.model)
        return result

    def to_model_proto(self) -> onnx.ModelProto:
        """The model. Raises StateError before the block was called."""
        model: onnx.ModelProto | None = getattr(self, "_model", None)
        if model is None:
            raise StateError("The forward model is not built yet; call the block first.")
        return model


def _register_outputs(accessor: ModelAccessor, typed: onnx.ModelProto, names: list[str]) -> None:
    known = {value.name: value for values in (typed.graph.value_info, typed.graph.output) for value in values}
    if unknown := [name for name in names if name not in known]:
        raise InvalidInputError(f"The model computes no value {', '.join(map(repr, unknown))} with a known type.")
    outputs = [known[name] for name in names]
    inner = [value for value in typed.graph.value_info if value.name not in names]
    for field, values in ((typed.graph.output, outputs), (typed.graph.value_info, inner)):
        copies = [onnx.ValueInfoProto.FromString(value.SerializeToString()) for value in values]
        del field[:]
        field.extend(copies)
    accessor.model.CopyFrom(typed)


class TrainingBlock(Block):
    """`build` returns the name of the loss (and, behind it, of other outputs); the call appends the backward pass."""

    def requires_grad(self, argument_name: str, value: bool = True) -> None:
        """Says that the initializer is to be trained or, with value False, a frozen parameter. Before the call."""
        self._choices[argument_name] = value

    @property
    def _choices(self) -> dict[str, bool]:
        found: dict[str, bool] = self.__dict__.setdefault("_chosen", {})
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """build(...), then training and eval graph; the base becomes the training graph. Raises what generate_artifacts raises."""
        accessor = current()
        with accessor.nested():
            result = self.build(*args, **kwargs)
        trained = [name for name, value in self._choices.items() if value]
        frozen = [name for name, value in self._choices.items() if not value]
        model = infer_types(prepare(read(accessor.model), self._choices))
        self._assembled = assemble(model, output_names(result), trained, frozen)
        accessor.model.CopyFrom(self.to_model_proto()[0])
        return result

    def to_model_proto(self) -> Models:
        """(training model, eval model). Raises StateError before the block was called."""
        built = self._built()
        return proto_of(built.training_model), proto_of(built.eval_model)

    def parameters(self) -> TensorLists:
        """(trainable, frozen) as TensorProtos. Raises StateError before the block was called."""
        return self._built().tensors()

    def _built(self) -> Assembled:
        built: Assembled | None = self.__dict__.get("_assembled")
        if built is None:
            raise StateError("The training model is not built yet; call the block first.")
        return built
