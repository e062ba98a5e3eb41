"""What the replay cannot show of RNN, GRU and LSTM: the layout with the batch first, and what is refused."""

import numpy as np
import pytest

from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain_ops.recurrent import gru, lstm, rnn
from tests.cases.recurrent import inputs

KERNELS = {"RNN": rnn, "GRU": gru, "LSTM": lstm}


@pytest.mark.parametrize("op", KERNELS)
def test_layout_1_is_layout_0_with_the_batch_first(op: str) -> None:
    """For X, the initial states, Y and the last states; no released onnxruntime computes it."""
    given = inputs(op, 2, "Blhc")
    Y, *states = KERNELS[op](*given, direction="bidirectional")
    turned = [np.swapaxes(value, 0, 1) if value is not None and place in (0, 5, 6) else value for place, value in enumerate(given)]
    Y_turned, *states_turned = KERNELS[op](*turned, direction="bidirectional", layout=1)
    np.testing.assert_array_equal(Y_turned, Y.transpose(2, 0, 1, 3))
    for state, other in zip(states, states_turned, strict=True):
        np.testing.assert_array_equal(other, state.swapaxes(0, 1))


def test_unknown_words_are_refused() -> None:
    """direction and activations have closed vocabularies, and each direction needs its functions."""
    given = inputs("LSTM")
    with pytest.raises(InvalidInputError, match="direction is 'sideways'"):
        lstm(*given, direction="sideways")
    with pytest.raises(UnsupportedOpError, match="'Gelu'"):
        lstm(*given, activations=["Gelu", "Tanh", "Tanh"])
    with pytest.raises(InvalidInputError, match="There are 1 activations, 3 for each of 1"):
        lstm(*given, activations=["Tanh"])
