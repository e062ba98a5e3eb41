"""What the benchmark needs beside the site: the other trainers, by npm into a folder of their own, and the models for all of them."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from sitebuild import commands, files, node, paths, setup
from sitebuild.errors import SetupError
from sitebuild.report import Report
from sitebuild.stages import Stage

PEER_SCRIPTS = {"ort_train", "ort_infer", "tfjs"}  # of bench/web: those that need what npm installs
NPM = paths.ROOT / "bench/npm"
PEER_FILES = {  # folder under which it is served: files of node_modules. The rest of the packages, 300 MB, is not kept.
    "ort-training": (
        "onnxruntime-web-training/dist/ort.training.wasm.min.js",
        "onnxruntime-web-training/dist/ort-training-wasm-simd-threaded.mjs",
        "onnxruntime-web-training/dist/ort-training-wasm-simd-threaded.wasm",
    ),
    "ort": (
        "onnxruntime-web/dist/ort.wasm.min.js",
        "onnxruntime-web/dist/ort-wasm-simd-threaded.mjs",
        "onnxruntime-web/dist/ort-wasm-simd-threaded.wasm",
    ),
    "tfjs": (
        "@tensorflow/tfjs/dist/tf.min.js",
        "@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js",
        "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm",
        "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-threaded-simd.wasm",
    ),
}


def make_peers(output: Path, _report: Report) -> None:
    """npm ci, which checks every package against the lock's integrity; then the files that are served, compressed as the site's are."""
    with tempfile.TemporaryDirectory(prefix=".peers.", suffix=".half", dir=paths.CACHE) as temporary:
        folder = Path(temporary)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copyfile(NPM / name, folder / name)
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
        commands.run("bench peers", [node.program("npm"), "ci", *options], cwd=folder)
        for name, members in PEER_FILES.items():
            (output / name).mkdir()
            for member in members:
                shutil.copyfile(folder / "node_modules" / member, output / name / Path(member).name)
    _compress(output)


def _compress(folder: Path) -> None:
    """Puts <name>.gz and <name>.br beside every file."""
    jobs = [{"source": str(path), "gzip": f"{path}.gz", "brotli": f"{path}.br"} for path in files.files_below(folder)]
    commands.run("bench peers variants", [node.program("node"), paths.ROOT / "sitebuild/compress.mjs"], text=json.dumps(jobs))


def make_stock(output: Path, _report: Report) -> None:
    """Pyodide as its makers pack it, with numpy."""
    names = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
    for path in (*(paths.NODE_MODULES / "pyodide" / name for name in names), *paths.PYODIDE_WHEELS.glob("numpy-*.whl")):
        shutil.copyfile(path, output / path.name)
    _compress(output)


def make_models(output: Path, _report: Report) -> None:
    environment = {"PYTHONPATH": os.pathsep.join([str(paths.ROOT / "pyodide_pkg"), str(paths.ROOT)])}
    commands.run("bench models", [paths.VENV_PYTHON, "-m", "bench.models", output], env=environment)


PEERS = Stage(
    "bench peers", "npm ci: onnxruntime-web 1.19 and 1.30, TensorFlow.js", paths.CACHE / "bench/peers", make_peers,
    lambda: [NPM],
)  # fmt: skip
STOCK = Stage(
    "bench stock", "Pyodide as it comes, to compare the start with", paths.CACHE / "bench/stock", make_stock,
    list, needs=(setup.NODE_PACKAGES, setup.PYODIDE_WHEELS),
)  # fmt: skip
MODELS = Stage(
    "bench models", "make the models of all contestants", paths.CACHE / "bench/models", make_models,
    lambda: [paths.ROOT / "bench/models.py", paths.ROOT / "artifacts_tool"], needs=(setup.PACKAGES, setup.DOWNLOADS),
)  # fmt: skip


def prepare(report: Report) -> None:
    """Makes what is missing or out of date. If the others cannot be installed, a line says why, and the tables will say that."""
    setup.prepare((STOCK, MODELS), report)
    try:
        setup.prepare((PEERS,), report)
    except SetupError as error:
        report.close_line()
        report.line(f"the others cannot be installed: {error}")
