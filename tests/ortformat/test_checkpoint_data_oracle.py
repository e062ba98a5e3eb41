"""The files that the real ONNX Runtime writes beyond 1800 MiB. Memory for the zeros is asked for, but never touched."""

from pathlib import Path

import numpy as np
import pytest

from pagetrain.ortformat.checkpoint import offline_pieces
from pagetrain.ortformat.checkpoint_data import INLINE_BELOW, DataFile, needs_data_file

pytestmark = pytest.mark.oracle

REAL = Path(__file__).resolve().parent.parent / "data" / "golden" / "external_data"
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
