"""pagetrain.kernels.spare: a kernel that may write over an input gives the same result, bit by bit, and writes over no other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from pagetrain import kernels
from pagetrain.kernels.spare import room
from tests.cases import ALL
from tests.cases.case import Case
from tests.kernels.run_case import kernel_of

CASES = [case for case in ALL if kernel_of(case).spares and case.inputs]


def _in_order(value: Any, channels_last: bool) -> Any:
    if not isinstance(value, np.ndarray | np.generic):
        return value
    array = np.array(value)
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1) if channels_last and array.ndim > 2 else array


def _spares(case: Case) -> Iterator[list[int]]:
    """Each input that the kernel may be told of, and all of them."""
    known = kernel_of(case).spares
    either = [at for at, value in enumerate(case.inputs) if at in known and isinstance(value, np.ndarray) and value.itemsize != 2]
    yield from [[at] for at in either]
    if len(either) > 1:
        yield either


@pytest.mark.parametrize("channels_last", [False, True], ids=["C", "channels_last"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_result_is_the_same(case: Case, channels_last: bool) -> None:
    """Values, element type, shape and memory order; inputs that are not spare are read-only here."""
    kernel = kernel_of(case)
    run = kernels.reference_of(kernel)
    with np.errstate(all="ignore"):
        expected = np.asarray(run(*[_in_order(value, channels_last) for value in case.inputs], **case.attributes)[0])
        for spare in _spares(case):
            inputs = [_in_order(value, channels_last) for value in case.inputs]
            for at, value in enumerate(inputs):
                if isinstance(value, np.ndarray) and at not in spare:
                    value.flags.writeable = False
            result = np.asarray(run(*inputs, **case.attributes, spare=spare)[0])
            assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
            assert result.tobytes() == expected.tobytes()
            assert result.strides == expected.strides or min(result.shape) < 2


def _writes_over(case: Case) -> bool:
    """Whether it may do so with some input of the case."""
    run = kernels.reference_of(kernel_of(case))
    for spare in _spares(case):
        inputs = [_in_order(value, False) for value in case.inputs]
        with np.errstate(all="ignore"):
            result = run(*inputs, **case.attributes, spare=spare)[0]
        if any(np.shares_memory(result, inputs[at]) for at in spare):
            return True
    return False


def test_every_kernel_that_spares_does_so_in_some_case() -> None:
    """None says so in vain."""
    able = {kernel_of(case).op_id for case in CASES if _writes_over(case)}
    assert able == {known.op_id for known in kernels.all_kernels() if known.spares}


def test_there_is_room_in_what_is_as_large_as_the_result() -> None:
    """Not in what is broadcast itself, nor in another type, nor where nothing is spare."""
    full, row, column = np.ones((4, 3)), np.ones(3), np.ones((4, 1))
    assert room((0,), full, row) is full
    assert room((1,), full, row) is None
    assert room((0, 1), row, full) is full
    assert room((0, 1), row, column) is None
    assert room((0,), row, np.ones((1, 3))) is None
    assert room((0,), full, row.astype(np.float32)) is None
    assert room((), full, full) is None


def test_elements_lie_as_in_a_new_array() -> None:
    """For every order of two operands' axes: where there is room in one, numpy would have laid a new result just so."""
    shape, rows = (2, 3, 4), [(), (3, 1), (2, 1, 1), (4,)]
    laid = [np.ones([shape[axis] for axis in order]).transpose(np.argsort(order)) for order in permutations(range(3))]
    for A, B in product(laid, [*laid, *map(np.ones, [*rows, (3, 4), (2, 1, 4)])]):
        for own, operands in ((A, (A, B)), (A, (B, A))):
            found = room([at for at, value in enumerate(operands) if value is own][:1], *operands)
            assert found is None or np.add(*operands).strides == own.strides
    assert all(room((0,), A, np.ones(rows[1])) is A for A in laid)  # a bias for each channel
