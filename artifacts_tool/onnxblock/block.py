"""Block: what everything that builds on a model is derived from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import onnx
import onnx.checker

from pagetrain.errors import FormatError

from .accessor import ModelAccessor, current


class Block(ABC):
    """A piece of graph. Derive from it, append nodes to `self.base` in `build`, return the name of the result; call it to build it."""

    def __init__(self, temp_file_name: str = "temp.onnx") -> None:  # noqa: B027 - derived blocks call it, as in ORT
        """temp_file_name: ORT's; nothing is written here."""

    @property
    def base(self) -> onnx.ModelProto:
        """The model to append to. Raises StateError outside of `with base(model)`."""
        return current().model

    @abstractmethod
    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Appends to self.base and returns the name (or names) of the result."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """build(...), then, once the outermost block is through, ONNX's full check. Raises FormatError where it fails."""
        accessor = current()
        with accessor.nested() as outermost:
            result = self.build(*args, **kwargs)
        if outermost:
            self._check(accessor)
        return result

    def infer_shapes_on_base(self) -> onnx.ModelProto:
        """The model with the types and shapes that ONNX infers; self.base stays as it is. Raises FormatError for a contradiction."""
        try:
            return onnx.shape_inference.infer_shapes(self.base)
        except onnx.shape_inference.InferenceError as error:
            raise FormatError(f"Types or shapes of the model contradict each other: {error}") from error

    def _check(self, accessor: ModelAccessor) -> None:
        try:
            onnx.checker.check_model(accessor.model, full_check=True)
        except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
            raise FormatError(f"{type(self).__name__} makes a model that is not valid: {error}") from error

    def _name(self, token: str) -> str:
        """A new name, onnx::<token>::<number>."""
        return current().names.new(token)

    def _constant(self, token: str, array: Any) -> str:
        """A new initializer."""
        name = self._name(token)
        self.base.graph.initializer.append(onnx.numpy_helper.from_array(array, name))
        return name

    def _node(
        self, op_type: str, inputs: list[str], output: str, domain: str | None = None, name: str | None = None, **attributes: Any
    ) -> str:
        """Appends a node with one output, whose name is returned."""
        made = onnx.helper.make_node(op_type, inputs, [output], name=self._name(name or op_type), domain=domain, **attributes)
        self.base.graph.node.append(made)
        return output
