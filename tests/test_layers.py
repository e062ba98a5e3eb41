"""Imports flow downwards, and the runtime imports little: read from its source."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pagetrain

ROOT = Path(pagetrain.__file__).parent.parent
PACKAGES = ("pagetrain", "pagetrain_ops", "pagetrain_accelerator", "pagetrain_project")
# Each may import those of its own line and of the lines above it; what is not named here stands below all of them.
LAYERS = (
    ("errors", "names", "graph"),
    ("distributions",),
    ("file_lock",),
    ("folding", "packing", "protobuf", "topology", "renaming", "file_set", "backend", "finite"),
    ("kernels",),
    ("ortformat", "onnxformat"),
    ("shape_rules", "spare_memory"),
    ("plan_shapes",),
    ("plan_memory",),
    ("description", "batch_norm_folding", "conv_fusion", "clip_gradient"),
    ("plan", "cut"),
    ("executor",),
    ("api",),
)
# These import no more of pagetrain than the kernels do, and their shape rules what pagetrain's do.
BESIDE = {"pagetrain_ops": "kernels", "pagetrain_accelerator": "kernels", "pagetrain_ops/shape_rules.py": "shape_rules"}
APART = {"ortformat": {"kernels"}, "onnxformat": {"kernels", "ortformat"}}  # the codecs need not know what can be run
THIRD_PARTY = {  # "" = anywhere
    "numpy": {""},
    "flatbuffers": {"pagetrain/ortformat/tables.py"},
    "PIL": {"pagetrain/picture.py", "pagetrain/preprocess.py", "pagetrain/variants.py"},
    "ml_dtypes": {"pagetrain/graph.py"},  # only if it is installed
}


def _imports() -> Iterator[tuple[Path, str]]:
    """(file of a package, absolute name of the module it imports) for every import statement."""
    for path in sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        relative = path.relative_to(ROOT)
        package = relative.parts[:-1]
        for node in _nodes_that_run(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((relative, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
                names = [node.module] if node.module else [alias.name for alias in node.names]
                yield from ((relative, ".".join(filter(None, (base, name)))) for name in names)


def _nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers read."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _nodes_that_run(child)


def _layer(name: str) -> int:
    return next((index for index, layer in enumerate(LAYERS) if name in layer), len(LAYERS))


def test_imports_flow_downwards() -> None:
    """bridge and Personalizer -> api -> executor -> plan -> kernels -> graph, names, errors; never back."""
    upwards = []
    for path, imported in _imports():
        beside = BESIDE.get(path.as_posix()) or BESIDE.get(path.parts[0], "")
        own = path.parts[1].removesuffix(".py") if path.parts[0] == "pagetrain" else beside
        parts = imported.split(".")
        if parts[0] == "pagetrain" and len(parts) > 1 and own != "__init__":
            wrong = _layer(parts[1]) > _layer(own) or parts[1] in APART.get(own, ())
            upwards += [f"{path} imports {imported}"] if wrong else []
    assert upwards == []


def test_what_has_an_underscore_is_private_to_its_folder() -> None:
    """What others share has a name without."""
    outside = [
        f"{path} imports {imported}"
        for path, imported in _imports()
        for above, _, private in [imported.rpartition("._")]
        if above.split(".")[0] in PACKAGES and private and above != ".".join(path.parts[:-1])
    ]
    assert outside == []


def test_the_distributions_stand_beside_each_other() -> None:
    """pagetrain imports the others by name alone, where they are installed; they do not import each other."""
    imported = {(path.parts[0], name.split(".")[0]) for path, name in _imports()}
    assert {(one, other) for one, other in imported if other in PACKAGES[1:] and one != other} == set()


def test_third_parties_are_the_three_and_where_they_belong() -> None:
    """numpy, flatbuffers for the codecs, Pillow for pictures, ml_dtypes for types beyond numpy; the rest is the standard library."""
    strange = []
    for path, imported in _imports():
        top = imported.split(".")[0]
        if top in PACKAGES or top in sys.stdlib_module_names:
            continue
        places = THIRD_PARTY.get(top, set())
        if "" not in places and path.as_posix() not in places:
            strange.append(f"{path} imports {imported}")
    assert strange == []
