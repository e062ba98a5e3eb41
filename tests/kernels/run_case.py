"""Runs the kernel of a case on inputs that it cannot write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pagetrain import executor, kernels
from pagetrain.graph import Graph
from pagetrain.plan import bind
from tests.cases.case import Case

RunnerOf = Callable[[kernels.Kernel, Sequence[Any], dict[str, Any]], Callable[..., Any]]  # kernel, inputs, attributes


def kernel_of(case: Case) -> kernels.Kernel:
    """The kernel that a node of the case's op and version would get."""
    kernel = kernels.find(case.domain, case.op_type, case.since)
    assert kernel is not None, f"no kernel for {case.id}"
    return kernel


def run_case(case: Case, channels_last: bool = False, runner_of: RunnerOf | None = None) -> list[np.ndarray]:
    """The compared outputs. channels_last: float inputs lie in memory as a convolution leaves them; runner_of: numpy's kernel if None."""
    kernel = kernel_of(case)
    inputs = [_frozen(value, channels_last, position in kernel.mutates) for position, value in enumerate(case.inputs)]
    types = [value.type for body in case.attributes.values() if isinstance(body, Graph) for value in body.outputs]
    facts = {"wanted": range(case.outputs), "output_count": case.outputs, "body_types": types}
    attributes = {name: _function(value) if isinstance(value, Graph) else value for name, value in case.attributes.items()}
    attributes |= {fact: facts[fact] for fact in kernel.told if fact in facts}
    run = kernels.reference_of(kernel) if runner_of is None else runner_of(kernel, inputs, attributes)
    outputs = run(*inputs, **attributes)
    return [np.asarray(output) for output in outputs[: case.outputs]]


def _frozen(value: Any, channels_last: bool, mutable: bool) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_frozen(item, channels_last, mutable) for item in value]
    array = np.array(value)
    if channels_last and array.ndim > 2:
        array = np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)
    array.flags.writeable = mutable
    return array


def _function(body: Graph) -> Callable[..., tuple[Any, ...]]:
    plan, names = bind(body), [value.name for value in body.inputs]
    return lambda *inputs: tuple(executor.run(plan, dict(zip(names, inputs, strict=True))).values())
