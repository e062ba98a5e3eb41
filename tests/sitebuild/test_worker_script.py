"""sitebuild.worker_script: third-party modules become parts of one classic script, or a clear refusal."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sitebuild import runtime, worker_script
from sitebuild.errors import SetupError


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    folder = tmp_path / "worker"
    folder.mkdir()
    (folder / "b.js").write_text("const two = one + 1;\n")
    (folder / "a.js").write_text("const one = 1;\n")
    (folder / "order.json").write_text(json.dumps(["a.js", "b.js"]))
    return folder


def test_only_the_one_export_is_taken() -> None:
    """What the module names loadPyodide is returned under that name, and nothing else of it is visible."""
    script = worker_script.pyodide_loader(
        'var $e=()=>"started",C="1";export{$e as loadPyodide,C as version};\n//# sourceMappingURL=pyodide.mjs.map\n'
    )
    assert "export" not in script
    assert "sourceMappingURL" not in script
    assert _evaluate(script + "; [loadPyodide(), typeof C]") == ["started", "undefined"]


def test_the_decoder_has_no_import_meta() -> None:
    """A classic script may not hold import.meta; an absolute address stands in its place."""
    script = worker_script.jpeg_decoder("var Module = () => new URL('x.wasm', import.meta.url).href;\nexport default Module;")
    assert _evaluate(script + "; [createJpegDecoder()]") == ["https://decoder.invalid/x.wasm"]


@pytest.mark.parametrize(
    "module",
    [
        "var $e;",
        "var $e, C; export{$e as loadPyodide}; export{C as version};",
        "var $e; export{$e as start};",
        "var $e; export{$e as loadPyodide}; export default $e;",
        'var $e; export{$e as loadPyodide}; export * from "./more.mjs";',
    ],
)
def test_another_release_of_pyodide_is_refused(module: str) -> None:
    """No export, two exports, another name: one sentence instead of a worker that does not start."""
    with pytest.raises(SetupError, match=r"^pyodide\.mjs.*not the release this site is made for$"):
        worker_script.pyodide_loader(module)


@pytest.mark.parametrize("module", ["var Module;", "export default Module; export default Module;", "export { Module };"])
def test_another_release_of_the_decoder_is_refused(module: str) -> None:
    """The same for its default export."""
    with pytest.raises(SetupError, match=r"^mozjpeg_dec\.js: expected one export statement"):
        worker_script.jpeg_decoder(module)


def test_own_scripts_stand_in_the_order_of_the_list(worker: Path) -> None:
    """They share one scope, so a later one sees what an earlier one declared."""
    assert worker_script.own_scripts(worker) == ["const one = 1;\n", "const two = one + 1;\n"]


def test_a_script_that_is_not_listed_is_refused(worker: Path) -> None:
    """It would silently be left out."""
    (worker / "c.js").write_text("")
    with pytest.raises(SetupError, match=r"order\.json does not list c\.js"):
        worker_script.own_scripts(worker)


@pytest.mark.parametrize(
    "statement", ['import { x } from "./x.js";', 'import "./x.js";', "export const x = 1;", "export default 1;", "export { x };"]
)
def test_module_statements_in_own_scripts_are_refused(worker: Path, statement: str) -> None:
    """With file and line; a dynamic import() or a word in a comment is none."""
    (worker / "b.js").write_text("// import x from y\nconst later = () => import(name);\n")
    worker_script.own_scripts(worker)
    (worker / "b.js").write_text(f"const x = 1;\n{statement}\n")
    with pytest.raises(SetupError, match=r"web/worker/b\.js, line 2: "):
        worker_script.own_scripts(worker)


@pytest.mark.node
def test_the_real_script_parses(tmp_path: Path) -> None:
    """The pinned modules and our worker make one classic script that node accepts, strict from its first statement on."""
    worker_script.write(tmp_path / "worker.js", runtime.PYODIDE, runtime.DECODER, Path(__file__).parents[2] / "web/worker")
    script = (tmp_path / "worker.js").read_text()
    assert script.startswith('"use strict";')
    finished = subprocess.run([str(shutil.which("node")), "--check", tmp_path / "worker.js"], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.node
def test_the_real_embedder_parses(tmp_path: Path) -> None:
    """Its scripts and the one it shares with the other worker make one strict classic script."""
    worker_script.write_embedder(tmp_path / "embedder.js", Path(__file__).parents[2] / "web/embedder")
    script = (tmp_path / "embedder.js").read_text()
    assert script.startswith('"use strict";')
    assert "function serve(" in script
    finished = subprocess.run([str(shutil.which("node")), "--check", tmp_path / "embedder.js"], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


def _evaluate(script: str) -> list[str]:
    """The value of the script's last statement, run by node as a classic script."""
    program = f"console.log(JSON.stringify((0, eval)({json.dumps(script)})))"
    finished = subprocess.run([str(shutil.which("node")), "-e", program], capture_output=True, text=True, check=True)
    value: list[str] = json.loads(finished.stdout)
    return value
