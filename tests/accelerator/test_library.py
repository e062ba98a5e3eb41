"""pagetrain_accelerator.library: the functions of the C files, and what happens where they cannot be had."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from pagetrain import backend
from pagetrain.errors import InvalidInputError
from pagetrain_accelerator import library as module
from pagetrain_accelerator.library import FOLDER, VARIANTS, Library, loaded

in_pyodide = pytest.mark.skipif(sys.platform != "emscripten", reason="side modules load in Pyodide alone: tests/pyodide runs this there")


def test_outside_a_page_numpy_computes() -> None:
    """Nothing is loaded in CPython, and nothing is said."""
    assert (backend.name() == "numpy") == (sys.platform != "emscripten")


def test_a_missing_file_leaves_the_work_to_numpy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on stderr says what was tried and why each failed."""
    assert loaded(folder=tmp_path) is None
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.fullmatch(r"pagetrain: no accelerator, numpy computes: relaxed\.wasm: .+; simd\.wasm: .+\n", said)


def test_a_broken_file_leaves_the_work_to_numpy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes that are no module, and a module cut short."""
    (tmp_path / "relaxed.wasm").write_bytes(b"no module at all")
    (tmp_path / "simd.wasm").write_bytes((FOLDER / "simd.wasm").read_bytes()[:1000])
    assert loaded(folder=tmp_path) is None
    assert "simd.wasm: " in capsys.readouterr().err


@in_pyodide
def test_a_module_with_other_functions_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A function that Python expects and the file lacks, as after a half-done update."""
    monkeypatch.setitem(module.SIGNATURES, "of_tomorrow", "p")
    assert loaded("simd") is None
    assert "of_tomorrow" in capsys.readouterr().err


@in_pyodide
def test_the_plain_variant_is_taken_where_the_relaxed_one_fails(tmp_path: Path) -> None:
    """As in an engine without relaxed SIMD."""
    shutil.copy(FOLDER / VARIANTS["simd"], tmp_path)
    found = loaded(folder=tmp_path)
    assert found is not None
    assert found[0] == "simd"


def test_arrays_with_gaps_are_refused(library: Library) -> None:
    """C reads memory without gaps."""
    with pytest.raises(InvalidInputError, match="array with gaps"):
        library.call("add", np.zeros(4, np.float32)[::2], np.zeros(2, np.float32), np.zeros(2, np.float32), 2)
