"""What the page's Python does without is not missed: neither by name in any source that stays, nor when the site's own files run."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sitebuild import byte_code, left_out, node, paths
from sitebuild.wheels import PROJECTS

pytestmark = pytest.mark.node

WOULD_WANT = {  # module that is left out: the files that stay and import it inside a function or a try, and why that is no loss
    "PIL.ImageCms": ["PIL/Image.py"],  # Lab colours, which picture.py refuses
    "PIL.ImageQt": ["PIL/Image.py"],  # Image.toqimage
    "PIL.ImageShow": ["PIL/Image.py"],  # Image.show
    "_py_abc": ["abc.py"],  # without the C module
    "_pydatetime": ["datetime.py"],  # without the C module
    "concurrent.futures.process": ["concurrent/futures/__init__.py"],  # ProcessPoolExecutor, when it is asked for
    "doctest": ["difflib.py", "heapq.py", "pickle.py"],  # run as scripts
    "numpy.f2py": ["numpy/__init__.py"],  # when it is asked for
    "numpy.testing": ["numpy/__init__.py", "numpy/_pytesttester.py"],  # when it is asked for; numpy.test()
    "plistlib": ["platform.py"],  # on macOS
    "py_compile": ["zipfile/__init__.py"],  # PyZipFile
    "pydoc": ["_sitebuiltins.py", "numpy/lib/_utils_impl.py"],  # help(), numpy.info
    "rlcompleter": ["site.py"],  # interactive
    "urllib.error": ["numpy/lib/_datasource.py"],  # numpy.loadtxt of an address
    "urllib.request": ["numpy/lib/_datasource.py"],
}


def test_nothing_that_stays_would_import_it() -> None:
    """Every import statement of the standard library and the packages, inside functions too, read by Pyodide's own parser."""
    library = {"left_out": left_out.patterns(left_out.STANDARD_LIBRARY), "kept": left_out.KEPT, "emptied": []}
    packages = {"left_out": left_out.patterns(left_out.PACKAGES), "kept": [], "emptied": left_out.EMPTIED}
    wheels = [str(byte_code.wheel(name)) for name in ("numpy", "pillow", "flatbuffers", *PROJECTS)]
    sources = [library | {"archives": [str(paths.NODE_MODULES / "pyodide/python_stdlib.zip")]}, packages | {"archives": wheels}]
    assert json.loads(_run("imports.mjs", sources)) == WOULD_WANT


def test_the_sites_python_imports_all_of_it(site: Path) -> None:
    """Started from the site's files as the worker does: every module of pagetrain, and what picture.py and the kernels may load."""
    found = json.loads(
        _run("site_python.mjs", {"runtime": str(site / "runtime"), "script": str(Path(__file__).with_name("import_all.py"))})
    )
    assert found["failed"] == {}
    assert found["imported"] > 100
    assert found["sources"] == []


def _run(script: str, argument: Any) -> str:
    """The last line that node prints."""
    command = [node.program("node"), str(Path(__file__).with_name(script)), json.dumps(argument)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-4000:]
    return finished.stdout.splitlines()[-1]
