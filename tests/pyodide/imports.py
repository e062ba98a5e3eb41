"""Read by imports.mjs and run inside Pyodide, whose parser fits the sources; its last value is the function to call."""

import ast
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any


def imports_of_left_out(sources: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Module that is left out -> the files that stay and import it somewhere, be it inside a function.

    sources: each with archives, and with the patterns left_out, kept and emptied.
    """
    stay, gone = {}, set()
    for source in sources:
        for path in source["archives"]:
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if name in source["kept"] or not any(fnmatchcase(name, pattern) for pattern in source["left_out"]):
                        stay[name] = b"" if name in source["emptied"] else archive.read(name)
                    else:
                        gone.add(_module(name))
    found: dict[str, set[str]] = {}
    for name, text in stay.items():
        for module in _imported(name, text) & gone if name.endswith(".py") else ():
            found.setdefault(module, set()).add(name)
    return {module: sorted(names) for module, names in sorted(found.items())}


def _module(name: str) -> str:
    return name.partition(".cpython-")[0].removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(name: str, text: bytes) -> set[str]:
    """Every module that a file names, with the packages above it; `from a import b` may mean the module a.b."""
    return {above for module in _named(name, ast.parse(text)) for above in _with_packages(module)}


def _named(name: str, tree: ast.AST) -> Iterator[str]:
    package = _module(name) if name.endswith("/__init__.py") else _module(name).rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _with_packages(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[: length + 1]) for length in range(len(parts)))


imports_of_left_out  # noqa: B018  (the value of the script)
