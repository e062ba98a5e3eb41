"""A program run in numpy: what an embedding worker does, for the check of a recording and for tests."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from .meanings import run


def replayed(document: Mapping[str, Any], file: bytes, *pictures: np.ndarray) -> np.ndarray:
    """The features of the last of these pictures (H, W, 3), uint8, when all were done one after another. file: parameters.bin.

    The memory is full of NaN at first, so that a value which nothing has written shows.
    """
    memory = np.full(-(-document["memory"] // 4), np.nan, np.float32).view(np.uint8)
    for name, *given in document["setup"]:
        _do(memory, name, given, file)
    for seen in pictures:
        memory[document["pixels"] :][: seen.size] = seen.reshape(-1)
        for name, *given in document["picture"]:
            _do(memory, name, given, file)
    return np.concatenate([_gathered(memory, output) for output in document["outputs"]])


def _do(memory: np.ndarray, name: str, given: Sequence[Any], file: bytes) -> None:
    if name == "file":
        address, offset, length = given
        memory[address:][:length] = np.frombuffer(file, np.uint8, length, offset)
    elif name == "constant":
        content = np.frombuffer(base64.b64decode(given[1]), np.uint8)
        memory[given[0] :][: content.size] = content
    else:
        pointers = {place: _from(memory, value[0]) for place, value in enumerate(given) if isinstance(value, list)}
        run(name, pointers, tuple({"inf": inf, "-inf": -inf}.get(value, value) if isinstance(value, str) else value for value in given))


def _from(memory: np.ndarray, address: int) -> np.ndarray:
    """Floats from a byte on, as far as there are whole ones."""
    rest = memory[address:]
    return rest[: rest.size // 4 * 4].view(np.float32)


def _gathered(memory: np.ndarray, output: Mapping[str, Any]) -> np.ndarray:
    start = _from(memory, output["address"])
    strides = [4 * stride for stride in output["strides"]]
    return np.lib.stride_tricks.as_strided(start, output["shape"], strides, writeable=False).reshape(-1)
