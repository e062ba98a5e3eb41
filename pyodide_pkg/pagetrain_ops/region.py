"""Regions of pictures: NonMaxSuppression, RoiAlign, MaxRoiPool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.kernels.registry import kernel

Result = tuple[np.ndarray, ...]


@kernel("NonMaxSuppression", since=10)
def non_max_suppression(
    boxes: np.ndarray,
    scores: np.ndarray,
    max_output_boxes_per_class: np.ndarray | None = None,
    iou_threshold: np.ndarray | None = None,
    score_threshold: np.ndarray | None = None,
    *,
    center_point_box: int = 0,
) -> Result:
    """selected_indices = (batch, class, box) of the boxes kept for each class, best first, int64.

    A box goes if it overlaps one kept before by more than iou_threshold (default 0) of their union, or its score is not above
    score_threshold; at most max_output_boxes_per_class (default 0) are kept. boxes: (N, B, 4), two corners y, x, y, x in any order, or
    x, y, width, height of the centre with center_point_box; scores: (N, C, B). Of equal scores the first comes first.
    Source: ONNX NonMaxSuppression-10, -11; at the threshold itself as onnxruntime.
    """
    most = 0 if max_output_boxes_per_class is None else int(max_output_boxes_per_class.item())
    overlap = 0.0 if iou_threshold is None else iou_threshold.item()
    least = -np.inf if score_threshold is None else score_threshold.item()
    corners = _corners(boxes, center_point_box)
    found = [
        (batch, label, box)
        for batch, label in np.ndindex(scores.shape[:2])
        for box in _kept(corners[batch], scores[batch, label], most, overlap, least)
    ]
    return (np.array(found, np.int64).reshape(-1, 3),)


def _corners(boxes: np.ndarray, center_point_box: int) -> np.ndarray:
    """(N, B, 2, 2): the lower and upper corner of each box."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if center_point_box:
        return np.stack((first - second / 2, first + second / 2), axis=-2)
    return np.stack((np.minimum(first, second), np.maximum(first, second)), axis=-2)


def _kept(corners: np.ndarray, scores: np.ndarray, most: int, overlap: float, least: float) -> list[int]:
    """The boxes (B, 2, 2) of one class that stay, best first."""
    areas = np.prod(corners[:, 1] - corners[:, 0], axis=-1)
    order = np.argsort(-scores, kind="stable")
    waiting, kept = order[scores[order] > least], list[int]()
    while len(waiting) and len(kept) < most:
        best, waiting = int(waiting[0]), waiting[1:]
        kept.append(best)
        low, high = np.maximum(corners[waiting, 0], corners[best, 0]), np.minimum(corners[waiting, 1], corners[best, 1])
        shared = np.prod(np.maximum(high - low, 0), axis=-1)
        union = areas[waiting] + areas[best] - shared
        waiting = waiting[~((shared > 0) & (shared > overlap * union))]
    return kept


@kernel("RoiAlign", since=10)
def roi_align_10(
    X: np.ndarray,
    rois: np.ndarray,
    batch_indices: np.ndarray,
    *,
    mode: str = "avg",
    output_height: int = 1,
    sampling_ratio: int = 0,
    output_width: int = 1,
    spatial_scale: float = 1.0,
) -> Result:
    """As RoiAlign-16 with output_half_pixel. Source: ONNX RoiAlign-10."""
    return roi_align(
        X,
        rois,
        batch_indices,
        coordinate_transformation_mode="output_half_pixel",
        mode=mode,
        output_height=output_height,
        sampling_ratio=sampling_ratio,
        output_width=output_width,
        spatial_scale=spatial_scale,
    )


@kernel("RoiAlign", since=16)
def roi_align(
    X: np.ndarray,
    rois: np.ndarray,
    batch_indices: np.ndarray,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    sampling_ratio: int = 0,
    output_width: int = 1,
    spatial_scale: float = 1.0,
) -> Result:
    """Y[r] = region r of picture batch_indices[r], output_height by output_width cells: mean of samples between its elements, or maximum.

    X: (N, C, H, W); rois: (R, 4) of x1, y1, x2, y2, times spatial_scale the places in X, shifted by half an element with half_pixel;
    without it a region is at least one element large. sampling_ratio: samples along each axis of a cell, 0 for as many as it has elements.
    The maximum is that of the four neighbours of each sample, each times its weight, as in onnx's reference and onnxruntime.
    Source: ONNX RoiAlign-16, -22; He et al. 2017.
    """
    if mode not in ("avg", "max"):
        raise InvalidInputError(f"the mode {mode!r} is not known; use avg or max.")
    half = coordinate_transformation_mode == "half_pixel"
    Y = np.empty((len(rois), X.shape[1], output_height, output_width), X.dtype)
    for number, (roi, batch) in enumerate(zip(rois, batch_indices, strict=True)):
        x1, y1, x2, y2 = roi * X.dtype.type(spatial_scale) - X.dtype.type(0.5 if half else 0)
        down = _cells(y1, y2, output_height, sampling_ratio, X.shape[2], half)
        right = _cells(x1, x2, output_width, sampling_ratio, X.shape[3], half)
        Y[number] = _means(X[batch], down, right) if mode == "avg" else _maxima(X[batch], down, right)
    return (Y,)


def _means(x: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
    rows, columns = (weights.sum(axis=(0, 2)) / max(weights.shape[2], 1) for weights in (down, right))
    return np.asarray(rows @ x @ columns.T)


def _maxima(x: np.ndarray, down: np.ndarray, right: np.ndarray) -> np.ndarray:
    (_, cells, samples, H), (_, other_cells, other_samples, W) = down.shape, right.shape
    corners = [rows.reshape(-1, H) @ x @ columns.reshape(-1, W).T for rows in down for columns in right]
    apart = np.reshape(corners, (4, len(x), cells, samples, other_cells, other_samples))
    return np.asarray(apart.max(axis=(0, 3, 5))) if apart.size else np.zeros(())


def _cells(start: np.floating, end: np.floating, cells: int, ratio: int, size: int, half: bool) -> np.ndarray:
    """(2, cells, samples, size): how much each element counts for each sample of each cell along one axis, being before or behind it.

    Nothing counts for samples beyond the picture.
    """
    extent = end - start if half else max(end - start, start.dtype.type(1))
    samples = ratio or max(int(np.ceil(extent / cells)), 0)
    places = start + (np.arange(cells * samples) + 0.5) * (extent / cells) / max(samples, 1)
    inside = (places >= -1) & (places <= size)
    places = np.clip(places, 0, size - 1)
    low = np.floor(places).astype(np.intp)
    weights, rows = np.zeros((2, len(places), size), start.dtype), np.arange(len(places))
    weights[0, rows, low] = (1 - (places - low)) * inside
    weights[1, rows, np.minimum(low + 1, size - 1)] = (places - low) * inside
    return weights.reshape(2, cells, samples, size)


@kernel("MaxRoiPool", since=1)
def max_roi_pool(X: np.ndarray, rois: np.ndarray, *, pooled_shape: Sequence[int], spatial_scale: float = 1.0) -> Result:
    """Y[r] = maximum over each of pooled_shape cells of region r; 0 for a cell beyond the picture.

    X: (N, C, H, W); rois: (R, 5) of picture, x1, y1, x2, y2, times spatial_scale and rounded the first and last elements.
    Source: ONNX MaxRoiPool-1, -22; Girshick 2015.
    """
    Y = np.zeros((len(rois), X.shape[1], *pooled_shape), X.dtype)
    for number, (batch, *corners) in enumerate(rois):
        x1, y1, x2, y2 = (int(np.floor(corner * spatial_scale + 0.5)) for corner in corners)
        down, right = _parts(y1, y2, pooled_shape[0], X.shape[2]), _parts(x1, x2, pooled_shape[1], X.shape[3])
        for (row, rows), (column, columns) in ((one, other) for one in enumerate(down) for other in enumerate(right)):
            cell = X[int(batch), :, rows, columns]
            if cell.size:
                Y[number, :, row, column] = cell.max(axis=(1, 2))
    return (Y,)


def _parts(first: int, last: int, cells: int, size: int) -> list[slice]:
    """The elements of each cell, which may share one at their ends."""
    step = max(last - first + 1, 1) / cells
    bounds = [(first + int(np.floor(cell * step)), first + int(np.ceil((cell + 1) * step))) for cell in range(cells)]
    return [slice(min(max(start, 0), size), min(max(end, 0), size)) for start, end in bounds]
