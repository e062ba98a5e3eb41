"""Spectra: DFT, STFT, MelWeightMatrix, and the windows HannWindow, HammingWindow, BlackmanWindow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagetrain.kernels.casting import dtype_of
from pagetrain.kernels.registry import kernel, per_element

Result = tuple[np.ndarray, ...]


@kernel("DFT", since=17, workspace=per_element({}, {0: 16}))
def dft_17(input: np.ndarray, dft_length: np.ndarray | None = None, *, axis: int = 1, inverse: int = 0, onesided: int = 0) -> Result:
    """As DFT-20 with axis as an attribute. Source: ONNX DFT-17."""
    return (_transformed(input, dft_length, axis, inverse, onesided),)


@kernel("DFT", since=20, workspace=per_element({}, {0: 16}))
def dft(
    input: np.ndarray, dft_length: np.ndarray | None = None, axis: np.ndarray | None = None, *, inverse: int = 0, onesided: int = 0
) -> Result:
    """output = the discrete Fourier transform along axis (default -2), or its inverse; the last axis is (real) or (real, imaginary).

    dft_length: the signal is cut or filled with zeros to it. onesided: the first half of the spectrum of a real signal, whose inverse is
    real. Source: ONNX DFT-20.
    """
    return (_transformed(input, dft_length, -2 if axis is None else int(axis.item()), inverse, onesided),)


def _transformed(X: np.ndarray, length: np.ndarray | None, axis: int, inverse: int, onesided: int) -> np.ndarray:
    place, size = axis % X.ndim, None if length is None else int(length.item())
    if onesided and inverse:
        return np.fft.irfft(_complex(X), size, place).astype(X.dtype)[..., None]
    if onesided:
        return _pairs(np.fft.rfft(X[..., 0], size, place), X.dtype)
    return _pairs((np.fft.ifft if inverse else np.fft.fft)(_complex(X), size, place), X.dtype)


def _complex(X: np.ndarray) -> np.ndarray:
    return X[..., 0] + 1j * X[..., 1] if X.shape[-1] == 2 else X[..., 0]


def _pairs(X: np.ndarray, dtype: np.dtype) -> np.ndarray:
    pairs = np.empty((*X.shape, 2), dtype)
    pairs[..., 0], pairs[..., 1] = X.real, X.imag
    return pairs


@kernel("STFT", since=17, workspace=per_element({}, {0: 18}))
def stft(
    signal: np.ndarray,
    frame_step: np.ndarray,
    window: np.ndarray | None = None,
    frame_length: np.ndarray | None = None,
    *,
    onesided: int = 1,
) -> Result:
    """output[n, t] = DFT(window signal[n, t frame_step : t frame_step + frame_length]), its first half if onesided.

    signal: (N, L, 1) or (N, L, 2) as (real, imaginary); window (default: ones): (frame_length,); output: (N, frames, places, 2).
    Source: ONNX STFT-17.
    """
    x, step = _complex(signal), int(frame_step.item())
    told = signal.shape[1] if window is None else len(window)
    length = told if frame_length is None else int(frame_length.item())
    starts = np.arange(0, signal.shape[1] - length + 1, step)
    frames = x[:, starts[:, None] + np.arange(length)]
    if window is not None:
        frames = frames * window
    return (_pairs(np.fft.rfft(frames.real) if onesided else np.fft.fft(frames), signal.dtype),)


@kernel("MelWeightMatrix", since=17, any_type=True)
def mel_weight_matrix(
    num_mel_bins: np.ndarray,
    dft_length: np.ndarray,
    sample_rate: np.ndarray,
    lower_edge_hertz: np.ndarray,
    upper_edge_hertz: np.ndarray,
    *,
    output_datatype: int = 1,
) -> Result:
    """output: (dft_length // 2 + 1, num_mel_bins), each column a triangle over places of the spectrum that are even on the mel scale.

    mel(f) = 2595 log10(1 + f / 700). The corners of the triangles are whole places. Source: ONNX MelWeightMatrix-17.
    """
    bins, length = int(num_mel_bins.item()), int(dft_length.item())
    low, high = (2595 * np.log10(1 + edge.item() / 700) for edge in (lower_edge_hertz, upper_edge_hertz))
    mels = low + np.arange(bins + 2) * (high - low) / (bins + 2)
    corners = np.floor((length + 1) * 700 * (10 ** (mels / 2595) - 1) / sample_rate.item()).astype(np.int64)
    places = np.arange(length // 2 + 1)[:, None]
    left, peak, right = corners[:-2], corners[1:-1], corners[2:]
    rising = (places - left) / np.maximum(peak - left, 1)
    falling = (right - places) / np.maximum(right - peak, 1)
    weights = np.where(places < peak, np.maximum(rising, 0), np.where(places > peak, np.maximum(falling, 0), 1))
    return (weights.astype(dtype_of(output_datatype)),)


@kernel("HannWindow", since=17)
def hann_window(size: np.ndarray, *, output_datatype: int = 1, periodic: int = 1) -> Result:
    """output[i] = 0.5 - 0.5 cos(2 pi i / n), n = size if periodic, else size - 1. Source: ONNX HannWindow-17."""
    return (_cosines(size, (0.5, -0.5), output_datatype, periodic),)


@kernel("HammingWindow", since=17)
def hamming_window(size: np.ndarray, *, output_datatype: int = 1, periodic: int = 1) -> Result:
    """output[i] = 25/46 - 21/46 cos(2 pi i / n), n = size if periodic, else size - 1. Source: ONNX HammingWindow-17."""
    return (_cosines(size, (25 / 46, -21 / 46), output_datatype, periodic),)


@kernel("BlackmanWindow", since=17)
def blackman_window(size: np.ndarray, *, output_datatype: int = 1, periodic: int = 1) -> Result:
    """output[i] = 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n), n = size if periodic, else size - 1.

    Source: ONNX BlackmanWindow-17.
    """
    return (_cosines(size, (0.42, -0.5, 0.08), output_datatype, periodic),)


def _cosines(size: np.ndarray, factors: Sequence[float], element: int, periodic: int) -> np.ndarray:
    count = int(size.item())
    turns = 2 * np.pi * np.arange(count) / (count if periodic else count - 1)
    return np.asarray(sum(factor * np.cos(order * turns) for order, factor in enumerate(factors))).astype(dtype_of(element))
