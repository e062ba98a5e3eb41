"""Small graphs for tests, in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Model, Node, Tensor, TensorType, ValueInfo


def value(name: str, *shape: Any, element: ElementType = ElementType.FLOAT) -> ValueInfo:
    """A typed value."""
    return ValueInfo(name, TensorType(element, shape))


def node(op_type: str, inputs: str, outputs: str, since: int = 13, domain: str = "", **attributes: Any) -> Node:
    """inputs, outputs: names separated by spaces, "_" for one left out."""
    names = [tuple("" if name == "_" else name for name in text.split()) for text in (inputs, outputs)]
    typed = {name: Attribute(_type_of(given), given) for name, given in attributes.items()}
    return Node(op_type, names[0], names[1], name=f"{op_type}_{names[1][0]}", domain=domain, attributes=typed, since_version=since)


def _type_of(given: Any) -> AttributeType:
    kinds = {
        int: AttributeType.INT,
        float: AttributeType.FLOAT,
        str: AttributeType.STRING,
        tuple: AttributeType.INTS,
        Tensor: AttributeType.TENSOR,
        Graph: AttributeType.GRAPH,
    }
    return kinds[type(given)]


def graph(
    nodes: Sequence[Node],
    inputs: Sequence[ValueInfo],
    outputs: Sequence[str],
    constants: Mapping[str, Any] | None = None,
    value_info: Sequence[ValueInfo] = (),
) -> Graph:
    """A graph whose outputs have no types."""
    initializers = tuple(Tensor(name, np.asarray(data)) for name, data in (constants or {}).items())
    return Graph("test", tuple(nodes), tuple(inputs), tuple(ValueInfo(name, None) for name in outputs), initializers, tuple(value_info))


def model(of: Graph) -> Model:
    """A model of that graph."""
    return Model(of, ir_version=8, opset_import={"": 17, "com.microsoft": 1})
