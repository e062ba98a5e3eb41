"""@gradient, and the lookup by domain and op_type. Declaring is registering."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pagetrain.graph import ONNX_DOMAIN, Node

from .scope import Scope

RuleFunction = Callable[[Scope], None]
NONE_IN_ORT = "ORT has no gradient"
NEWER_THAN_ORT = "ORT 1.19 does not know the op"


@dataclass(frozen=True, slots=True)
class Rule:
    """How to differentiate one op. `stop`: positions of the inputs that never get a gradient (indices, shapes, bounds).

    `reads`: outputs that the backward pass needs although a forward node may leave them out, {position: what its name is to end in}.
    `quantizes`: whether the outputs pass a gradient on although they are whole numbers.
    `differs`: what onnxruntime-training 1.19.2 does otherwise, "" for nothing. Each was seen by running it on the cases of the rule.
    """

    domain: str
    op_type: str
    emit: RuleFunction
    stop: frozenset[int]
    reads: Mapping[int, str]
    quantizes: bool
    differs: str


_RULES: dict[tuple[str, str], Rule] = {}


def gradient(
    op_type: str,
    *,
    domain: str = ONNX_DOMAIN,
    stop: tuple[int, ...] = (),
    reads: Mapping[int, str] = MappingProxyType({}),
    quantizes: bool = False,
    differs: str = "",
) -> Callable[[RuleFunction], RuleFunction]:
    """Registers a function as the gradient of `op_type`. It emits the nodes that turn the scope's GO(i) into its wanted GI(i)."""

    def register(function: RuleFunction) -> RuleFunction:
        if (domain, op_type) in _RULES:
            raise ValueError(f"{op_type} has two gradients; keep one.")
        _RULES[domain, op_type] = Rule(domain, op_type, function, frozenset(stop), reads, quantizes, differs)
        return function

    return register


def rule_of(node: Node) -> Rule | None:
    """The rule for a node's op, None when it has no gradient."""
    return _RULES.get((node.domain, node.op_type))


def all_rules() -> Iterator[Rule]:
    """Every rule, by domain and op_type."""
    for op in sorted(_RULES):
        yield _RULES[op]
