"""The training graph: forward, backward, and the accumulation of gradients in buffers that live outside.

Source: ORT 1.19 orttraining/orttraining/core/optimizer and training_api/module.cc; interfaces, names and order are ORT's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN, ElementType, Graph, Model, Node, TensorType, ValueInfo
from pagetrain.names import LAZY_RESET_GRAD, accumulation_buffer_of, accumulation_output_of, gradient_of

from .gradient import Backward, differentiate
from .gradient.scope import BACKWARD
from .half_precision import HALVES, widened, with_float32_reads
from .onnx_io import infer_types
from .parameters import Parameter
from .recurrent import with_scans
from .value_types import value_types

TRAINING_OPSETS = {
    "ai.onnx.ml": 5,
    "ai.onnx.training": 1,
    "ai.onnx.preview.training": 1,
    MS_DOMAIN: 1,
    "com.microsoft.experimental": 1,
    "com.microsoft.nchwc": 1,
    "org.pytorch.aten": 1,
}
FLAG = TensorType(ElementType.BOOL, (1,))


def training_model(model: Model, parameters: Sequence[Parameter]) -> Model:
    """The forward model (first output: the loss) with its backward pass.

    Raises what gradient.differentiate raises, and InvalidInputError for a value that is called as one of the backward pass.
    """
    trained = [parameter for parameter in parameters if parameter.trainable]
    model = with_scans(model, [parameter.name for parameter in trained], model.graph.outputs[0].name)
    graph, opset = model.graph, model.opset_import[""]
    types = value_types(graph)
    backward = differentiate(graph, widened(types), [parameter.name for parameter in trained], graph.outputs[0].name, opset)
    buffers = tuple(ValueInfo(accumulation_buffer_of(parameter.name), parameter.type) for parameter in trained)
    flags = tuple(ValueInfo(accumulation_output_of(parameter.name), FLAG) for parameter in trained)
    gradient_types = tuple(ValueInfo(name, known) for name, known in backward.types.items())
    whole = replace(
        graph,
        nodes=(*backward.forward, *_backward_nodes(model, backward, types), *_accumulators(trained, len(graph.outputs))),
        inputs=(*graph.inputs, *buffers, ValueInfo(LAZY_RESET_GRAD, FLAG)),
        outputs=(*graph.outputs, *flags),
        initializers=(*graph.initializers, *backward.initializers),
        value_info=(*graph.value_info, *gradient_types),
    )
    _refuse_names_given_twice(whole)
    return infer_types(replace(model, graph=whole, opset_import={**model.opset_import, **TRAINING_OPSETS}))


def _refuse_names_given_twice(graph: Graph) -> None:
    given = Counter(name for node in graph.nodes for name in node.outputs if name)
    given.update({value.name for value in graph.inputs})
    given.update(tensor.name for tensor in graph.initializers)
    if twice := [name for name, times in given.items() if times > 1]:
        named = ", ".join(map(repr, twice))
        raise InvalidInputError(f"The values {named} are called as values of the backward pass will be; rename them.")


def _backward_nodes(model: Model, backward: Backward, types: Mapping[str, TensorType]) -> list[Node]:
    """The backward pass in float32; what it reads of a half-precision forward pass, outputs that only it needs among them, is cast."""
    if all(known.element not in HALVES for known in types.values()):
        return backward.nodes
    forward = infer_types(replace(model, graph=replace(model.graph, nodes=tuple(backward.forward))))
    return with_float32_reads(backward.nodes, value_types(forward.graph), model.opset_import[ONNX_DOMAIN], BACKWARD)


def _accumulators(trained: Sequence[Parameter], first: int) -> list[Node]:
    """buffer = gradient if lazy_reset_grad else buffer + gradient, for each trained parameter. first: number of outputs before theirs."""
    return [
        Node(
            "InPlaceAccumulatorV2",
            (accumulation_buffer_of(parameter.name), gradient_of(parameter.name), LAZY_RESET_GRAD),
            (accumulation_output_of(parameter.name),),
            name=f"GradientAccumulator{first + index}",
            domain=MS_DOMAIN,
        )
        for index, parameter in enumerate(trained)
    ]
