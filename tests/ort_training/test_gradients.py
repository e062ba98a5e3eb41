"""The gradients of the real package for the cases of all rules: the same, unless the rule says how they differ."""

import json
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from artifacts_tool.gradient.registry import NEWER_THAN_ORT, NONE_IN_ORT, all_rules
from artifacts_tool.proto_writer import proto_of
from pagetrain.graph import Model
from tests.gradient.cases import ALL
from tests.gradient.projection import backward, feeds_of, output_size, projected, run
from tests.gradient.test_emitted_oracle import in_float32

pytestmark = pytest.mark.ort_training

SCRIPT = Path(__file__).parent / "gradients.py"
OPSETS = range(11, 22)  # onnxruntime-training 1.19.2 knows none newer; its gradient graphs need Gemm without a bias
RULES = {(rule.domain, rule.op_type): rule for rule in all_rules()}
SAME, NONE, OTHER = "same", "none", "other"
LEFT_OUT = {
    "BatchNormInternal": "an op that it makes itself, and does not load",
    "Cast": "the case ends in float64",
    "Scan": "refused by name, but for bodies that read a parameter, with which the process aborts",
    "SimplifiedLayerNormalization": "an op of its own in the default domain, which onnx's checker refuses",
    "SoftmaxCrossEntropyLossInternal": "an op that it makes itself, and does not load",
    ("TopK", "smallest"): "in the order that each likes",
    ("MeanVarianceNormalization", ""): "onnx's inference refuses it without axes",
}


def tried(case):
    known = None not in case.symbolic.values() and not {case.op_type, (case.op_type, case.note)} & set(LEFT_OUT)
    return known and case.opset in OPSETS and case.differentiable and RULES[case.domain, case.op_type].differs != NEWER_THAN_ORT


CASES = {f"case_{number}": in_float32(case) for number, case in enumerate(ALL) if tried(case)}


def written(case, path):
    """The case as a model whose parameters are p0, p1, .. and our gradients by these. A Mul by 1 stands between parameter and op: ORT
    crashes where a pool reads a parameter itself."""
    graph = projected(case, np.random.default_rng(0).normal(size=output_size(case)).astype(np.float32))
    names, feeds = [f"x{index}" for index in case.differentiable], feeds_of(case)
    proto = proto_of(Model(graph, 8, {"": case.opset, "com.microsoft": 1}))
    for value in [value for value in proto.graph.input if value.name in names]:
        proto.graph.input.remove(value)
    proto.graph.initializer.append(helper.make_tensor("unchanged", onnx.TensorProto.FLOAT, [], [1.0]))
    for name in names:
        proto.graph.initializer.append(numpy_helper.from_array(feeds[name], f"p_{name}"))
        proto.graph.node.insert(0, helper.make_node("Mul", [f"p_{name}", "unchanged"], [name], f"to_{name}"))
    onnx.save(proto, path)
    np.savez(path.with_suffix(".npz"), **{value.name: feeds[value.name] for value in proto.graph.input})
    ours = run(backward(graph, names, case.opset), feeds, [f"{name}_grad" for name in names])
    return {f"p_{name}": ours[f"{name}_grad"] for name in names}


@pytest.fixture(scope="module")
def outcomes(ort_python, tmp_path_factory):
    """{(domain, op): {case: same, none or other}}."""
    folder = tmp_path_factory.mktemp("gradients")
    ours = {name: written(case, folder / f"{name}.onnx") for name, case in CASES.items()}
    (folder / "index.json").write_text(json.dumps({name: list(gradients) for name, gradients in ours.items()}))
    finished = subprocess.run([ort_python, SCRIPT, folder], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    failures, theirs = json.loads((folder / "found.json").read_text()), np.load(folder / "found.npz")
    found = {}
    for name, case in CASES.items():
        same = not failures[name] and all(_close(theirs[f"{name}/{parameter}"], value) for parameter, value in ours[name].items())
        missing = "gradient builder has not been registered" in failures[name]
        found.setdefault((case.domain, case.op_type), {})[str(case)] = SAME if same else NONE if missing else OTHER
    return found


def _close(theirs, ours):
    # float32 through a few nodes with sums in another order; what differs on purpose differs by 5e-4 or more.
    return theirs.size == ours.size and np.allclose(theirs.reshape(ours.shape), ours, rtol=1e-4, atol=5e-5)


def test_gradients_are_the_same_where_the_rule_says_nothing(outcomes):
    """All cases of all rules without a difference."""
    wrong = {op: cases for op, cases in outcomes.items() if not RULES[op].differs and set(cases.values()) != {SAME}}
    assert wrong == {}


def test_there_is_no_gradient_where_the_rule_says_so(outcomes):
    """The package refuses the op by name; a case that it cannot read for another reason does not count."""
    told = {op: set(cases.values()) for op, cases in outcomes.items() if RULES[op].differs == NONE_IN_ORT}
    assert {op: found for op, found in told.items() if SAME in found or NONE not in found} == {}


def test_a_difference_that_a_rule_tells_is_one(outcomes):
    """Some case fails or has other numbers, and no such op is refused as a whole."""
    told = {op: set(cases.values()) for op, cases in outcomes.items() if RULES[op].differs not in ("", NONE_IN_ORT)}
    assert {op: found for op, found in told.items() if OTHER not in found or NONE in found} == {}
