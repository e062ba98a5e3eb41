"""sitebuild.byte_compile: sources become byte code that any Python of this version loads without them, in the same bytes every time."""

import importlib.util
import io
import marshal
import runpy
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitebuild import left_out

compile_archives = runpy.run_path(str(Path(__file__).parents[2] / "sitebuild/byte_compile.py"))["compile_archives"]
FILES = {
    "a/__init__.py": '"""Help."""\nx = 1\n',
    "a/b.py": "def f():\n    raise ValueError\n",
    "a/tests/t.py": "",
    "a/docs.py": "x = 1\n",
    "a/_c.cpython-312-wasm32-emscripten.so": "binary",
}


@pytest.fixture
def job(tmp_path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
    return {
        "archives": [str(tmp_path / "a.whl")],
        "format": "tar",
        "root": "/lib",
        "left_out": ["*/tests/*"],
        "kept": [],
        "emptied": ["a/docs.py"],
    }


def members(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]


def code_of(pyc: bytes) -> Any:
    return marshal.loads(pyc[16:])  # PEP 552: magic number, flags, hash


def test_sources_become_byte_code_and_the_rest_stays(job: dict[str, Any]) -> None:
    """Modules as .pyc under their names, extension modules as they are, nothing of what is left out."""
    found = members(compile_archives(job))
    assert set(found) == {"a/__init__.pyc", "a/b.pyc", "a/docs.pyc", "a/_c.cpython-312-wasm32-emscripten.so"}
    assert found["a/_c.cpython-312-wasm32-emscripten.so"] == b"binary"
    assert code_of(found["a/b.pyc"]).co_filename == "/lib/a/b.py"


def test_byte_code_is_never_compared_with_a_source(job: dict[str, Any]) -> None:
    """The header is that of an unchecked hash-based .pyc of PEP 552: this Python's magic number, flags 1, the source's hash."""
    header = members(compile_archives(job))["a/b.pyc"][:16]
    assert header == importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(FILES["a/b.py"].encode())


def test_python_imports_it_without_sources(job: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a zip, as the standard library, and from files, as the packages."""
    (tmp_path / "library.zip").write_bytes(compile_archives(job | {"format": "zip"}))
    with tarfile.open(fileobj=io.BytesIO(compile_archives(job))) as archive:
        archive.extractall(tmp_path / "packages", filter="data")
    for place in (tmp_path / "library.zip", tmp_path / "packages"):
        with monkeypatch.context() as patched:
            patched.syspath_prepend(str(place))
            patched.delitem(importlib.import_module("sys").modules, "a", raising=False)
            assert importlib.import_module("a").x == 1


def test_docstrings_are_empty_and_assertions_stay(job: dict[str, Any]) -> None:
    """Empty and not absent: numpy hands one function's docstring to another, which has to be a str."""
    source = 'def f(x):\n    """Doubles x."""\n    assert x\n    return 2 * x\n\n\nclass C:\n    """Nothing."""\n'
    with zipfile.ZipFile(job["archives"][0], "a") as archive:
        archive.writestr("a/documented.py", source)
    scope: dict[str, Any] = {}
    exec(code_of(members(compile_archives(job))["a/documented.pyc"]), scope)
    assert scope["f"].__doc__ == scope["C"].__doc__ == ""
    assert scope["f"](3) == 6
    with pytest.raises(AssertionError):
        scope["f"](0)


def test_emptied_modules_can_be_imported_and_do_nothing(job: dict[str, Any]) -> None:
    """What imports them by name goes on."""
    scope: dict[str, Any] = {}
    exec(code_of(members(compile_archives(job))["a/docs.pyc"]), scope)
    assert "x" not in scope


def test_what_is_kept_wins_over_what_is_left_out(job: dict[str, Any]) -> None:
    """So that a few files of a pattern can stay."""
    assert "a/tests/t.pyc" in members(compile_archives(job | {"kept": ["a/tests/t.py"]}))


@pytest.mark.parametrize("form", ["zip", "tar"])
def test_same_sources_same_bytes(job: dict[str, Any], form: str) -> None:
    """No times, no order of the file system: a second run and other dates in the wheel change nothing."""
    first = compile_archives(job | {"format": form})
    with zipfile.ZipFile(job["archives"][0], "w") as archive:
        for name, text in reversed(FILES.items()):
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), text)
    assert compile_archives(job | {"format": form}) == first


def test_every_pattern_names_one_thing_once() -> None:
    """A pattern that stands twice would stay behind when one is taken away."""
    for table in (left_out.STANDARD_LIBRARY, left_out.PACKAGES):
        assert len(set(left_out.patterns(table))) == len(left_out.patterns(table))
