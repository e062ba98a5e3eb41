"""The runtime against ONNX's own node tests; see onnx_cases.py."""

from __future__ import annotations

import pytest

from tests.node_tests.not_passing import NOT_PASSING, reason_of
from tests.node_tests.onnx_cases import cases, is_differentiable, run_case

pytestmark = pytest.mark.oracle
LEAST_SHARE = 0.9


@pytest.mark.parametrize("name", cases())
def test_outputs_are_what_onnx_expects(name: str, request: pytest.FixtureRequest) -> None:
    """Element types, shapes and values to onnx's tolerance; a test that is listed as not passing has to fail."""
    if reason := reason_of(name):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    run_case(cases()[name])


def test_the_list_names_tests_that_exist() -> None:
    """Each once."""
    listed = [name for names in NOT_PASSING.values() for name in names]
    assert len(listed) == len(set(listed))
    assert not set(listed).difference(cases())


def test_ops_with_a_gradient_pass_every_test() -> None:
    """What may be trained is right in all of them: none of the list is about such an op."""
    differentiable = {name for name in cases() if is_differentiable(cases()[name])}
    assert differentiable
    assert not [name for name in differentiable if reason_of(name)]


def test_nine_in_ten_pass() -> None:
    """Of all tests in the default domain with nothing but tensors."""
    assert sum(map(len, NOT_PASSING.values())) <= (1 - LEAST_SHARE) * len(cases())
