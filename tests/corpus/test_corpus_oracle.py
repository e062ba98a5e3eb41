"""Real models of many exporters and opsets: artifacts are made and trained, with onnxruntime's outputs and float64 autograd's gradients."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from artifacts_tool.forward import prepare
from artifacts_tool.onnx_io import read
from pagetrain import executor
from pagetrain.plan import bind

from .float64 import WideGraph
from .models import MODELS, MODES, RealModel, Training

pytestmark = pytest.mark.oracle

RUNS = [pytest.param(model, mode, id=f"{model}-{mode}") for model in MODELS for mode in MODES]
# Float32 against float64. Measured: 5e-7 for losses, 3e-6 for outputs, 2e-6 for gradients.
LOSS, OUTPUTS, GRADIENTS = 1e-5, 2e-5, 1e-5
# ppocr_cls_o11 is that sensitive: float32 moves its gradients by 5e-4. All others: 9e-7.
WIDE_GRADIENTS = 1e-3
RATE = 1e-4

Made = Callable[[RealModel, str], Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The folder of a model's artifacts in a mode, made once."""
    folders: dict[tuple[str, str], Path] = {}

    def find(model: RealModel, mode: str) -> Path:
        key = (str(model), mode)
        if key not in folders:
            folder = tmp_path_factory.mktemp("_".join(key)) / "artifacts"
            model.generate(mode, folder)
            folders[key] = folder
        return folders[key]

    return find


def largest(arrays: dict[str, np.ndarray]) -> float:
    return max(float(np.abs(array).max()) for array in arrays.values())


def assert_near(found: np.ndarray, expected: np.ndarray, scale: float, tolerance: float, what: str = "") -> None:
    """tolerance: of `scale`, say the largest number of a whole model."""
    assert found.shape == expected.shape, what
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale, err_msg=what)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_outputs_are_onnxruntimes(model: RealModel, tmp_path: Path) -> None:
    """Every output of the model as exported, by our kernels."""
    graph = prepare(read(model.without_dropping(tmp_path))).graph
    stored = model.stored("outputs")
    outputs = executor.run(bind(graph, [value.name for value in graph.outputs]), model.stored("inputs"))
    assert outputs
    for name, array in outputs.items():
        assert_near(np.asarray(array), stored[name], max(1e-3, float(np.abs(stored[name]).max())), OUTPUTS, name)


@pytest.mark.parametrize("model,mode", RUNS)
def test_the_first_step_is_the_stored_one(model: RealModel, mode: str, made: Made) -> None:
    """Loss, logits and every stored gradient; bit for bit the same from .ort and .onnx graphs; the loss in evaluation too."""
    ort, onnx = (Training(model, made(model, mode), suffix) for suffix in ("ort", "onnx"))
    loss, logits = ort.step()
    assert loss == pytest.approx(model.entry["loss_value"], rel=LOSS)
    expected = model.stored("outputs")[model.entry["loss_on"]]
    assert_near(logits, expected, float(np.abs(expected).max()), OUTPUTS)
    stored = model.stored("grads")
    compared = [name for name in stored if name in ort.gradients]
    assert set(compared) == set(model.trainable(mode)) & set(stored)
    assert set(model.trainable("last")) <= set(compared)
    for name in compared:
        assert_near(ort.gradients[name], stored[name], largest(stored), GRADIENTS, name)
    assert onnx.step()[0] == loss
    assert all(np.array_equal(gradient, onnx.gradients[name]) for name, gradient in ort.gradients.items())
    if not str(model).endswith("_train"):  # those measure statistics in training alone
        assert float(ort.module.eval()(*ort.feeds)[0].reshape(())) == pytest.approx(loss, rel=LOSS)


@pytest.mark.parametrize("model,mode", RUNS)
def test_three_steps_lower_the_loss(model: RealModel, mode: str, made: Made) -> None:
    """On one batch: AdamW's first steps move each weight by about the rate against its gradient's sign, which lowers the loss by the rate
    times the sum of all |gradients|. At this rate what curvature takes back is less, and the rest is more than float32's resolution."""
    training = Training(model, made(model, mode), "ort")
    training.optimizer.set_learning_rate(RATE)
    losses = []
    for _ in range(3):
        losses.append(training.step()[0])
        training.optimizer.step()
        training.module.lazy_reset_grad()
    losses.append(training.step()[0])
    assert np.isfinite(losses).all()
    assert (np.diff(losses) < 0).all(), losses


@pytest.mark.parametrize("mode", ["block", "all"])
@pytest.mark.parametrize("model", [model for model in MODELS if model.entry["grads_for"] == "last"], ids=str)
def test_gradients_that_are_not_stored_are_slopes(model: RealModel, mode: str, made: Made) -> None:
    """In float64 the training graph's gradients, along a random direction that weighs all parameters alike, are the slope of its loss; and
    the float32 ones are the same."""
    training = Training(model, made(model, mode), "ort")
    parameters = {name: parameter.data.copy() for name, parameter in training.state.parameters}
    wide = WideGraph(
        read(made(model, mode) / "training_model.onnx").graph,
        {**dict(zip(training.module.input_names(), training.feeds, strict=True)), **parameters},
    )
    gradients = wide.gradients(model.trainable(mode))
    norms = {name: float(np.linalg.norm(gradient)) for name, gradient in gradients.items()}
    rng = np.random.default_rng(0)
    direction = {
        name: rng.standard_normal(gradient.shape) / np.sqrt(gradient.size) / (norms[name] / max(norms.values()) + 1e-3)
        for name, gradient in gradients.items()
    }
    along = sum(float(np.vdot(gradient, direction[name])) for name, gradient in gradients.items())
    assert wide.slope(direction) == pytest.approx(along, rel=1e-6)  # measured: 2e-7
    training.step()
    for name, gradient in gradients.items():
        assert_near(training.gradients[name], gradient, largest(gradients), WIDE_GRADIENTS, name)
