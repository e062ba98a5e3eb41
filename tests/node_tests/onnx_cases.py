"""ONNX's own node tests, which no one here wrote, and how many of them pass: `python -m tests.node_tests.onnx_cases` prints it.

The models, inputs and expected outputs come from the case modules of the installed onnx (onnx/onnx:onnx/backend/test/case/node).
"""

from __future__ import annotations

import warnings
from collections import Counter
from functools import cache
from typing import Any

import onnx
from onnx import TensorProto
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from artifacts_tool.gradient.registry import all_rules
from artifacts_tool.onnx_io import read
from pagetrain import executor, kernels, plan
from tests.node_tests.not_passing import NOT_PASSING, reason_of


@cache
def cases() -> dict[str, Any]:
    """{name: case} of the tests in the default domain that take and give nothing but tensors, of numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some overflow on purpose while they calculate what they expect
        every = load_model_tests(kind="node")
    return {case.name: case for case in every if _is_default_domain(case.model) and _has_only_tensors(case.model)}


def _is_default_domain(model: onnx.ModelProto) -> bool:
    return all(node.domain in ("", "ai.onnx") for node in model.graph.node)


def _has_only_tensors(model: onnx.ModelProto) -> bool:
    types = [value.type for value in (*model.graph.input, *model.graph.output)]
    return all(type_.HasField("tensor_type") and type_.tensor_type.elem_type != TensorProto.STRING for type_ in types)


def run_case(case: Any) -> None:
    """Reads, binds and runs the model; raises AssertionError where onnx's runner finds other outputs than it expects."""
    kernels.set_seed(0)  # the numbers of a seed attribute begin anew
    bound = plan.bind(read(case.model).graph)
    for inputs, expected in case.data_sets:
        feeds = {value.name: _array(given) for value, given in zip(case.model.graph.input, inputs, strict=True)}
        found = executor.run(bound, feeds)
        Runner.assert_similar_outputs([_array(one) for one in expected], list(found.values()), rtol=case.rtol, atol=case.atol)


def _array(given: Any) -> Any:
    return onnx.numpy_helper.to_array(given) if isinstance(given, TensorProto) else given


def is_differentiable(case: Any) -> bool:
    """Whether the test is of one op that has a gradient."""
    nodes = case.model.graph.node
    return len(nodes) == 1 and ("", nodes[0].op_type) in {(rule.domain, rule.op_type) for rule in all_rules()}


def _passes(case: Any) -> bool:
    try:
        run_case(case)
    except Exception:
        return False
    return True


def _print_counts() -> None:
    passed = {name for name, case in cases().items() if _passes(case)}
    print(f"{len(passed)} of {len(cases())} node tests pass ({len(passed) / len(cases()):.1%})")
    gradients = {name for name, case in cases().items() if is_differentiable(case)}
    print(f"{len(passed & gradients)} of {len(gradients)} of ops with a gradient")
    counts = Counter(reason_of(name) or "not listed" for name in cases() if name not in passed)
    for reason, count in counts.most_common():
        print(f"{count:5} {reason}")
    unexpected = sorted(passed.intersection(name for names in NOT_PASSING.values() for name in names))
    if unexpected:
        print("listed, but passing:", *unexpected)


if __name__ == "__main__":
    _print_counts()
