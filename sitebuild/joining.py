"""Many modules, or style sheets, as one file of the site: a request costs a browser milliseconds, however few bytes it brings.

Nothing is rewritten but the words import and export: the joined text is the files one after another, each under its path.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from sitebuild.errors import SetupError

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_EXPORTED_ALREADY = re.compile(r"^export \{ (\w+(?:, \w+)*) \};$", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import\s*(?:[{*\"']|\w+ *(?:,|from\b))|export\b).*$", re.MULTILINE)  # Python's `import a` in a text is none
_WAITS = re.compile(r"^await ", re.MULTILINE)
_STYLES = re.compile(r'(?:^<link rel="stylesheet" href="[^"]+">\n)+', re.MULTILINE)
_HREF = re.compile(r'href="([^"]+)"')
_ONLY_AT_THE_TOP = re.compile(r"@(?:import|charset)\b")


def modules(folder: Path, start: str) -> str:
    """`start` and all that it imports, as one module. It exports what `start` does, and `modules`: path -> what that one exports.

    One that waits (`await` at the start of a line) is waited for before the next one begins.

    Raises SetupError for what would mean something else in one file: modules that import each other in a ring, and forms other than
    `import { a, b as c } from "./path.js";`, `export` before a function, class or const, and `export { a, b };`.
    """
    parts = ["export const modules = {};"]
    for path in _in_order(folder, start):
        text, exported = _inside(path, (folder / path).read_text(encoding="utf-8"), start)
        before = "await (async " if _WAITS.search(text) else "("
        parts.append(f'modules["{path}"] = {before}() => {{\n{text}\nreturn {{ {", ".join(exported)} }};\n}})();')
    if exported:
        parts.append(f'export const {{ {", ".join(exported)} }} = modules["{start}"];')
    return "\n".join(parts) + "\n"


def styles(folder: Path, index: str, target: str) -> tuple[str, str]:
    """The text of index.html with `target` in place of its style sheets, which must stand one after another, and the text of that."""
    found = _STYLES.findall(index)
    if len(found) != 1:
        raise SetupError(f"index.html: expected its style sheets in one place, a line each, found them in {len(found)}")
    paths = _HREF.findall(found[0])
    for path in paths:
        if dirname(path) != dirname(target) or _ONLY_AT_THE_TOP.search((folder / path).read_text(encoding="utf-8")):
            raise SetupError(f"{path}: a sheet that is joined lies beside the others and has no @import or @charset")
    text = "\n".join(f"/* {path} */\n{(folder / path).read_text(encoding='utf-8')}" for path in paths)
    return index.replace(found[0], f'<link rel="stylesheet" href="{target}">\n'), text


def _in_order(folder: Path, start: str) -> Iterator[str]:
    """Each path once, behind those it imports."""
    done = set()

    def visit(path: str, importers: tuple[str, ...]) -> Iterator[str]:
        if path in importers:
            raise SetupError(f"{' imports '.join([*importers[importers.index(path) :], path])}: modules in a ring cannot be joined")
        if path in done:
            return
        for _, other in _IMPORT.findall((folder / path).read_text(encoding="utf-8")):
            yield from visit(_from(path, other), (*importers, path))
        done.add(path)
        yield path

    return visit(start, ())


def _inside(path: str, text: str, start: str) -> tuple[str, list[str]]:
    """The text as the inside of a function, and the names it exports."""
    exported = _EXPORT.findall(text) + [name for names in _EXPORTED_ALREADY.findall(text) for name in names.split(", ")]
    text = _IMPORT.sub(lambda found: f'const {{{found[1].replace(" as ", ": ")}}} = modules["{_from(path, found[2])}"];', text)
    text = _EXPORT.sub("", _EXPORTED_ALREADY.sub("", text))
    if left := _LEFT_OVER.search(text):
        raise SetupError(f"{path}: `{left[0]}` is none of the forms of import and export that can be joined")
    place = relpath(path, dirname(start) or ".")
    return text.replace("import.meta.url", f'new URL("{place}", import.meta.url).href'), exported


def _from(path: str, name: str) -> str:
    return normpath(join(dirname(path), name))
