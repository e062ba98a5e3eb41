"""GlobalAveragePool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pagetrain.backend import Runner
from pagetrain.kernels.registry import Kernel

from .arrays import FLOAT, are_floats, channels_last
from .library import Library
from .registry import accelerated


@accelerated("GlobalAveragePool")
def global_average_pool(library: Library, kernel: Kernel, constants: Mapping[int, np.ndarray], attributes: Mapping[str, Any]) -> Runner:
    """Y = mean over rows and columns, added up in float64."""

    def run(X: np.ndarray) -> tuple[np.ndarray, ...]:
        if not (are_floats(X) and X.ndim == 4 and X.size):
            return kernel.run(X)
        batch, channels, rows, columns = X.shape
        Y = np.empty((batch, channels, 1, 1), FLOAT)
        library.call("pixel_sums", channels_last(library, X), Y, batch, rows * columns, channels, 1 / (rows * columns))
        return (Y,)

    return run
