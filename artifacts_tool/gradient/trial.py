"""refusals: which nodes have a gradient rule that cannot be applied to them, found without building anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pagetrain.errors import PagetrainError
from pagetrain.graph import Graph, Node, TensorType
from pagetrain.names import gradient_of
from pagetrain.topology import reads

from ..op_schemas import exists
from ..recurrent import is_recurrent, steps_of
from .backward import completed
from .path import Path
from .registry import rule_of
from .scope import Emitted, Scope


def refusals(graph: Graph, types: Mapping[str, TensorType], path: Path, opset: int) -> Iterator[tuple[Node, PagetrainError]]:
    """(node, what its rule says) for each node of the path that a rule, or the writing of its steps, refuses."""
    constants = {tensor.name: tensor.data for tensor in graph.initializers}
    for node in path.nodes:
        if not exists(node.op_type, node.domain, opset):
            continue  # there is no such op, so no rule can be asked about it
        try:
            if is_recurrent(node):
                steps_of(node, types, opset)
            elif (rule := rule_of(node)) is not None:
                wanted = dict(path.edges(node))
                whole = completed(node)
                outputs = tuple(gradient_of(name) if name in path.values else "" for name in whole.outputs)
                inputs = tuple(gradient_of(name) if index in wanted else "" for index, name in enumerate(reads(node)))
                rule.emit(Scope(whole, "trial", opset, types, constants, outputs, inputs, Emitted()))
        except PagetrainError as error:
            yield node, error
