"""What puts back together what windows took apart: Col2Im, MaxUnpool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.errors import ShapeMismatchError
from pagetrain.kernels.registry import kernel, per_element
from pagetrain.kernels.window import Index, explicit_pads, place

Result = tuple[np.ndarray, ...]


@kernel("Col2Im", since=18, workspace=per_element({}, {0: 4}))
def col2im(
    input: np.ndarray,
    image_shape: np.ndarray,
    block_shape: np.ndarray,
    *,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """output = the sum of all blocks at their places: the adjoint of cutting an image into blocks.

    input: (N, C b1..br, L), L blocks in row-major order of their places; output: (N, C, d1..dr) of image_shape; block_shape: b1..br.
    Source: ONNX Col2Im-18.
    """
    sizes, block = (tuple(int(size) for size in shape) for shape in (image_shape, block_shape))
    window = place(sizes, block, "NOTSET", dilations, pads, strides)
    N, rows, count = input.shape
    if count != np.prod(window.output) or rows % int(np.prod(block)):
        raise ShapeMismatchError(f"{rows} rows and {count} blocks are not those of blocks {block} over {window.output} places.")
    C = rows // int(np.prod(block))
    blocks = np.moveaxis(input.reshape(N, C, *block, *window.output), 1, -1)
    image = window.padded(np.zeros((N, *sizes, C), input.dtype))
    for tap, pixels in window.taps:
        there: Index = (slice(None), *tap)
        image[pixels] += blocks[there]
    return (np.moveaxis(window.cropped(image), -1, 1),)


@kernel("MaxUnpool", since=9)
def max_unpool(
    X: np.ndarray,
    I: np.ndarray,  # noqa: E741 - the schema's name
    output_shape: np.ndarray | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Result:
    """output = 0 but X at the places I, which count through the output that the attributes tell: MaxPool undone.

    X, I: (N, C, o1..); output: (N, C, (o - 1) stride + kernel - pads ..), in the first corner of one of output_shape if that is given.
    Source: ONNX MaxUnpool-9, -11, -22.
    """
    rank = X.ndim - 2
    around = explicit_pads("NOTSET", pads, rank)
    axes = zip(X.shape[2:], strides or (1,) * rank, kernel_shape, around, strict=True)
    told = (*X.shape[:2], *((count - 1) * step + size - sum(pad) for count, step, size, pad in axes))
    output = np.zeros(told, X.dtype)
    output.reshape(-1)[I.ravel()] = X.ravel()
    if output_shape is None:
        return (output,)
    larger = np.zeros([int(size) for size in output_shape], X.dtype)
    larger[tuple(slice(0, size) for size in told)] = output
    return (larger,)
