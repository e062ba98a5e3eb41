"""What the replay cannot show of DynamicQuantizeLSTM: several sequences, for which onnxruntime's result depends on its threads."""

import numpy as np

from pagetrain_ops.quantized_lstm import dynamic_quantize_lstm
from tests.cases.quantized_lstm import inputs


def test_a_sequence_does_not_depend_on_its_neighbours() -> None:
    """Whose numbers span the same range, so that X is rounded alike."""
    X, *weights = inputs(1, each_column=False)
    assert X is not None
    both = np.concatenate((X, X[:, :, ::-1]), axis=1)
    found = dynamic_quantize_lstm(both, *weights)
    for place in (0, 1):
        alone = dynamic_quantize_lstm(both[:, place : place + 1], *weights)
        np.testing.assert_allclose(found[0][:, :, place : place + 1], alone[0], rtol=1e-6, atol=1e-7)
