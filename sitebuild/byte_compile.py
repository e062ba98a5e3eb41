"""Read by byte_compile.mjs and run inside the Pyodide that will load the result, for byte code fits one Python only; its last value is the
function to call.

Sources become unchecked hash-based .pyc files (PEP 552), which hold no times: same sources, same bytes. Source: CPython's importlib.
"""

import ast
import importlib.util
import io
import marshal
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, cast

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
UNCHECKED_HASH = b"\x01\0\0\0"


def compile_archives(job: Mapping[str, Any]) -> bytes:
    """The files of all archives but those left out, as one archive, not compressed: that is for the way.

    job: archives (zip files), format ("zip" or "tar"), root (where the files will lie), left_out (patterns), kept and emptied (names).
    """
    write = {"zip": _zip, "tar": _tar}[job["format"]]
    return write([_compiled(name, data, job) for path in job["archives"] for name, data in _members(path) if _is_wanted(name, job)])


def _members(path: str) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("/"):
                yield name, archive.read(name)


def _is_wanted(name: str, job: Mapping[str, Any]) -> bool:
    return name in job["kept"] or not any(fnmatchcase(name, pattern) for pattern in job["left_out"])


def _compiled(name: str, data: bytes, job: Mapping[str, Any]) -> tuple[str, bytes]:
    if not name.endswith(".py"):
        return name, data
    if name in job["emptied"]:
        data = b""
    code = compile(_with_empty_docstrings(data), f"{job['root']}/{name}", "exec", dont_inherit=True)
    return f"{name}c", importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(data) + marshal.dumps(code)


def _with_empty_docstrings(data: bytes) -> ast.Module:
    """The source's tree with "" for every docstring: nobody reads them in the page. Empty ones, because numpy copies some from others."""
    tree = ast.parse(data)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            cast(ast.Constant, cast(ast.Expr, node.body[0]).value).value = ""
    return tree


def _zip(members: Sequence[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)  # dated 1980, the first moment that a zip file can hold
    return stream.getvalue()


def _tar(members: Sequence[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


compile_archives  # noqa: B018  (the value of the script)
