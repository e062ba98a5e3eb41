"""The tables of ONNX Runtime's two flatbuffers files, field by field; reader, builder and both codecs are driven by these.

Sources: onnxruntime/core/flatbuffers/schema/ort.fbs (identifier ORTM) and ort_training_checkpoint.fbs (ODTC), unchanged since ORT 1.19.
Model format history: 1 first; 2 sparse initializers; 3 graph_doc_string; 4 other kernel hashes; 5 hashes replaced by the
kernel_type_str_resolver; 6 float8 element types. Fields were only ever added, so 4 and 5 read as 6 does.
Checkpoint history: 1 first; 2 nominal states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MODEL_IDENTIFIER = b"ORTM"
MODEL_VERSION = "6"
READABLE_MODEL_VERSIONS = ("4", "5", "6")
CHECKPOINT_IDENTIFIER = b"ODTC"
CHECKPOINT_VERSION = 2

SCALARS = ("bool", "i8", "u8", "i32", "u32", "i64", "f32")

# Fields in slot order, name:type; "_" = a slot that is not read (deprecated, or of no use here). Types: scalars, str, bytes (a vector
# of ubyte), tables, structs and unions of this page; [type] is a vector. A scalar that is left out has the value after "=", else 0.
_TABLES = {
    "InferenceSession": ("ort_version:str", "model:Model", "_", "kernel_type_str_resolver:KernelTypeStrResolver"),
    "Model": (
        "ir_version:i64", "opset_import:[OperatorSetId]", "producer_name:str", "producer_version:str", "domain:str", "model_version:i64",
        "doc_string:str", "graph:Graph", "graph_doc_string:str", "metadata_props:[StringStringEntry]",
    ),
    "OperatorSetId": ("domain:str", "version:i64"),
    "StringStringEntry": ("key:str", "value:str"),
    "Graph": (
        "initializers:[Tensor]", "node_args:[ValueInfo]", "nodes:[Node]", "max_node_index:u32", "node_edges:[NodeEdge]", "inputs:[str]",
        "outputs:[str]", "sparse_initializers:[SparseTensor]", "_",  # the last: runtime_optimizations
    ),
    "ValueInfo": ("name:str", "doc_string:str", "type:TypeInfo"),
    "TypeInfo": ("denotation:str", "value_type:u8", "value:TypeInfoValue"),
    "TensorTypeAndShape": ("elem_type:i32", "shape:Shape"),
    "SequenceType": ("elem_type:TypeInfo",),
    "MapType": ("key_type:i32", "value_type:TypeInfo"),
    "Shape": ("dim:[Dimension]",),
    "Dimension": ("value:DimensionValue", "denotation:str"),
    "DimensionValue": ("dim_type:i8", "dim_value:i64", "dim_param:str"),
    "Node": (
        "name:str", "doc_string:str", "domain:str", "since_version:i32", "index:u32", "op_type:str", "type:i32",
        "execution_provider_type:str", "inputs:[str]", "outputs:[str]", "attributes:[Attribute]", "input_arg_counts:[i32]",
        "implicit_inputs:[str]",
    ),
    "NodeEdge": ("node_index:u32", "input_edges:[EdgeEnd]", "output_edges:[EdgeEnd]"),
    "Attribute": (
        "name:str", "doc_string:str", "type:i32", "f:f32", "i:i64", "s:str", "t:Tensor", "g:Graph", "floats:[f32]", "ints:[i64]",
        "strings:[str]", "tensors:[Tensor]", "graphs:[Graph]",
    ),
    "Tensor": (
        "name:str", "doc_string:str", "dims:[i64]", "data_type:i32", "raw_data:bytes", "string_data:[str]", "external_data_offset:i64=-1",
    ),
    "SparseTensor": ("values:Tensor", "indices:Tensor", "dims:[i64]"),
    "KernelTypeStrResolver": ("op_kernel_type_str_args:[OpIdKernelTypeStrArgsEntry]",),
    "OpIdKernelTypeStrArgsEntry": ("op_id:str", "kernel_type_str_args:[KernelTypeStrArgsEntry]"),
    "KernelTypeStrArgsEntry": ("kernel_type_str:str", "args:[ArgTypeAndIndex]"),
    "ArgTypeAndIndex": ("arg_type:i8", "index:u32"),
    "Checkpoint": ("version:i32", "module_state:ModuleState", "optimizer_groups:[OptimizerGroup]", "property_bag:PropertyBag"),
    "ModuleState": ("requires_grad_params:[Tensor]", "frozen_params:[Tensor]", "is_nominal_state:bool", "has_external_data:bool"),
    "OptimizerGroup": ("group_name:str", "step:i64", "initial_learning_rate:f32", "optimizer_states:[ParameterOptimizerState]"),
    "ParameterOptimizerState": ("param_name:str", "momentums:[Tensor]"),
    "PropertyBag": ("ints:[IntProperty]", "floats:[FloatProperty]", "strings:[StringProperty]"),
    "IntProperty": ("name:str", "value:i64"),
    "FloatProperty": ("name:str", "value:f32"),
    "StringProperty": ("name:str", "value:str"),
}  # fmt: skip

# Structs stand inline, without a vtable. A union's kind is the number in the field before it, <name>_type, counted from 1.
_STRUCTS = {"EdgeEnd": ("node_index:u32", "src_arg_index:i32", "dst_arg_index:i32")}
UNIONS = {"TypeInfoValue": ("TensorTypeAndShape", "SequenceType", "MapType")}


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `type` is a scalar, "str", "bytes", or the name of a table, struct or union; is_vector: many of it."""

    name: str
    type: str
    is_vector: bool
    default: int

    @property
    def is_scalar(self) -> bool:
        """Stands inline in its table; everything else is an offset there."""
        return not self.is_vector and self.type in SCALARS


def _parse(text: str) -> Field:
    declaration, _, default = text.partition("=")
    name, _, type_ = declaration.partition(":")
    return Field(name, type_.strip("[]"), type_.startswith("["), int(default or 0))


TABLES: Mapping[str, tuple[Field, ...]] = {kind: tuple(map(_parse, fields)) for kind, fields in _TABLES.items()}
STRUCTS: Mapping[str, tuple[Field, ...]] = {kind: tuple(map(_parse, fields)) for kind, fields in _STRUCTS.items()}
SKIPPED = "_"
