"""@gradient, and the lookup by domain and op_type. Declaring is registering."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pagetrain.graph import ONNX_DOMAIN, Node

from .scope import Scope

RuleFunction = Callable[[Scope], None]


@dataclass(frozen=True, slots=True)
class Rule:
    """How to differentiate one op. `stop`: positions of the inputs that never get a gradient (indices, shapes, bounds).

    `reads`: outputs that the backward pass needs although a forward node may leave them out, {position: what its name is to end in}.
    """

    emit: RuleFunction
    stop: frozenset[int]
    reads: Mapping[int, str]


_RULES: dict[tuple[str, str], Rule] = {}


def gradient(
    op_type: str, *, domain: str = ONNX_DOMAIN, stop: tuple[int, ...] = (), reads: Mapping[int, str] = MappingProxyType({})
) -> Callable[[RuleFunction], RuleFunction]:
    """Registers a function as the gradient of `op_type`. It emits the nodes that turn the scope's GO(i) into its wanted GI(i)."""

    def register(function: RuleFunction) -> RuleFunction:
        if (domain, op_type) in _RULES:
            raise ValueError(f"{op_type} has two gradients; keep one.")
        _RULES[domain, op_type] = Rule(function, frozenset(stop), reads)
        return function

    return register


def rule_of(node: Node) -> Rule | None:
    """The rule for a node's op, None when it has no gradient."""
    return _RULES.get((node.domain, node.op_type))


def differentiable_ops() -> Iterator[tuple[str, str]]:
    """(domain, op_type) of every op with a gradient, sorted."""
    yield from sorted(_RULES)
