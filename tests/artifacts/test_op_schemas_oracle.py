"""artifacts_tool.op_schemas against what real .ort files say, and our table against the ops that rules emit."""

import json
from pathlib import Path

import pytest

from artifacts_tool.op_schemas import INPUT, MS_OPS, ORT_OPS, schema_of, since_version

pytestmark = pytest.mark.oracle

FACTS = json.loads((Path(__file__).resolve().parent.parent / "data/op_schemas/kernel_type_str.json").read_text())


@pytest.mark.parametrize("op_id", FACTS)
def test_type_variables_are_those_of_real_files(op_id):
    """For each op version, the same type variables over the same inputs and outputs as ONNX Runtime wrote."""
    domain, op_type, version = op_id.split(":")
    schema = schema_of(op_type, domain, int(version))
    found = {key: [["in" if kind == INPUT else "out", index] for kind, index in places] for key, places in schema.kernel_types.items()}
    assert found == FACTS[op_id]


def test_our_tables_are_covered_by_facts():
    """No op stands in the tables unchecked."""
    without_kernel = {"ConvTransposeGrad"}  # ORT has no kernel for it on the CPU, so it wrote no file; the types are those of its schema
    assert {f"com.microsoft:{op}:1" for op in MS_OPS if op not in without_kernel} <= set(FACTS)
    assert {f":{op}:{version}" for op, (version, *_) in ORT_OPS.items()} <= set(FACTS)


@pytest.mark.parametrize(
    "op,opset,expected", [("Gemm", 17, 13), ("Gemm", 12, 11), ("Reshape", 17, 14), ("Clip", 12, 12), ("NoSuchOp", 17, 1)]
)
def test_since_version_is_that_of_the_schema(op, opset, expected):
    """The newest schema not newer than the opset; 1 for what onnx does not know."""
    assert since_version(op, "", opset) == expected


def test_optional_and_variadic_inputs_are_counted_as_formal_ones():
    """Gemm has three formal inputs, the last optional; Sum has one that repeats."""
    assert schema_of("Gemm", "", 13).formal_inputs == 3
    assert not schema_of("Gemm", "", 13).variadic_input
    assert schema_of("Sum", "", 13).variadic_input


def test_unknown_ops_have_no_schema():
    """None, for dump to name them all at once."""
    assert schema_of("NoSuchOp", "", 1) is None
    assert schema_of("NoSuchOp", "com.microsoft", 1) is None
