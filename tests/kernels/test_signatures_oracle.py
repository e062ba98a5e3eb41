"""A kernel's signature is the op's schema: onnx.defs knows the standard ops."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import pytest

from pagetrain import kernels

pytestmark = pytest.mark.oracle
ORT_ONLY = {"AveragePoolGrad", "MaxPoolGrad", "SimplifiedLayerNormalization"}  # in the default domain, but not in ONNX
STANDARD = [known for known in kernels.all_kernels() if known.domain == "" and known.op_type not in ORT_ONLY]
NOT_SUPPORTED = {("Constant", "sparse_value")}  # sparse tensors

REQUIRED = {("Constant", "value", 11)}  # optional in the schema because a sparse one may take its place


def _versions(known: kernels.Kernel) -> list[int]:
    """The op's schema versions that this kernel serves."""
    from onnx import defs

    every = sorted(
        {schema.since_version for schema in defs.get_all_schemas_with_history() if (schema.domain, schema.name) == ("", known.op_type)}
    )
    return [version for version in every if kernels.find("", known.op_type, version) is known]


@pytest.mark.parametrize("known", STANDARD, ids=lambda known: known.op_id)
def test_positional_parameters_are_the_inputs(known: kernels.Kernel) -> None:
    """Same names in the same order as in the newest schema it serves; optional ones default to None; one that repeats is *name."""
    from onnx import defs

    schema = defs.get_schema(known.op_type, _versions(known)[-1])
    parameters = [p for p in inspect.signature(known.run).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    assert [p.name for p in parameters] == [value.name for value in schema.inputs]
    for parameter, value in zip(parameters, schema.inputs, strict=True):
        assert (parameter.default is None) == (value.option == value.option.Optional)
        assert (parameter.kind is parameter.VAR_POSITIONAL) == (value.option == value.option.Variadic)


@pytest.mark.parametrize("known", STANDARD, ids=lambda known: known.op_id)
def test_keyword_parameters_are_the_attributes(known: kernels.Kernel) -> None:
    """Same names and defaults as in every schema version it serves; required ones have no default, those left to the op have None."""
    from onnx import defs, helper

    parameters = {p.name: p.default for p in inspect.signature(known.run).parameters.values() if p.name in known.attributes}
    for version in _versions(known):
        schema = defs.get_schema(known.op_type, version)
        attributes = {name: value for name, value in schema.attributes.items() if (known.op_type, name) not in NOT_SUPPORTED}
        assert parameters.keys() == attributes.keys(), version
        for name, attribute in attributes.items():
            if attribute.required or (known.op_type, name, version) in REQUIRED:
                assert parameters[name] is inspect.Parameter.empty
                continue
            stated = attribute.default_value
            expected = helper.get_attribute_value(stated) if stated.name else None
            expected = expected.decode() if isinstance(expected, bytes) else expected
            if isinstance(expected, list):
                expected = tuple(item.decode() if isinstance(item, bytes) else item for item in expected)
            assert parameters[name] == expected, (version, name)


@cache
def _schemas_of_onnxruntime() -> dict[str, Any]:
    """Those of com.microsoft that the inference package has; for training it takes another package."""
    from onnxruntime.capi import onnxruntime_pybind11_state

    return {one.name: one for one in onnxruntime_pybind11_state.get_all_operator_schema() if one.domain == "com.microsoft"}


MICROSOFT = [known for known in kernels.all_kernels() if known.domain == "com.microsoft" and known.op_type in _schemas_of_onnxruntime()]


@pytest.mark.parametrize("known", MICROSOFT, ids=lambda known: known.op_id)
def test_onnxruntime_s_ops_have_its_schemas(known: kernels.Kernel) -> None:
    """The same inputs in the same order, and no attribute that onnxruntime has not; those it has and we lack are refused at bind."""
    schema = _schemas_of_onnxruntime()[known.op_type]
    parameters = [p for p in inspect.signature(known.run).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    assert [p.name for p in parameters] == [value.name for value in schema.inputs][: len(parameters)]
    assert known.attributes <= schema.attributes.keys()


def _may_be_half(schema: Any, value: Any) -> bool:
    """Whether an input or output of the schema may be float16."""
    allowed = {one.type_param_str: one.allowed_type_strs for one in schema.type_constraints}
    return "tensor(float16)" in allowed.get(value.type_str, [value.type_str])


@pytest.mark.parametrize("known", [known for known in STANDARD if not known.any_type], ids=lambda known: known.op_id)
def test_results_have_the_type_of_the_input_that_the_schema_says(known: kernels.Kernel) -> None:
    """In half precision: the one that `typed_by` says, else the first input of floats."""
    from onnx import defs

    for version in _versions(known):
        schema = defs.get_schema(known.op_type, version)
        floats = [value.type_str for value in schema.inputs if _may_be_half(schema, value)]
        for position, value in enumerate(schema.outputs):
            if _may_be_half(schema, value) and value.type_str in floats:
                model = schema.inputs[known.typed_by[position]].type_str if position < len(known.typed_by) else floats[0]
                assert model == value.type_str, (version, value.name)
