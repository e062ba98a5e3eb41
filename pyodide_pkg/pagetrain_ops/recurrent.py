"""RNN, GRU and LSTM."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pagetrain.kernels.product import product
from pagetrain.kernels.registry import kernel

from ._unroll import Cell, States, direction_count, unroll, workspace_of_unroll
from .gates import Activation, activations_of

Result = tuple[np.ndarray, ...]


@kernel("RNN", since=14, workspace=workspace_of_unroll)
def rnn(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None = None,
    sequence_lens: np.ndarray | None = None,
    initial_h: np.ndarray | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] = ("Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
) -> Result:
    """(Y, Y_h): H = f(X W^T + H R^T + Wb + Rb) at each step.

    X: (T, N, I); W: (D, H, I); R: (D, H, H); B: (D, 2 H); Y: (T, D, N, H); Y_h, initial_h: (D, N, H); D = 2 if bidirectional. layout 1
    puts N first. Source: ONNX RNN-14, -22.
    """
    functions = activations_of(activations, activation_alpha, activation_beta, ("Tanh",), direction_count(direction), clip)

    def cell(way: int, gates: np.ndarray, states: States) -> States:
        return (functions[way][0](gates + product(states[0], R[way].T)),)

    return unroll(X, W, summed(B), sequence_lens, [initial_h], R.shape[2], direction, layout, cell)


@kernel("GRU", since=14, workspace=workspace_of_unroll)
def gru(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None = None,
    sequence_lens: np.ndarray | None = None,
    initial_h: np.ndarray | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
) -> Result:
    """(Y, Y_h): H = (1 - z) h + z H with z, r = f(x + H R^T), h = g(x + (r H) R^T), each x = X W^T + Wb + Rb, gates in the order z, r, h.

    With linear_before_reset h = g(X W^T + Wb + r (H R^T + Rb)). W: (D, 3 H, I); R: (D, 3 H, H); B: (D, 6 H); others as in RNN.
    Source: ONNX GRU-14, -22; Cho et al. 2014.
    """
    functions = activations_of(activations, activation_alpha, activation_beta, ("Sigmoid", "Tanh"), direction_count(direction), clip)
    size = R.shape[2]
    bias, inner = summed(B), None
    if B is not None and bias is not None and linear_before_reset:
        inner = B[:, 5 * size :]
        bias[:, 2 * size :] -= inner

    def cell(way: int, gates: np.ndarray, states: States) -> States:
        (H,), (f, g) = states, functions[way]
        z, r = np.split(f(gates[:, : 2 * size] + product(H, R[way, : 2 * size].T)), 2, axis=1)
        into = R[way, 2 * size :].T
        if linear_before_reset:
            recurrent = product(H, into)
            recurrent = r * (recurrent if inner is None else recurrent + inner[way])
        else:
            recurrent = product(r * H, into)
        return ((1 - z) * g(gates[:, 2 * size :] + recurrent) + z * H,)

    return unroll(X, W, bias, sequence_lens, [initial_h], size, direction, layout, cell)


@kernel("LSTM", since=14, workspace=workspace_of_unroll)
def lstm(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None = None,
    sequence_lens: np.ndarray | None = None,
    initial_h: np.ndarray | None = None,
    initial_c: np.ndarray | None = None,
    P: np.ndarray | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
    layout: int = 0,
) -> Result:
    """(Y, Y_h, Y_c): C = f C + i c, H = o h(C) with i, o, f, c = X W^T + H R^T + Wb + Rb through sigmoids and, for c, tanh.

    P: (D, 3 H), peepholes: i and f see Pi C, Pf C of the step before, o sees Po C of this one. input_forget: f = 1 - i. W: (D, 4 H, I),
    R: (D, 4 H, H), B: (D, 8 H), gates in the order i, o, f, c; others as in RNN. Source: ONNX LSTM-14, -22; Gers and Schmidhuber 2000.
    """
    defaults = ("Sigmoid", "Tanh", "Tanh")
    functions = activations_of(activations, activation_alpha, activation_beta, defaults, direction_count(direction), clip)
    cell = lstm_cell(functions, R, P, input_forget, product)
    return unroll(X, W, summed(B), sequence_lens, [initial_h, initial_c], R.shape[2], direction, layout, cell)


def lstm_cell(
    functions: Sequence[Sequence[Activation]],
    R: np.ndarray,
    P: np.ndarray | None,
    input_forget: int,
    recurrent: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> Cell:
    """A step of LSTM. recurrent(H, R^T): the product of the last output with the weights."""
    peepholes = np.zeros((R.shape[0], 3 * R.shape[2]), R.dtype) if P is None else P

    def cell(way: int, gates: np.ndarray, states: States) -> States:
        (H, C), (f, g, h) = states, functions[way]
        for_i, for_o, for_f = np.split(peepholes[way], 3)
        i, o, forget, c = np.split(gates + recurrent(H, R[way].T), 4, axis=1)
        i = f(i + for_i * C)
        forget = 1 - i if input_forget else f(forget + for_f * C)
        C = forget * C + i * g(c)
        return f(o + for_o * C) * h(C), C

    return cell


def summed(B: np.ndarray | None) -> np.ndarray | None:
    """Wb + Rb."""
    return None if B is None else B[:, : B.shape[1] // 2] + B[:, B.shape[1] // 2 :]


@kernel("RNN", since=7, workspace=workspace_of_unroll)
def rnn_7(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None = None,
    sequence_lens: np.ndarray | None = None,
    initial_h: np.ndarray | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] = ("Tanh", "Tanh"),
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
) -> Result:
    """As RNN-14 without layout. Source: ONNX RNN-7."""
    named = {"activation_alpha": activation_alpha, "activation_beta": activation_beta}
    return rnn(X, W, R, B, sequence_lens, initial_h, activations=activations, clip=clip, direction=direction, **named)


@kernel("GRU", since=7, workspace=workspace_of_unroll)
def gru_7(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None = None,
    sequence_lens: np.ndarray | None = None,
    initial_h: np.ndarray | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    linear_before_reset: int = 0,
) -> Result:
    """As GRU-14 without layout. Source: ONNX GRU-7."""
    return gru(
        X,
        W,
        R,
        B,
        sequence_lens,
        initial_h,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        linear_before_reset=linear_before_reset,
    )


@kernel("LSTM", since=7, workspace=workspace_of_unroll)
def lstm_7(
    X: np.ndarray,
    W: np.ndarray,
    R: np.ndarray,
    B: np.ndarray | None = None,
    sequence_lens: np.ndarray | None = None,
    initial_h: np.ndarray | None = None,
    initial_c: np.ndarray | None = None,
    P: np.ndarray | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
) -> Result:
    """As LSTM-14 without layout. Source: ONNX LSTM-7."""
    return lstm(
        X,
        W,
        R,
        B,
        sequence_lens,
        initial_h,
        initial_c,
        P,
        activation_alpha=activation_alpha,
        activation_beta=activation_beta,
        activations=activations,
        clip=clip,
        direction=direction,
        input_forget=input_forget,
    )
