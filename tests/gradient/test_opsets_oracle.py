"""Every rule at every old opset: what it emits exists there and is valid there, or the opset is refused by name."""

import dataclasses

import pytest

from artifacts_tool.op_schemas import ORT_OPS
from pagetrain import kernels

from .at_opset import emitted, graph_at, is_valid
from .cases import ALL

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("opset", [7, 8, 9, 10, 11, 12, 13, 15, 18, 21])
def test_what_rules_emit_is_valid_at_the_opset(opset):
    """For every case whose forward node is valid there: each emitted node passes onnx's checker and has a kernel."""
    for case in (dataclasses.replace(case, opset=opset) for case in ALL):
        graph = graph_at(case, opset)
        if graph is None:
            continue
        nodes, refusal = emitted(case, graph)
        assert not refusal or (opset < 11 and "opset" in refusal), (case, refusal)
        assert is_valid([n for n in nodes if n.domain or n.op_type not in ORT_OPS], opset), case
        assert all(kernels.find(n.domain, n.op_type, n.since_version) for n in nodes), case
