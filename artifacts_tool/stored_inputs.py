"""Training and eval graphs that take frozen parameters as they are stored and widen them first.

int8: `<name>_quantized` and `<name>_scale` go through DequantizeLinear. float16: its 16 bits, as `<name>_bits`, are looked up in a table of
all float16 numbers, because ONNX Runtime 1.19.2 reads no float16 from checkpoints ("Unsupported data type: 10"), but all integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.graph import ONNX_DOMAIN, Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo

from .assembly import Assembled
from .frozen_storage import Stored
from .half_precision import cast
from .op_schemas import since_version
from .parameters import Parameter

SCALE_PER_CHANNEL_SINCE = 13  # opset; DequantizeLinear-10 has one scale for all
TABLE = "float16_numbers"  # float32
TABLE_STORED = "float16_numbers_stored"
Made = TypeVar("Made", bound=Assembled)


def with_stored_inputs(artifacts: Made, forms: Mapping[str, Stored]) -> Made:
    """The artifacts with each parameter of `forms` replaced by what is stored of it: in graphs, parameters and checkpoints.

    Raises InvalidInputError for int8 below opset 13.
    """
    if not forms:
        return artifacts
    _check_opset(artifacts.eval_model, forms)
    kept = artifacts.parameters
    return replace(
        artifacts,
        training_model=_widening(artifacts.training_model, kept, forms),
        eval_model=_widening(artifacts.eval_model, kept, forms),
        parameters=tuple(part for one in kept for part in _inputs_for(one, forms)),
    )


def _check_opset(model: Model, forms: Mapping[str, Stored]) -> None:
    opset = model.opset_import[ONNX_DOMAIN]
    if opset < SCALE_PER_CHANNEL_SINCE and any(form.scales is not None for form in forms.values()):
        raise InvalidInputError(
            f"The model has opset {opset}; int8 with a scale for each channel needs {SCALE_PER_CHANNEL_SINCE} or newer: "
            "export it again, or store frozen parameters as float16."
        )


def _inputs_for(parameter: Parameter, forms: Mapping[str, Stored]) -> tuple[Parameter, ...]:
    """The parameters that stand in place of one."""
    form, name = forms.get(parameter.name), parameter.name
    if form is None:
        return (parameter,)
    if form.scales is None:
        return (_frozen(f"{name}_bits", form.values.view(np.uint16)),)
    return _frozen(f"{name}_quantized", form.values), _frozen(f"{name}_scale", form.scales)


def _frozen(name: str, data: np.ndarray) -> Parameter:
    return Parameter(Tensor(name, data), data.shape, False)


def _widening(model: Model, parameters: tuple[Parameter, ...], forms: Mapping[str, Stored]) -> Model:
    """The model with other inputs for the parameters of `forms`, and their names as values made from these."""
    graph, opset = model.graph, model.opset_import[ONNX_DOMAIN]
    by_name = {one.name: one for one in parameters if one.name in forms}
    inputs: list[ValueInfo] = []
    for value in graph.inputs:
        inputs += [part.value_info for part in _inputs_for(by_name[value.name], forms)] if value.name in by_name else [value]
    nodes = [node for one in by_name.values() for node in _nodes(one, forms[one.name], opset)]
    types = [known for one in by_name.values() for known in _types(one, forms[one.name])]
    return replace(model, graph=_with_table(replace(graph, inputs=tuple(inputs), nodes=(*nodes, *graph.nodes)), types, forms, opset))


def _nodes(parameter: Parameter, form: Stored, opset: int) -> Iterator[Node]:
    """From what is stored to a value of the parameter's name and type."""
    name = parameter.name
    if form.scales is None:
        table = TABLE if parameter.type.element == ElementType.FLOAT else TABLE_STORED
        yield cast(f"{name}_bits", f"{name}_code", ElementType.INT32, opset)
        yield Node("Gather", (table, f"{name}_code"), (name,), f"{name}/Gather", since_version=since_version("Gather", ONNX_DOMAIN, opset))
        return
    yield Node(
        "DequantizeLinear",
        (f"{name}_quantized", f"{name}_scale"),
        (name,),
        f"{name}/DequantizeLinear",
        attributes={"axis": Attribute(AttributeType.INT, 0)},
        since_version=since_version("DequantizeLinear", ONNX_DOMAIN, opset),
    )


def _types(parameter: Parameter, form: Stored) -> Iterator[ValueInfo]:
    yield ValueInfo(parameter.name, parameter.type)
    if form.scales is None:
        yield ValueInfo(f"{parameter.name}_code", TensorType(ElementType.INT32, parameter.shape))


def _with_table(graph: Graph, types: list[ValueInfo], forms: Mapping[str, Stored], opset: int) -> Graph:
    """The typed graph, with the table of all float16 numbers by their bits if anything is looked up in it."""
    graph = replace(graph, value_info=(*graph.value_info, *types))
    if all(form.scales is not None for form in forms.values()):
        return graph
    half = Tensor(TABLE_STORED, np.arange(1 << 16, dtype=np.uint16).view(np.float16))
    wide = ValueInfo(TABLE, TensorType(ElementType.FLOAT, half.data.shape))
    return replace(
        graph,
        nodes=(cast(half.name, TABLE, ElementType.FLOAT, opset), *graph.nodes),
        initializers=(*graph.initializers, half),
        value_info=(*graph.value_info, wide),
    )
