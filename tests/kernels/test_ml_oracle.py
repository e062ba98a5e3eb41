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

    (X,) = case.inputs
    assert X is not None
    values = (
        helper.make_tensor_value_info("X", helper.np_dtype_to_tensor_dtype(X.dtype), X.shape),
        helper.make_tensor_value_info("Y", 1, X.shape),
    )
    node = helper.make_node(case.op_type, ["X"], ["Y"], domain=case.domain, **case.attributes)
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(case.domain, 1)]
    model = helper.make_model(helper.make_graph([node], "case", values[:1], values[1:]), ir_version=8, opset_imports=imports)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(run_case(case)[0], session.run(None, {"X": X})[0], rtol=1e-6)
