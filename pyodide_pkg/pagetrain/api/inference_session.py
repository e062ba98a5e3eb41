"""InferenceSession: runs a plain model, with the manners of onnxruntime.InferenceSession.

Reference: onnxruntime 1.19, onnxruntime/python/onnxruntime_inference_collection.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import executor
from ..errors import InvalidInputError
from ..graph import SequenceType, Shape, TensorType, ValueInfo
from ..plan import Plan, bind
from .input_check import checked, checked_feeds
from .model_source import ModelSource, load_model
from .node_arg import NodeArg, node_arg
from .output_shapes import merged, output_shapes

PROVIDER = "CPUExecutionProvider"
_INPUTS_MAY_OVERRIDE_SINCE = 4  # IR version; before it every initializer had to be listed among the inputs
_NO_VERSION = 2**63 - 1
_Fetches = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelMetadata:
    """What a model's file says of itself, in onnxruntime's words. version: 2**63 - 1 where the file has none, as in onnxruntime."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


class InferenceSession:
    """run(output_names, input_feed) -> arrays, for an .onnx or .ort model given by path or bytes, or as a graph.Model."""

    def __init__(
        self,
        path_or_bytes: ModelSource,
        sess_options: object = None,
        providers: Sequence[str | tuple[str, Any]] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """sess_options, provider_options: of no effect. providers: any that name CPUExecutionProvider among them; it is the only one.

        Raises FormatError, UnsupportedOpError naming every op without a kernel at once, InvalidInputError for providers without the CPU.
        """
        _check_providers(providers)
        self._model = load_model(path_or_bytes)
        graph = self._model.graph
        constants = {tensor.name for tensor in graph.initializers}
        self._inputs = {value.name: value for value in graph.inputs if value.name not in constants}
        listed = {value.name: value for value in graph.inputs if value.name in constants}
        self._overridable = listed if self._model.ir_version >= _INPUTS_MAY_OVERRIDE_SINCE else {}
        self._outputs = {value.name: value for value in graph.outputs}
        self._plans: dict[tuple[_Fetches, frozenset[str]], Plan] = {}
        self._plan(tuple(self._outputs), frozenset())

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: object = None) -> list[Any]:
        """The named outputs (None or []: all), each an array of its own, or a list of arrays for a sequence.

        input_feed: {input name: array, or list of arrays}; initializers that are inputs too may be overridden. All inputs are needed, even
        those that only other outputs depend on. run_options: of no effect. Raises InvalidInputError for unknown or missing names and other
        dtypes, ShapeMismatchError for other shapes; sizes of one name must agree.
        """
        if isinstance(output_names, str):
            raise InvalidInputError(f"output_names must be a list of names, got the text {output_names!r}.")
        fetches = tuple(output_names or self._outputs)
        self._check_names(fetches, checked_feeds(input_feed))
        plan = self._plan(fetches, frozenset(input_feed).intersection(self._overridable))
        feeds = self._checked(input_feed)
        results = executor.run(plan, feeds)
        return [_own(results[name], feeds.values()) for name in fetches]

    def get_inputs(self) -> list[NodeArg]:
        """Name, shape and type of each input."""
        return [node_arg(value) for value in self._inputs.values()]

    def get_outputs(self) -> list[NodeArg]:
        """Name, shape and type of each output; shapes that the model leaves open are followed from the inputs'."""
        shapes = output_shapes(self._plan(tuple(self._outputs), frozenset()), self._inputs.values())
        return [node_arg(_with_shape(value, shapes.get(value.name))) for value in self._outputs.values()]

    def get_overridable_initializers(self) -> list[NodeArg]:
        """The initializers that are inputs, too."""
        return [node_arg(value) for value in self._overridable.values()]

    def get_modelmeta(self) -> ModelMetadata:
        """Producer, names, version and the custom metadata."""
        model, graph = self._model, self._model.graph
        texts = (model.producer_name, graph.name, model.domain, model.doc_string, graph.doc_string)
        version = _NO_VERSION if model.model_version is None else model.model_version
        return ModelMetadata(*texts, version, dict(model.metadata))

    def get_providers(self) -> list[str]:
        """["CPUExecutionProvider"]: numpy."""
        return [PROVIDER]

    def set_providers(self, providers: Sequence[str | tuple[str, Any]] | None = None, provider_options: object = None) -> None:
        """Changes nothing. Raises InvalidInputError for providers without the CPU."""
        _check_providers(providers)

    def _plan(self, fetches: _Fetches, overridden: frozenset[str]) -> Plan:
        key = (fetches, overridden)
        if key not in self._plans:
            self._plans[key] = bind(self._model.graph, fetches, overridden)
        return self._plans[key]

    def _check_names(self, fetches: _Fetches, feed: Mapping[str, Any]) -> None:
        if unknown := sorted(set(fetches).difference(self._outputs)):
            raise InvalidInputError(f"The model has no outputs named {unknown}; its outputs are {list(self._outputs)}.")
        missing = [name for name in self._inputs if name not in feed]
        unknown = sorted(set(feed).difference(self._inputs, self._overridable))
        if missing or unknown:
            raise InvalidInputError(f"The model takes the inputs {list(self._inputs)}; missing: {missing}, unknown: {unknown}.")

    def _checked(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        sizes: dict[str, tuple[int, str]] = {}
        known = {**self._inputs, **self._overridable}
        return {name: _value(known[name], given, sizes) for name, given in feed.items()}


def _check_providers(providers: Sequence[str | tuple[str, Any]] | None) -> None:
    names = [one if isinstance(one, str) else one[0] for one in providers or [PROVIDER]]
    if PROVIDER not in names:
        raise InvalidInputError(f"The providers are {names}; numpy computes as {PROVIDER!r} alone, so add that one.")


def _value(value: ValueInfo, given: Any, sizes: dict[str, tuple[int, str]]) -> Any:
    if not isinstance(value.type, SequenceType):
        return checked(f"Input {value.name!r}", given, value, sizes)
    if not isinstance(given, list | tuple):
        raise InvalidInputError(f"Input {value.name!r} must be a list of arrays, got {type(given).__name__}.")
    element = ValueInfo(value.name, value.type.element)
    return [checked(f"Item {index} of input {value.name!r}", item, element, {}) for index, item in enumerate(given)]


def _with_shape(value: ValueInfo, shape: Shape | None) -> ValueInfo:
    known = value.type
    return replace(value, type=replace(known, shape=merged(known.shape, shape))) if isinstance(known, TensorType) else value


def _own(result: Any, feeds: Any) -> Any:
    """A result that nobody else holds: no view of a feed, of a constant, or of a larger array."""
    if isinstance(result, list):
        return [_own(item, feeds) for item in result]
    array = np.asarray(result)
    held = array.base is not None or any(array is feed for feed in feeds) or not array.flags.writeable
    return np.array(array) if held else array
