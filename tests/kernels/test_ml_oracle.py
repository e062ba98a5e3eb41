"""Kernels of ai.onnx.ml against onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases.case import Case
from tests.cases.ml import CASES
from tests.kernels.run_case import run_case

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_kernels_of_ai_onnx_ml_agree_with_onnxruntime(case: Case) -> None:
    """One node in a model of its own."""
    import onnxruntime
    from onnx import helper

    feeds = {f"i{position}": value for position, value in enumerate(case.inputs) if value is not None}
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for name, value in feeds.items()
    ]
    ours = run_case(case)[0]
    output = helper.make_tensor_value_info("o", helper.np_dtype_to_tensor_dtype(ours.dtype), None)
    node = helper.make_node(case.op_type, list(feeds), ["o"], domain=case.domain, **case.attributes)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(case.domain, 1)]
    model = helper.make_model(helper.make_graph([node], "case", inputs, [output]), ir_version=8, opset_imports=imports)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(ours, session.run(None, feeds)[0], rtol=1e-6, strict=True)
