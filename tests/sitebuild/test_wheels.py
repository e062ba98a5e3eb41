"""The wheels as a page fetches them: how large, what is in them, and what pagetrain does alone."""

import ast
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import pagetrain
from sitebuild import wheels
from sitebuild.report import Report

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 200_000  # what pagetrain promises of its wheel
PUBLIC = {f"pagetrain/{name}.py" for name in ("__init__", "personalizer", "errors", "backend", "api/module", "compat/__init__")}
# The search for modules is that of a page with one wheel: neither the repository's packages nor others that are installed.
ALONE = f"""
import sys
sys.path[:] = [{{wheel!r}}, *(place for place in sys.path if place not in ("", {str(ROOT / "pyodide_pkg")!r})), {str(ROOT)!r}]
for name in ("pagetrain_ops", "pagetrain_accelerator", "onnx", "onnxruntime"):
    sys.modules[name] = None
import pagetrain
assert pagetrain.__file__.startswith({{wheel!r}}), pagetrain.__file__
"""

JOBS = {
    "tiny classifier": """
from tests import test_personalizer
test_personalizer.test_learns_classes_and_answers_unseen_pictures()
""",
    "golden traces": """
from tests.api import test_golden
for name in test_golden.TRACES:
    test_golden.test_training_from_the_checkpoint_is_ort_s(name, "ort")
""",
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels by the name of their package."""
    folder = tmp_path_factory.mktemp("wheels")
    wheels.make(folder, Report())
    return {path.name.split("-")[0]: path for path in folder.glob("*.whl")}


def test_the_wheel_of_pagetrain_is_small(built: dict[str, Path]) -> None:
    """Under 200 KB; and there is one wheel for each project."""
    assert built.keys() == wheels.PROJECTS.keys()
    assert built["pagetrain"].stat().st_size < MOST_BYTES


def test_a_wheel_holds_its_package_whole(built: dict[str, Path]) -> None:
    """Every file of the folder, and nothing beside it but metadata."""
    for name, path in built.items():
        there = {file.relative_to(wheels.SOURCE).as_posix() for file in (wheels.SOURCE / name).rglob("*") if file.suffix != ".pyc"}
        held = {entry for entry in zipfile.ZipFile(path).namelist() if ".dist-info/" not in entry}
        assert held == {file for file in there if (wheels.SOURCE / file).is_file()}


def test_what_an_earlier_build_left_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`pip install ./pyodide_pkg` leaves the folder build, whose modules may be gone from the sources since."""
    commanded: list[list[str]] = []
    monkeypatch.setattr(wheels, "SOURCE", tmp_path / "build" / "source")
    for name in ("pagetrain/kept.py", "build/lib/pagetrain/gone.py", "ops/build/lib/pagetrain_ops/gone.py"):
        path = wheels.SOURCE / name
        path.parent.mkdir(parents=True)
        path.touch()
    monkeypatch.setattr(
        wheels.commands,
        "run",
        lambda _name, command, **_: commanded.append([p.name for p in Path(command[-len(wheels.PROJECTS)]).rglob("*.py")]),
    )
    wheels.make(tmp_path, Report())
    assert commanded == [["kept.py"]]


def test_only_words_are_left_out(built: dict[str, Path]) -> None:
    """The same code on the same lines; what callers see keeps docstrings and types, and kernels, which are asked for them, their types."""
    archive = zipfile.ZipFile(built["pagetrain"])
    sources = [name for name in archive.namelist() if name.endswith(".py")]
    for name in sources:
        assert _code(archive.read(name)) == _code((wheels.SOURCE / name).read_bytes()), name
    for name in PUBLIC:
        assert _told(archive.read(name)) == _told((wheels.SOURCE / name).read_bytes()), name
    kernels = [one for one in sources if "Kernel(" in archive.read(one).decode() or one.startswith("pagetrain/kernels/")]
    for name in [*PUBLIC, *kernels]:
        assert _types(archive.read(name)) == _types((wheels.SOURCE / name).read_bytes()), name


class _Texts(ast.NodeTransformer):
    """Takes out what does nothing: texts that stand alone, the dots that stand for them, and the types of functions."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


def _told(source: bytes) -> list[str]:
    """The docstrings of the module, and of what is public in it."""
    parts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return [text for node in parts if not getattr(node, "name", "").startswith("_") and (text := ast.get_docstring(node))]


def _types(source: bytes) -> list[str]:
    """Of the arguments and the result of each function."""
    nodes = ast.walk(ast.parse(source))
    found = (
        node.annotation if isinstance(node, ast.arg) else node.returns for node in nodes if isinstance(node, ast.arg | ast.FunctionDef)
    )
    return [ast.unparse(one) if one else "" for one in found]


def _code(source: bytes) -> tuple[str, list[int]]:
    """All that a module says but for its texts, and the line of each statement."""
    tree = _Texts().visit(ast.parse(source))
    return ast.dump(tree), [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def test_each_other_project_wants_the_same_version() -> None:
    """pip and micropip then never put two versions side by side."""
    for name, folder in wheels.PROJECTS.items():
        project = tomllib.loads((wheels.SOURCE / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert name == "pagetrain" or project["dependencies"] == [f"pagetrain=={pagetrain.__version__}"]


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_it_trains_alone(built: dict[str, Path], tmp_path: Path, job: str) -> None:
    """With neither the other ops nor the accelerator to be had: the Personalizer's whole job, and ORT's own trainings, number by number."""
    with zipfile.ZipFile(built["pagetrain"]) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run([sys.executable, "-c", ALONE.format(wheel=str(tmp_path)) + job], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
