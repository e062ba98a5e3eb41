"""The side module: C functions that compute on numpy's own memory, reached through ctypes because Python runs in WebAssembly, too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pagetrain.errors import InvalidInputError

VARIANTS = {"relaxed-simd": "relaxed.wasm", "simd": "simd.wasm"}  # backend: file; the faster one first, which not every browser takes
FOLDER = Path(__file__).parent

# Parameters of each function as the C files in accelerator/ have them: p pointer, i int, f float, d double.
SIGNATURES = {
    "pack_columns": "ppii",
    "pack_rows": "ppii",
    "gemm": "pppppiiiff",
    "gemm_turned": "pppppiiiff",
    "depthwise": "pppppff",
    "depthwise_input_gradient": "pppp",
    "depthwise_filter_gradient": "pppp",
    "convolution": "pppppppiiff",
    "convolution_input_gradient": "pppppii",
    "convolution_filter_gradient": "ppppppii",
    "transpose": "ppiii",
    "normalize": "ppppii",
    "widen_half": "ppi",
    "add": "pppi",
    "clip": "ppiff",
    "relu_gradient": "pppi",
    "clip_gradient": "pppiff",
    "pixel_sums": "ppiiid",
    "spread": "ppiii",
    "adamw": "ppppifffffffi",
}


class Library(Protocol):
    """What accelerated kernels compute with; nothing else touches their values."""

    def call(self, name: str, *arguments: Any) -> None:
        """Runs one C function. Pointers are C-contiguous arrays of the type that it reads, or None; sizes and values are numbers."""


class SideModule:
    """A Library: the functions of one file. Raises OSError where it cannot be loaded, AttributeError where a function is missing."""

    def __init__(self, path: Path) -> None:
        import ctypes  # where there is no side module it is not needed

        module = ctypes.CDLL(str(path))
        kinds: dict[str, Any] = {"p": ctypes.c_void_p, "i": ctypes.c_int, "f": ctypes.c_float, "d": ctypes.c_double}
        self._functions = {}
        for name, signature in SIGNATURES.items():
            self._functions[name] = function = module[name]
            function.argtypes = [kinds[kind] for kind in signature]
            function.restype = None
        self._view, self._addressof = ctypes.c_char.from_buffer, ctypes.addressof

    def call(self, name: str, *arguments: Any) -> None:
        """As Library. Raises InvalidInputError for an array with gaps."""
        self._functions[name](*[self._address(value) if type(value) is np.ndarray else value for value in arguments])

    def _address(self, array: np.ndarray) -> int:
        if not array.flags.c_contiguous:
            raise InvalidInputError(f"The accelerator was handed an array with gaps: shape {array.shape}, strides {array.strides}.")
        if array.flags.writeable and array.size:
            return self._addressof(self._view(array))  # type: ignore[arg-type]  # a seventh of the time of the other way
        address: int = array.__array_interface__["data"][0]
        return address


def loaded(backend: str | None = None, folder: Path = FOLDER) -> tuple[str, Library] | None:
    """(backend, side module) of the variant asked for, or the first that can be loaded; else None, and one line that says why."""
    reasons = []
    for name, file in VARIANTS.items():
        if backend in (None, name):
            try:
                return name, _tried(SideModule(folder / file))
            except Exception as error:  # whatever is wrong with it, numpy does the work
                reasons.append(f"{file}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
    if reasons:
        print(f"pagetrain: no accelerator, numpy computes: {'; '.join(reasons)}", file=sys.stderr)
    return None


def _tried(library: Library) -> Library:
    """The library, if its first sum is right. Raises RuntimeError."""
    result = np.zeros(1, np.float32)
    library.call("add", np.ones(1, np.float32), np.full(1, 2, np.float32), result, 1)
    if result[0] != 3:
        raise RuntimeError(f"1 + 2 came out as {result[0]}")
    return library
