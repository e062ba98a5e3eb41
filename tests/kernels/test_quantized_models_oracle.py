"""Whole models, quantised by onnxruntime and optimised by it, give what they give there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

from artifacts_tool.onnx_io import read
from pagetrain import executor, plan

pytestmark = pytest.mark.oracle
MODELS = Path(__file__).parents[1] / "data" / "models"
NAMES = ("keras_cnn", "lstm_ts13", "mlp_ts13", "mbv3_ts17")
FOR_ONE_PROCESSOR = "NchwcTransformer"  # onnxruntime's own converter to .ort leaves it out too
STEP = 1.01 / 255
Optimization = onnxruntime.GraphOptimizationLevel


class Pictures(CalibrationDataReader):
    """Two batches of noise in the shape of the model's input, an open size being 2."""

    def __init__(self, path: Path) -> None:
        (taken,) = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).get_inputs()
        shape = [size if isinstance(size, int) else 2 for size in taken.shape]
        self.feeds = {taken.name: np.random.default_rng(1).random(shape, np.float32)}
        self._left: Iterator[Mapping[str, np.ndarray]] = iter([self.feeds, self.feeds])

    def get_next(self) -> Mapping[str, np.ndarray] | None:
        return next(self._left, None)


@pytest.mark.parametrize("level", [Optimization.ORT_DISABLE_ALL, Optimization.ORT_ENABLE_ALL], ids=["plain", "optimised"])
@pytest.mark.parametrize("kind", [QuantFormat.QDQ, QuantFormat.QOperator, None], ids=["QDQ", "QOperator", "dynamic"])
@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_onnxruntime_s(name: str, kind: QuantFormat | None, level: Optimization, tmp_path: Path) -> None:
    """Whole numbers are exact, and so are most outputs; a Softmax may round to the next of its 255 steps."""
    source, quantised, optimised = MODELS / f"{name}.onnx", tmp_path / "quantised.onnx", tmp_path / "optimised.onnx"
    pictures = Pictures(source)
    if kind is None:
        quantize_dynamic(source, quantised)
    else:
        types = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
        quantize_static(source, quantised, pictures, quant_format=kind, per_channel=True, **types)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2  # one for each sequence of an LSTM, whose states are then rounded apart
    options.graph_optimization_level, options.optimized_model_filepath, options.log_severity_level = level, str(optimised), 3
    session = onnxruntime.InferenceSession(quantised, options, providers=["CPUExecutionProvider"], disabled_optimizers=[FOR_ONE_PROCESSOR])
    (expected,) = session.run(None, pictures.feeds)
    (found,) = executor.run(plan.bind(read(optimised).graph), pictures.feeds).values()
    np.testing.assert_allclose(found, expected, rtol=0, atol=STEP if kind else 1e-6)
