"""The files that the real ONNX Runtime writes beyond 1800 MiB. Memory for the zeros is asked for, but never touched."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pagetrain.ortformat.checkpoint import CheckpointData, load_file, offline_pieces, save_files
from pagetrain.ortformat.checkpoint_data import INLINE_BELOW, DataFile, needs_data_file

pytestmark = pytest.mark.oracle

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT / "tests" / "data" / "golden" / "external_data"
TRAINABLE = (("b", np.float32, 12), ("a", np.float32, 28))
FROZEN = (
    ("i64", np.int64, 72),
    ("f", np.float32, 68),
    ("d", np.float64, 128),
    ("s", np.float32, 60),
    ("h", np.float16, 66),
    ("d2", np.float64, 128),
)
ZEROS = (1800 << 20) - 700


def arrays(described):
    return {name: (np.arange(size) % 251).astype(np.uint8).view(dtype) for name, dtype, size in described}


def test_offline_files_are_those_of_the_real_generator():
    """Which tensors go to the second file, where they are aligned, and every byte of the first."""
    data_file = DataFile(INLINE_BELOW)
    frozen = arrays(FROZEN) | {"z": np.zeros(ZEROS, np.int8)}
    assert b"".join(offline_pieces(arrays(TRAINABLE), frozen, data_file=data_file)) == (REAL / "checkpoint").read_bytes()
    *head, zeros = data_file.pieces
    assert b"".join(head) == (REAL / "checkpoint.data.head").read_bytes()
    assert len(zeros) == ZEROS


def test_the_limit_is_that_of_the_real_generator():
    """It wrote these in two files, and one file when the last tensor was a MiB shorter."""
    parameters = arrays(TRAINABLE) | arrays(FROZEN)
    assert needs_data_file(parameters | {"z": np.zeros(ZEROS, np.int8)})
    assert not needs_data_file(parameters | {"z": np.zeros(ZEROS - (1 << 20), np.int8)})


SAVING = """
import sys
import numpy as np
from pagetrain.ortformat.checkpoint import CheckpointData, save_files
for number in range(1_000_000):
    save_files(CheckpointData({"w": np.full(20, number, np.int64)}, {}, properties={"n": number}), sys.argv[1], external_from=1)
"""


def test_a_process_that_saves_all_the_time_gives_no_mixed_pair(tmp_path):
    """The number that both files of a save hold is the same, however often they are read meanwhile."""
    path = tmp_path / "state"
    save_files(CheckpointData({"w": np.full(20, -1, np.int64)}, {}, properties={"n": -1}), path, external_from=1)
    with subprocess.Popen([sys.executable, "-c", SAVING, str(path)], cwd=ROOT / "pyodide_pkg") as process:
        try:
            read = []
            while len(read) < 400 or len(set(read)) < 20:
                loaded = load_file(path)
                assert process.poll() is None
                assert loaded.trainable["w"].tolist() == [loaded.properties["n"]] * 20
                read.append(loaded.properties["n"])
        finally:
            process.kill()
