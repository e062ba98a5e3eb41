"""with_functions_expanded: ops that are functions of other ones, written as these where the trainer knows only those.

Source: the function bodies of onnx.defs, those that depend on the node's types and attributes among them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import onnx.defs

from pagetrain import kernels
from pagetrain.graph import ONNX_DOMAIN, Graph, Model, Node, TensorType, ValueInfo
from pagetrain.renaming import renamed

from .fused import is_fused, written_apart
from .gradient.path import FLOAT_TYPES
from .gradient.registry import rule_of
from .onnx_io import infer_types
from .proto_reader import model_of
from .proto_writer import proto_of
from .soundness import all_nodes
from .value_types import value_types

CALL_IR = 10  # any IR version that knows functions
LOCAL = "local"  # domain of the one function that is expanded
BodyOf = Callable[[Node, Mapping[str, TensorType], int], list[Node]]  # of a node, by the types of values and the opset
# ONNX Runtime puts these bodies in place when it opens a .onnx file, and takes a .ort file as it is. Seen with 1.19.2 and 1.32 on CPU.
WITHOUT_ORT_KERNEL = (
    "CastLike",
    "CausalConvWithState",
    "CenterCropPad",
    "GroupNormalization",
    "HardSwish",
    "LinearAttention",
    "Mish",
    "NegativeLogLikelihoodLoss",
    "SwiGLU",
    "Swish",
)


def with_functions_expanded(model: Model) -> Model:
    """The model with the body in place of every function that has no kernel, or no gradient although it makes floats; in sub-graphs, too.

    The values of the outputs are the same: the bodies are the definition. A body may hold further functions, whose turn comes next. One
    with an op that has no kernel helps nobody, so the function stays and is refused by its own name.
    """
    return _written(model, _is_unknown, _body_if_needed)


def with_ort_functions_expanded(model: Model) -> Model:
    """The model with the body in place of every function that ONNX Runtime has no kernel for; the same object if there is none."""
    return _written(model, _is_without_ort_kernel, _body)


def _written(model: Model, is_meant: Callable[[Node], bool], body: BodyOf) -> Model:
    while any(is_meant(node) for node in all_nodes(model.graph)):
        graph = _expanded(model.graph, infer_types(model).graph, {}, model.opset_import[ONNX_DOMAIN], is_meant, body)
        if graph == model.graph:
            break
        model = replace(model, graph=graph)
    return model


def _is_without_ort_kernel(node: Node) -> bool:
    return node.op_type in WITHOUT_ORT_KERNEL and _is_function(node)


def _is_function(node: Node) -> bool:
    if node.domain != ONNX_DOMAIN or not onnx.defs.has(node.op_type, node.since_version, ONNX_DOMAIN):
        return False
    schema: Any = onnx.defs.get_schema(node.op_type, node.since_version, ONNX_DOMAIN)  # the stubs leave functions out
    return bool(schema.has_function or schema.has_context_dependent_function)


def _has_kernel(node: Node) -> bool:
    return kernels.find(node.domain, node.op_type, node.since_version) is not None


def _has_graph(node: Node) -> bool:
    return any(isinstance(attribute.value, Graph) for attribute in node.attributes.values())


def _is_unknown(node: Node) -> bool:
    """Whether it is a function, or stands for several ops, and has no kernel or no gradient."""
    return (_is_function(node) or is_fused(node)) and not (_has_kernel(node) and rule_of(node) is not None)


def _expanded(
    graph: Graph, typed: Graph, outer: Mapping[str, TensorType], opset: int, is_meant: Callable[[Node], bool], body: BodyOf
) -> Graph:
    """typed: the same graph as inference types it. outer: the types of values around it."""
    types = {**outer, **value_types(typed)}
    nodes: list[Node] = []
    for node, known in zip(graph.nodes, typed.nodes, strict=True):
        inner = {
            name: replace(attribute, value=_expanded(attribute.value, known_body, types, opset, is_meant, body))
            for name, attribute in node.attributes.items()
            if isinstance(attribute.value, Graph) and isinstance(known_body := known.attributes[name].value, Graph)
        }
        node = replace(node, attributes={**node.attributes, **inner}) if inner else node
        nodes += body(node, types, opset) if is_meant(node) else [node]
    return replace(graph, nodes=tuple(nodes))


def _body_if_needed(node: Node, types: Mapping[str, TensorType], opset: int) -> list[Node]:
    body = written_apart(node, types, opset) if is_fused(node) else _body(node, types, opset)
    if not _has_kernel(node):
        return body if all(_has_kernel(one) or _is_function(one) or _has_graph(one) for one in body) else [node]
    floats = any(name not in types or types[name].element in FLOAT_TYPES for name in node.outputs if name)
    return body if floats and all(_has_kernel(one) and one.op_type != "Loop" for one in body) else [node]  # Range is a Loop


def _body(node: Node, types: Mapping[str, TensorType], opset: int) -> list[Node]:
    """The nodes of the function, [node] where ONNX has no body for these types. Inner names start with the first output's."""
    inputs = tuple(ValueInfo(name, types.get(name)) for name in dict.fromkeys(node.inputs) if name)
    outputs = tuple(ValueInfo(name, types.get(name)) for name in node.outputs if name)
    call = proto_of(Model(Graph(node.op_type, (node,), inputs, outputs), CALL_IR, {ONNX_DOMAIN: opset, LOCAL: 1}))
    _write_defaults(node, call.graph.node[0])
    function = _function(node, call, opset)
    if function is None:
        return [node]
    function.domain = call.graph.node[0].domain = LOCAL
    function.name = node.op_type
    call.functions.append(function)
    body = model_of(call).graph.nodes
    prefix = f"{outputs[0].name}/{node.op_type}/"
    own = {name: f"{prefix}{name}" for one in body for name in one.outputs if name and name not in node.outputs}
    return [replace(renamed(one, own), name=f"{prefix}{one.op_type}_{index}") for index, one in enumerate(body)]


def _write_defaults(node: Node, call: onnx.NodeProto) -> None:
    """A local function has no defaults of attributes, the op has."""
    for name, attribute in onnx.defs.get_schema(node.op_type, node.since_version, ONNX_DOMAIN).attributes.items():
        if name not in node.attributes and attribute.default_value.type:
            call.attribute.append(attribute.default_value)


def _function(node: Node, call: onnx.ModelProto, opset: int) -> onnx.FunctionProto | None:
    """The newest definition for the opset. call: a model of the node alone."""
    schema: Any = onnx.defs.get_schema(node.op_type, node.since_version, ONNX_DOMAIN)
    versions = [*schema.function_opset_versions, *schema.context_dependent_function_opset_versions]
    version = max((known for known in versions if known <= opset), default=0)
    function = onnx.FunctionProto()
    if version in schema.function_opset_versions:
        function = onnx.FunctionProto.FromString(schema.get_function_with_opset_version(version))
    elif version:
        known = {value.name: value.type for value in call.graph.input}
        types = [known.get(name, onnx.TypeProto()).SerializeToString() for name in node.inputs]
        made = schema.get_context_dependent_function_with_opset_version(version, call.graph.node[0].SerializeToString(), types)
        function = onnx.FunctionProto.FromString(made)
    if not function.node:
        return None
    del function.opset_import[:]
    function.opset_import.append(onnx.OperatorSetIdProto(version=opset))
    return function
