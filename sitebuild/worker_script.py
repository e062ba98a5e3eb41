"""runtime/worker.js: Pyodide's loader, the JPEG decoder and our worker as one classic script; runtime/embedder.js: the other's.

A worker that starts from a blob URL can import nothing once the page is sealed, so everything it runs is in this one text.
"""

import json
import re
from pathlib import Path

from sitebuild.errors import SetupError

_MODULE_STATEMENT = re.compile(r"^(?:import\s*[\w{*\"']|export\s)", re.MULTILINE)
_SOURCE_MAP = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def write(target: Path, pyodide: Path, decoder: Path, worker: Path) -> None:
    """Writes the script from the folders of npm's pyodide, of @jsquash/jpeg's decoder, and of web/worker."""
    lock = {"info": json.loads(_read(pyodide / "pyodide-lock.json"))["info"], "packages": {}}
    parts = [
        _read(pyodide / "pyodide.asm.js"),
        pyodide_loader(_read(pyodide / "pyodide.mjs")),
        f"const PYODIDE_LOCK = {json.dumps(lock)};",
        jpeg_decoder(_read(decoder / "mozjpeg_dec.js")),
        *own_scripts(worker),
    ]
    _write(target, parts)


def write_embedder(target: Path, embedder: Path) -> None:
    """Writes the script from web/embedder."""
    _write(target, ['"use strict";', *own_scripts(embedder)])


def _write(target: Path, parts: list[str]) -> None:
    target.write_text("\n".join(parts), encoding="utf-8", newline="\n")


def pyodide_loader(module: str) -> str:
    """pyodide.mjs as `const loadPyodide`; its other top-level names stay inside a function."""
    body, exported = _without_export(module, r"export\s*\{([^}]*)\};?", "pyodide.mjs")
    name = re.search(r"([\w$]+)\s+as\s+loadPyodide\b", exported)
    if name is None:
        raise SetupError(f"pyodide.mjs exports {{{exported}}} and no loadPyodide: it is not the release this site is made for")
    return f"const loadPyodide = (() => {{\n{body}\nreturn {name[1]};\n}})();"


def jpeg_decoder(module: str) -> str:
    """mozjpeg_dec.js as `const createJpegDecoder`.

    A classic script has no import.meta; the decoder only uses it to guess where its wasm file lies, which our worker hands in.
    """
    body, name = _without_export(module, r"export default (\w+);?", "mozjpeg_dec.js")
    body = body.replace("import.meta", "importMeta")
    return f'const createJpegDecoder = (() => {{\nconst importMeta = {{ url: "https://decoder.invalid/" }};\n{body}\nreturn {name};\n}})();'


def own_scripts(folder: Path) -> list[str]:
    """The files that order.json of the worker's folder in web/ lists, in its order; "../" leads to a script that two workers share."""
    order: list[str] = json.loads(_read(folder / "order.json"))
    left_out = {path.name for path in folder.glob("*.js")} - set(order)
    if left_out:
        raise SetupError(
            f"web/{folder.name}/order.json does not list {', '.join(sorted(left_out))}: every script of the worker has its place there"
        )
    return [_plain_script(f"web/{folder.name}/{name}", _read(folder / name)) for name in order]


def _plain_script(name: str, text: str) -> str:
    if statement := _MODULE_STATEMENT.search(text):
        line = text.count("\n", 0, statement.start()) + 1
        raise SetupError(f"{name}, line {line}: scripts of the worker share one scope and cannot import or export")
    return text


def _without_export(text: str, pattern: str, name: str) -> tuple[str, str]:
    """The text without its one export statement, and what that exported. Raises SetupError unless there is exactly one."""
    text = _SOURCE_MAP.sub("", text)
    found = re.findall(pattern, text)
    if len(found) != 1 or len(re.findall(r"\bexport\b\s*(?:\{|default|\*)", text)) != 1:
        raise SetupError(f"{name}: expected one export statement, found {len(found)}: it is not the release this site is made for")
    return re.sub(pattern, "", text), str(found[0])


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
