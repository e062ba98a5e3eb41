"""accelerator/build.sh: the committed side modules are what the C files say."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pagetrain_accelerator.library import FOLDER, SIGNATURES, VARIANTS
from sitebuild import paths

SOURCES = paths.ROOT / "accelerator"
PARAMETER_KINDS = {"int": "i", "float": "f", "double": "d"}


def test_the_committed_files_are_built_from_these_sources(tmp_path: Path) -> None:
    """Byte for byte, where the compiler is there that made them."""
    script = (SOURCES / "build.sh").read_text(encoding="utf-8")
    (version,) = re.findall(r"^# Built by: (.+)$", script, re.MULTILINE)
    compiler = shutil.which("clang-19")
    if not compiler or not shutil.which("wasm-ld-19"):
        pytest.skip("clang-19 and wasm-ld-19 (Debian packages clang-19, lld-19) are not installed")
    found = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    if found != version:
        pytest.skip(f"the files were made by {version}; here is {found}")
    subprocess.run([SOURCES / "build.sh", tmp_path], check=True)
    for file in VARIANTS.values():
        assert (tmp_path / file).read_bytes() == (FOLDER / file).read_bytes(), f"{file} is old: run accelerator/build.sh"


def test_python_knows_every_function_by_its_parameters() -> None:
    """Names, order and types as the C files have them."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.c")))
    declared = {
        name: "".join("p" if "*" in one else PARAMETER_KINDS[one.split()[0]] for one in parameters.split(","))
        for name, parameters in re.findall(r"^EXPORT\((\w+)\)\(([^)]*)\)", text, re.MULTILINE)
    }
    assert declared == SIGNATURES
