"""sitebuild.commands: one sentence for each way a program fails."""

import sys
from pathlib import Path

import pytest

from sitebuild import commands, paths
from sitebuild.errors import CommandError, HashMismatchError, NetworkError, SetupError

# What the programs print, shortened; the words that are looked for are theirs.
PIP_HASHES = """Collecting a==1
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated
    flatbuffers==25.12.19 from https://mirror.invalid/flatbuffers.whl#sha256=7634 (from -r site.txt (line 7)):
        Expected sha256 0000f50c
        Expected     or 1111f50c
             Got        7634f50c
"""
NPM_HASHES = (
    "npm error code EINTEGRITY\nnpm error Integrity checksum failed when using sha512: wanted sha512-AA+/w== but got sha512-RU/q==.\n"
)
PIP_OFFLINE = (
    "WARNING: Retrying after connection broken by 'NewConnectionError(...)'\nERROR: No matching distribution found for onnx==1.0\n"
)
NPM_OFFLINE = "npm error code ECONNREFUSED\nnpm error A complete log of this run can be found in: x.log\n"
FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"


@pytest.fixture(autouse=True)
def logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(paths, "LOGS", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "output, kind, words",
    [
        (PIP_HASHES, HashMismatchError, ["flatbuffers==25.12.19 is not the pinned file", "expected hash 0000f50c", "got 7634f50c"]),
        (NPM_HASHES, HashMismatchError, ["package-lock.json", "expected hash sha512-AA+/w==", "got sha512-RU/q=="]),
        (PIP_OFFLINE, NetworkError, ["the network cannot be reached", "NewConnectionError"]),
        (NPM_OFFLINE, NetworkError, ["the network cannot be reached", "ECONNREFUSED"]),
        (FULL, SetupError, ["no space left on the disk"]),
        ("Traceback\n  File x\nValueError: no such op\n\n", CommandError, ["status 3", "ValueError: no such op"]),
        ("", CommandError, ["status 3", "printed nothing"]),
    ],
)
def test_a_failure_is_one_sentence(output: str, kind: type[SetupError], words: list[str]) -> None:
    """The kind is told by what was printed; the sentence has no line break and says what to do or where to look."""
    error = commands.explain("a stage", "pip", 3, output, Path("a.log"))
    assert type(error) is kind
    assert "\n" not in str(error)
    assert all(word in str(error) for word in words)


def test_what_a_program_prints_is_kept(logs: Path) -> None:
    """Both streams and the input arrive, and the log holds them after a failure."""
    script = "import sys; print('out', flush=True); print(sys.stdin.read(), file=sys.stderr)"
    assert commands.run("a stage", [sys.executable, "-c", script], text="given").split() == ["out", "given"]
    with pytest.raises(CommandError, match=r"status 3: given .*a-stage\.log"):
        commands.run("a stage", [sys.executable, "-c", script + "; sys.exit(3)"], text="given")
    assert (logs / "a-stage.log").read_text().split() == ["out", "given"]
