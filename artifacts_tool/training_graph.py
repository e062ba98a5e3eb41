"""The training graph: forward, backward, and the accumulation of gradients in buffers that live outside.

Source: ORT 1.19 orttraining/orttraining/core/optimizer and training_api/module.cc; interfaces, names and order are ORT's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pagetrain.graph import MS_DOMAIN, ElementType, Model, Node, TensorType, ValueInfo
from pagetrain.names import LAZY_RESET_GRAD, accumulation_buffer_of, accumulation_output_of, gradient_of

from .gradient import differentiate
from .onnx_io import infer_types
from .parameters import Parameter
from .unroll import unrolled
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
    """The forward model (first output: the loss) with its backward pass. Raises what gradient.differentiate raises."""
    trained = [parameter for parameter in parameters if parameter.trainable]
    model = unrolled(model, [parameter.name for parameter in trained])
    graph, opset = model.graph, model.opset_import[""]
    types = value_types(graph)
    backward = differentiate(graph, types, [parameter.name for parameter in trained], graph.outputs[0].name, opset)
    buffers = tuple(ValueInfo(accumulation_buffer_of(parameter.name), parameter.type) for parameter in trained)
    flags = tuple(ValueInfo(accumulation_output_of(parameter.name), FLAG) for parameter in trained)
    gradient_types = tuple(ValueInfo(name, known) for name, known in backward.types.items())
    whole = replace(
        graph,
        nodes=(*backward.forward, *backward.nodes, *_accumulators(trained, len(graph.outputs))),
        inputs=(*graph.inputs, *buffers, ValueInfo(LAZY_RESET_GRAD, FLAG)),
        outputs=(*graph.outputs, *flags),
        initializers=(*graph.initializers, *backward.initializers),
        value_info=(*graph.value_info, *gradient_types),
    )
    return infer_types(replace(model, graph=whole, opset_import={**model.opset_import, **TRAINING_OPSETS}))


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
