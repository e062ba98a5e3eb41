"""A training graph in float64, where a central difference is good to nine digits, and the slope of its loss along a direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pagetrain import executor
from pagetrain.graph import Attribute, AttributeType, ElementType, Graph, Node, Tensor
from pagetrain.plan import bind

STEP = 1e-8  # smaller than where the next bend of a Relu or Clip lies; rounding leaves about 1e-16 / 1e-8 of the slope
ELEMENT_ATTRIBUTES = {"Cast": "to", "EyeLike": "dtype"}


def widened(array: np.ndarray) -> np.ndarray:
    """float32 as float64; anything else as it is."""
    return array.astype(np.float64) if array.dtype == np.float32 else array


class WideGraph:
    """The graph with every float32 in it made float64. feeds: what it reads beside gradient buffers."""

    def __init__(self, graph: Graph, feeds: Mapping[str, np.ndarray]) -> None:
        nodes = tuple(_widened_node(node) for node in graph.nodes)
        initializers = tuple(Tensor(tensor.name, widened(tensor.data)) for tensor in graph.initializers)
        self.loss = graph.outputs[0].name
        self._graph = replace(graph, nodes=nodes, initializers=initializers)
        self._feeds = {name: widened(array) for name, array in feeds.items()}
        self._forward = bind(self._graph, [self.loss])

    def gradients(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """By the graph's own backward pass."""
        plan = bind(self._graph, [f"{name}_grad" for name in names])
        return dict(zip(names, executor.run(plan, self._fresh({})).values(), strict=True))

    def slope(self, direction: Mapping[str, np.ndarray]) -> float:
        """The central difference of the loss along the direction."""
        ahead, behind = (
            float(executor.run(self._forward, self._fresh({n: self._feeds[n] + sign * STEP * d for n, d in direction.items()}))[self.loss])
            for sign in (1, -1)
        )
        return (ahead - behind) / (2 * STEP)

    def _fresh(self, changed: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Copies, because batch normalization in training mode writes its running statistics."""
        return {name: np.array(array) for name, array in {**self._feeds, **changed}.items()}


def _widened_node(node: Node) -> Node:
    attributes = {name: _widened_attribute(attribute) for name, attribute in node.attributes.items()}
    element = ELEMENT_ATTRIBUTES.get(node.op_type, "")
    if element in attributes and attributes[element].value == ElementType.FLOAT:
        attributes[element] = Attribute(AttributeType.INT, int(ElementType.DOUBLE))
    return replace(node, attributes=attributes)


def _widened_attribute(attribute: Attribute) -> Attribute:
    value = attribute.value
    return Attribute(attribute.type, Tensor(value.name, widened(value.data))) if isinstance(value, Tensor) else attribute
