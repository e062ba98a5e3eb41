"""What the ORT-format writer and the gradient builder must know of each op: its version, formal inputs and type variables.

Default-domain ops come from onnx.defs, those that onnx does not know from the tables below, as ORT 1.19 registers them.
Source: microsoft/onnxruntime:orttraining/orttraining/core/graph/training_op_defs.cc, optimizer_op_defs and contrib_defs.cc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import onnx.defs

from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN, AttributeType
from pagetrain.ortformat.model import INPUT, OUTPUT, OpSchema

# op_type: type variables of the formal inputs, then of the formal outputs.
MS_OPS = {
    "AdamWOptimizer": ("T1 T2 S_WEIGHT S_GRAD S_MOMENT S_MOMENT T_BOOL", "T_BOOL S_WEIGHT S_MOMENT S_MOMENT"),
    "BatchNormInternal": ("T T1 T1 T2 T2", "T T2 T2 T2 T2"),
    "BatchNormalizationGrad": ("T T T1 T2 T2", "T T1 T1"),
    "BiasGelu": ("T T", "T"),
    "BroadcastGradientArgs": ("T T", "T T"),
    "ConvGrad": ("T T T", "T T T"),
    "ConvTransposeGrad": ("T T T", "T T T"),
    "FastGelu": ("T T", "T"),
    "FastGeluGrad": ("T T", "T"),
    "FusedMatMul": ("T T", "T"),
    "GatherElementsGrad": ("T I Tind", "T"),
    "GatherGrad": ("I Tind T", "T"),
    "GatherNDGrad": ("T1 Tind T", "T"),
    "Gelu": ("T", "T"),
    "GeluGrad": ("T T", "T"),
    "InPlaceAccumulatorV2": ("T T_GRAD T_BOOL", "T_BOOL T"),
    "InplaceClipGradNorm": ("S_GRAD", "S_GRAD"),
    "LayerNormalizationGrad": ("V T V U U", "T V V"),
    "LeakyReluGrad": ("T T", "T"),
    "LogSoftmaxGrad": ("T T", "T"),
    "LogSoftmaxGrad_13": ("T T", "T"),
    "QuickGelu": ("T", "T"),
    "QuickGeluGrad": ("T T", "T"),
    "ReduceSumTraining": ("T axes", "T"),
    "DropoutGrad": ("T T2 T1 T2", "T"),
    "ReluGrad": ("T T", "T"),
    "Scale": ("T ScaleT", "T"),
    "SGDOptimizerV2": ("T1 S_WEIGHT S_GRAD T_BOOL", "T_BOOL S_WEIGHT"),
    "SigmoidGrad": ("T T", "T"),
    "SliceGrad": ("T I Tind Tind Tind Tind", "T"),
    "SkipLayerNormalization": ("T T T T T", "T U U T"),
    "SoftmaxCrossEntropyLossGrad": ("T T Tind T", "T"),
    "SoftmaxCrossEntropyLossInternal": ("T Tind T I", "TOut TOut"),
    "SoftmaxCrossEntropyLossInternalGrad": ("T T Tind T I TOut", "TOut"),
    "SoftmaxGrad": ("T T", "T"),
    "SoftmaxGrad_13": ("T T", "T"),
    "SplitTraining": ("T split", "T"),
    "TanhGrad": ("T T", "T"),
    "Trilu": ("T k", "T"),
}

# The same for ops that ORT has in the default domain although ONNX has not, their version first.
ORT_OPS = {
    "LayerNormalization": (1, "T V V", "V U U"),  # in ONNX from 17 on
    "MaxPoolGrad": (9, "T I", "T"),
}


@cache
def exists(op_type: str, domain: str, opset: int) -> bool:
    """Whether a model of this opset can hold the op. Only of the default domain do we know what does not exist."""
    return domain != ONNX_DOMAIN or op_type in ORT_OPS or onnx.defs.has(op_type, opset, domain)


@cache
def since_version(op_type: str, domain: str, opset: int) -> int:
    """The version of the op's schema that a model of this opset means; 1 for ops onnx does not know."""
    if domain == ONNX_DOMAIN and onnx.defs.has(op_type, opset, domain):
        return onnx.defs.get_schema(op_type, opset, domain).since_version
    return ORT_OPS[op_type][0] if domain == ONNX_DOMAIN and op_type in ORT_OPS else 1


@cache
def most_outputs(op_type: str, domain: str, version: int) -> int | None:
    """How many outputs the op version can have; None for an op that onnx does not know."""
    if domain != ONNX_DOMAIN or not onnx.defs.has(op_type, version, domain):
        return None
    return onnx.defs.get_schema(op_type, version, domain).max_output


@cache
def schema_of(op_type: str, domain: str, version: int) -> OpSchema | None:
    """The op's schema for ortformat.model.dump, None for an op that neither onnx nor the table knows."""
    if domain == MS_DOMAIN:
        return _ort_schema(*MS_OPS[op_type]) if op_type in MS_OPS else None
    if domain == ONNX_DOMAIN and op_type in ORT_OPS and version == ORT_OPS[op_type][0]:
        return _ort_schema(*ORT_OPS[op_type][1:])
    if not onnx.defs.has(op_type, version, domain):
        return None
    schema = onnx.defs.get_schema(op_type, version, domain)
    variadic = onnx.defs.OpSchema.FormalParameterOption.Variadic
    return OpSchema(
        kernel_types=_kernel_types(_type_keys(schema, schema.inputs), _type_keys(schema, schema.outputs)),
        formal_inputs=len(schema.inputs),
        variadic_input=bool(schema.inputs) and schema.inputs[-1].option == variadic,
    )


@dataclass(frozen=True, slots=True)
class Signature:
    """How a node of an op must look. inputs, outputs: (least, most) of them; needed: so many first inputs must not be left out ("").

    required: those without a default.
    """

    inputs: tuple[int, int]
    outputs: tuple[int, int]
    needed: int
    attributes: Mapping[str, AttributeType]
    required: frozenset[str]


@cache
def signature_of(op_type: str, domain: str, version: int) -> Signature | None:
    """The signature of one of onnx's own ops, else None."""
    if (domain == ONNX_DOMAIN and op_type in ORT_OPS) or not onnx.defs.has(op_type, version, domain):
        return None
    schema = onnx.defs.get_schema(op_type, version, domain)
    single = onnx.defs.OpSchema.FormalParameterOption.Single
    return Signature(
        inputs=(schema.min_input, schema.max_input),
        outputs=(schema.min_output, schema.max_output),
        needed=next((index for index, one in enumerate(schema.inputs) if one.option != single), len(schema.inputs)),
        attributes=_kinds(schema),
        required=frozenset(name for name, one in schema.attributes.items() if one.required),
    )


def _kinds(schema: onnx.defs.OpSchema) -> dict[str, AttributeType]:
    kinds = {name: cast(Any, attribute.type).name for name, attribute in schema.attributes.items()}
    return {name: AttributeType[kind] for name, kind in kinds.items() if kind in AttributeType.__members__}


def _ort_schema(inputs: str, outputs: str) -> OpSchema:
    kernel_types = _kernel_types(inputs.split(), outputs.split())
    return OpSchema(kernel_types=kernel_types, formal_inputs=len(inputs.split()), variadic_input=False)


def _type_keys(schema: onnx.defs.OpSchema, parameters: Sequence[onnx.defs.OpSchema.FormalParameter]) -> list[str]:
    """The type variable of each formal parameter; its name where the type is fixed."""
    variables = {constraint.type_param_str for constraint in schema.type_constraints}
    return [parameter.type_str if parameter.type_str in variables else parameter.name for parameter in parameters]


def _kernel_types(inputs: list[str], outputs: list[str]) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for kind, keys in ((INPUT, inputs), (OUTPUT, outputs)):
        for index, key in enumerate(keys):
            found.setdefault(key, []).append((kind, index))
    return {key: tuple(found[key]) for key in sorted(found)}
