"""The table of ops, from the registries: what runs, what is trained, and how ONNX Runtime differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx

from artifacts_tool import gradient
from artifacts_tool.conditionals import CONDITIONAL
from artifacts_tool.gradient.registry import NEWER_THAN_ORT, NONE_IN_ORT, Rule, all_rules
from artifacts_tool.recurrent_node import GATES
from docs.blocks import table
from pagetrain import distributions, kernels
from pagetrain.graph import MS_DOMAIN, ONNX_DOMAIN
from tests.artifacts.test_functions_oracle import CASES as FUNCTIONS
from tests.gradient.at_opset import emitted, graph_at
from tests.gradient.cases import ALL
from tests.gradient.projection import Case, output_size, projected

Op = tuple[str, str]  # domain, op_type
OLDEST, NEWEST = 7, onnx.defs.onnx_opset_version()
FLOATS = {"tensor(float)", "tensor(double)", "tensor(float16)", "tensor(bfloat16)"}
ORT_NEWEST = 21  # the newest opset that ORT 1.19 knows
# Tried with onnxruntime-training 1.19.2: each recurrent op forward and both ways, by its sequence and by its last state; If with a weight
# before it. Ops with a function body that it knows were tried, too, by the cases below: it has a gradient for none of them.
WITHOUT_RULE_IN_ORT = {
    "RNN": NONE_IN_ORT,
    "GRU": "generation failed in each form tried",
    "LSTM": "generation failed in each form tried",
    CONDITIONAL: "the process aborts",
}

# {op: oldest opset} of those that are trained through the function body that ONNX gives them, as cases show.
BODIES: dict[Op, int] = {}
for _case in sorted(FUNCTIONS, key=lambda case: -case.opset):
    BODIES[_case.domain, _case.op_type] = _case.opset

_ = gradient  # importing it registers the rules


def ops() -> list[Op]:
    """Every op that runs: by a kernel or as its function body."""
    return sorted({*((known.domain, known.op_type) for known in kernels.all_kernels()), *BODIES})


def belongs_to_training(op: Op) -> bool:
    """Whether the op is one that only training and optimizer graphs hold."""
    known = kernels.find(*op, NEWEST)
    return known is not None and ("Grad" in op[1] or "Training" in op[1] or known.run.__module__.endswith(".training"))


def model_ops() -> str:
    """The ops of models."""
    rules = {(rule.domain, rule.op_type): rule for rule in all_rules()}
    rows = [
        [name_of(op), versions(op), gradient_of(op, rules.get(op)), differs(op, rules.get(op))]
        for op in ops()
        if not belongs_to_training(op)
    ]
    trained = sum(cells[2] != "none" and not cells[2].startswith("not needed") for cells in rows)
    found = table(["op", "versions", "gradient", "ORT 1.19 differs"], rows)
    return f"{len(rows)} ops run; {trained} of them can be trained through.\n\n{found}"


def differs(op: Op, rule: Rule | None) -> str:
    """What ORT does otherwise; "" for nothing, and where we have no gradient."""
    if rule is not None:
        return rule.differs
    if op in BODIES:
        return NEWER_THAN_ORT if op[0] == ONNX_DOMAIN and not onnx.defs.has(op[1], ORT_NEWEST, op[0]) else NONE_IN_ORT
    return WITHOUT_RULE_IN_ORT.get(op[1], "")


def training_ops() -> str:
    """The ops of training and optimizer graphs, in one line."""
    return ", ".join(name_of(op) for op in ops() if belongs_to_training(op))


def ops_apart() -> str:
    """The ops of pagetrain-ops, in one line."""
    return ", ".join(sorted(name_of(op) for op, (package, _) in kernels.families().items() if package == distributions.OPS))


def name_of(op: Op) -> str:
    """Op type, behind its domain if that is not ONNX's own."""
    domain, op_type = op
    return op_type if domain == ONNX_DOMAIN else f"{'ms' if domain == MS_DOMAIN else domain}.{op_type}"


def versions(op: Op) -> str:
    """The versions of the op's schema that run, of those that an opset from 7 on can mean."""
    domain, op_type = op
    every = sorted({schema.since_version for schema in onnx.defs.get_all_schemas_with_history() if (schema.domain, schema.name) == op})
    oldest = max((version for version in every if version <= OLDEST), default=1)
    by_body = op in BODIES and not kernels.find(domain, op_type, NEWEST)
    served = [str(one) for one in every if (one >= oldest or domain) and (by_body or kernels.find(domain, op_type, one))]
    return ", ".join(served) or "1"


def gradient_of(op: Op, rule: Rule | None) -> str:
    """How the gradient is found, and from which opset on."""
    domain, op_type = op
    if rule is not None:
        opset = first_opset(op)
        return f"own rule, from {opset}" if opset else "own rule"
    if domain == ONNX_DOMAIN and op_type in GATES:
        return "as Scan"
    if op in BODIES:
        return f"function body, from {BODIES[op]}"
    if op == (ONNX_DOMAIN, CONDITIONAL):
        return "by its branches"
    return why_not_needed(op) or "none"


def first_opset(op: Op) -> int | None:
    """The oldest opset at which a case of the op is differentiated; None for ops that belong to no opset, or have no such case."""
    if not onnx.defs.has(op[1], NEWEST, op[0]):
        return None
    cases = [case for case in ALL if (case.domain, case.op_type) == op]
    return next((opset for opset in range(OLDEST, NEWEST + 1) if any(_works(case, opset) for case in cases)), None)


def _works(case: Case, opset: int) -> bool:
    """Whether the case is one of this opset, and differentiated."""
    moved = replace(case, opset=opset)
    graph = projected(case, np.ones(output_size(case))) if opset == case.opset else graph_at(moved, opset)
    return graph is not None and not emitted(moved, graph)[1]


def why_not_needed(op: Op) -> str:
    """Why an op needs no gradient: integers, truth values or texts on one side of it. "" where floats are on both."""
    domain, op_type = op
    if not onnx.defs.has(op_type, NEWEST, domain):
        return ""
    schema = onnx.defs.get_schema(op_type, NEWEST, domain)
    if any(attribute.type == onnx.defs.OpSchema.AttrType.GRAPH for attribute in schema.attributes.values()):
        return ""
    allowed = {constraint.type_param_str: set(constraint.allowed_type_strs) for constraint in schema.type_constraints}
    for where, values in (("in", schema.inputs), ("out", schema.outputs)):
        if not any(FLOATS & allowed.get(value.type_str, {value.type_str}) for value in values):
            return f"not needed, no float goes {where}"
    return ""
