"""Declaring is registering; the newest version that is old enough is found; every kernel has a case."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

import pagetrain_ops
from pagetrain import kernels
from pagetrain.kernels.registry import kernel
from tests.cases import ALL
from tests.kernels.run_case import kernel_of


@pytest.mark.parametrize(
    "since_version, expected", [(1, ":ReduceSum:1"), (11, ":ReduceSum:1"), (13, ":ReduceSum:13"), (99, ":ReduceSum:13")]
)
def test_newest_kernel_that_is_not_too_new_is_found(since_version: int, expected: str) -> None:
    """A node's since_version picks the version of the op it was written for."""
    found = kernels.find("", "ReduceSum", since_version)
    assert found is not None
    assert found.op_id == expected


def test_unknown_ops_have_no_kernel() -> None:
    """Nor has a version before the first that is supported, nor the same name in another domain."""
    assert kernels.find("", "Add", 6) is None
    assert kernels.find("com.microsoft", "Add", 13) is None
    assert kernels.find("", "NoSuchOp", 13) is None


def test_second_kernel_of_a_version_is_refused() -> None:
    """Two ways to run the same op version would be one too many."""
    assert kernels.find("", "Add", 7)
    with pytest.raises(ValueError, match=":Add:7 has two kernels"):
        kernel("Add", since=7)(lambda A, B: (A + B,))


def test_every_kernel_has_a_case() -> None:
    """The table reaches every registered version."""
    assert {known.op_id for known in kernels.all_kernels()} == {kernel_of(case).op_id for case in ALL}


def test_every_op_is_where_the_table_says() -> None:
    """All modules of both packages are imported: each op is registered by the module that stands in the table, and by no other."""
    for package in (kernels, pagetrain_ops):
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    found = {((known.domain, known.op_type), tuple(known.run.__module__.rsplit(".", 1))) for known in kernels.all_kernels()}
    assert found == set(kernels.families().items())
