"""The side module under test."""

import sys

import pytest

from pagetrain_accelerator.library import VARIANTS, Library, SideModule, loaded


@pytest.fixture(scope="session", params=VARIANTS)
def library(request: pytest.FixtureRequest) -> Library:
    """Each variant that loads here; plain SIMD must."""
    if sys.platform != "emscripten":
        pytest.skip("the side module needs WebAssembly: tests/pyodide runs this in Pyodide")
    found = loaded(request.param)
    if found is None and request.param == "relaxed-simd":
        pytest.skip("this engine has no relaxed SIMD")
    assert found is not None
    assert isinstance(found[1], SideModule)
    return found[1]
