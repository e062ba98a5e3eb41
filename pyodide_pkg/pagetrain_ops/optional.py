"""Optional values, as far as they are tensors or sequences that are there or left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from pagetrain.kernels.registry import Memory, kernel

Result = tuple[Any, ...]


@kernel("OptionalHasElement", since=15, any_type=True)
def optional_has_element_15(input: Any) -> Result:
    """output = true, as the input cannot be left out; one bool. Source: ONNX OptionalHasElement-15."""
    return optional_has_element(input)


@kernel("OptionalHasElement", since=18, any_type=True)
def optional_has_element(input: Any = None) -> Result:
    """output = whether the input is there; one bool. Source: ONNX OptionalHasElement-18, -28."""
    return (np.array(input is not None),)


@kernel("OptionalGetElement", since=15, any_type=True, memory=Memory.VIEW)
def optional_get_element(input: Any) -> Result:
    """output = input, not copied. Source: ONNX OptionalGetElement-15, -18, -28."""
    return (input,)
