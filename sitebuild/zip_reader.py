"""page/zip_reader.js: what reads zips in the page, from npm's @zip.js/zip.js, as a module of its own that exports what the page uses.

The package's one-file build is a script that hands its names to CommonJS where that is there; inside the module it is.
"""

from sitebuild import paths
from sitebuild.errors import SetupError

PACKAGE = paths.NODE_MODULES / "@zip.js/zip.js"
SCRIPT = PACKAGE / "dist/zip-core.min.js"
EXPORTS = ("BlobReader", "ZipReader")


def module() -> str:
    """The module's text. Raises SetupError when the script is not of the kind described above."""
    script = SCRIPT.read_text(encoding="utf-8")
    if missing := [text for text in ("typeof exports", "typeof module", *(f"e.{name}=" for name in EXPORTS)) if text not in script]:
        raise SetupError(f"{SCRIPT.name}: expected {missing[0]!r} in it: it is not the release this site is made for")
    return f"const exports = {{}}, module = {{}};\n{script}\nexport const {{ {', '.join(EXPORTS)} }} = exports;\n"
