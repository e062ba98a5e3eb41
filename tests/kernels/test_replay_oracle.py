"""Computes and compares tests/data/oracle: `python -m tests.kernels.test_replay_oracle [family ...]` writes it."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cases import COMPARED, FAMILIES, file_of
from tests.cases.case import Case

pytestmark = pytest.mark.oracle
STORED = Path(__file__).parent.parent / "data/oracle"


def model_of(case: Case) -> Any:
    """A ModelProto of the case's node alone: inputs i0, i1, .., outputs o0, o1, .."""
    from onnx import helper

    names = [f"i{position}" if value is not None else "" for position, value in enumerate(case.inputs)]
    outputs = [f"o{position}" for position in range(case.outputs)]
    attributes = {name: _as_proto(value) for name, value in case.attributes.items()}
    node = helper.make_node(case.op_type, names, outputs, domain=case.domain, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in zip(names, case.inputs, strict=True)
        if value is not None
    ]
    typed = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph([node], "case", inputs, typed)
    opset = 17 if case.domain else max(case.since, 7)  # 7: the oldest that onnxruntime promises to run
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=imports)


def _as_proto(value: Any) -> Any:
    from onnx import numpy_helper

    from artifacts_tool.proto_writer import proto_of
    from pagetrain.graph import Graph, Model

    if isinstance(value, Graph):
        return proto_of(Model(value, 8, {})).graph
    return numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value


def feeds_of(case: Case) -> dict[str, np.ndarray]:
    return {f"i{position}": value for position, value in enumerate(case.inputs) if value is not None}


def by_reference(case: Case) -> list[np.ndarray]:
    from onnx.reference import ReferenceEvaluator

    return [np.asarray(value) for value in ReferenceEvaluator(model_of(case)).run(None, feeds_of(case))]


def by_onnxruntime(case: Case) -> list[np.ndarray]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model_of(case).SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [np.asarray(value) for value in session.run(None, feeds_of(case))]


def by_oracle(case: Case) -> list[np.ndarray]:
    """onnx's reference is what is stored, where the case allows."""
    return by_onnxruntime(case) if case.oracle == "onnxruntime" else by_reference(case)


@cache
def _stored() -> dict[str, np.ndarray]:
    return {key: value for family in FAMILIES for key, value in np.load(STORED / file_of(family)).items()}


@pytest.mark.parametrize("case", COMPARED, ids=lambda case: case.id)
def test_stored_outputs_are_what_the_oracles_compute(case: Case) -> None:
    """onnx's reference and onnxruntime agree with the stored file, and so with each other."""
    stored = _stored()
    oracles = {"both": (by_reference, by_onnxruntime), "onnx": (by_reference,), "onnxruntime": (by_onnxruntime,)}[case.oracle]
    for oracle in oracles:
        for position, output in enumerate(oracle(case)):
            np.testing.assert_allclose(output, stored[f"{case.id}/{position}"], rtol=case.rtol, atol=case.atol)


def test_case_versions_are_versions_of_the_schema() -> None:
    """A case's `since` is a version that the op really has, so that the model's opset picks it."""
    from onnx import defs

    for case in COMPARED:
        if not case.domain:
            assert defs.get_schema(case.op_type, max(case.since, 7)).since_version == case.since, case.id


if __name__ == "__main__":
    STORED.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        if not sys.argv[1:] or Path(file_of(family)).stem in sys.argv[1:]:
            compared = [case for case in family.CASES if case.oracle != "none"]
            outputs = {f"{case.id}/{position}": value for case in compared for position, value in enumerate(by_oracle(case))}
            np.savez_compressed(STORED / file_of(family), **outputs)
