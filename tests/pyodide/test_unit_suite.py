"""The unit tests pass in Pyodide as they do in CPython: same files, the built wheels, wasm32 and its own numpy and Pillow."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.node

ROOT = Path(__file__).resolve().parents[2]
UNMARKED = ("-m", "not oracle and not browser and not node")
RUNTIME = ("numpy", "pillow", "flatbuffers", "pagetrain", "pagetrain_ops", "pagetrain_accelerator", "pagetrain_project")


def test_every_unmarked_test_passes_in_pyodide(wheels: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exactly the tests that CPython collects without a marker run there, and none fails."""
    from sitebuild import node, paths

    test_wheels = sorted(paths.PYODIDE_TEST_WHEELS.glob("*.whl"))
    job = {
        "wheels": [str(path) for path in [*(wheels[name] for name in RUNTIME), *test_wheels]],
        "tests": str(ROOT / "tests"),
        "docs": str(ROOT / "docs"),
        "settings": str(ROOT / "pyproject.toml"),
        "arguments": [*UNMARKED, "-q", "--tb=short"],
        "report": str(tmp_path / "outcomes.json"),
    }
    command = [node.program("node"), *_relaxed_simd(node.program("node")), str(Path(__file__).with_name("run_suite.mjs")), json.dumps(job)]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    with capsys.disabled():
        print(f"\n  in Pyodide: {finished.stdout.strip().splitlines()[-1:]}")
    assert finished.returncode == 0, finished.stdout[-20_000:] + finished.stderr[-4000:]
    outcomes = json.loads((tmp_path / "outcomes.json").read_text())
    assert set(outcomes) == _collected_natively()
    left_out = {test for test, outcome in outcomes.items() if outcome == "skipped" and test.startswith("tests/accelerator/")}
    assert not left_out  # the side module runs nowhere else in these tests


def _relaxed_simd(node: str) -> list[str]:
    """What turns relaxed SIMD on in a node that has it behind a switch, as node 20 does."""
    options = subprocess.run([node, "--v8-options"], capture_output=True, text=True, check=True).stdout
    switch = "--experimental-wasm-relaxed-simd"
    return [switch] if switch in options else []


def _collected_natively() -> set[str]:
    """The ids of all unmarked tests, but for the folders that Pyodide cannot run: set-up and benchmarks need processes and threads."""
    command = [sys.executable, "-m", "pytest", *UNMARKED, "--collect-only", "-q", "--ignore=tests/sitebuild", "--ignore=tests/bench"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {line for line in listed.splitlines() if "::" in line}
