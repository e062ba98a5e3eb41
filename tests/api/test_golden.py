"""Whole trainings on ONNX Runtime's own files, .onnx and .ort (optimised by it, fused ops inside), give what ONNX Runtime computed."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import Module, Optimizer
from pagetrain.ortformat import model
from tests.api.golden import TRACES, Golden, assert_close

SUFFIXES = ("ort", "onnx")


def _replay(golden: Golden, module: Module, optimizer: Optimizer, *, from_cut: bool = False) -> None:
    """Every number of the trace: losses, extra outputs, gradients, parameters, eval losses, contiguous buffers."""
    trace, outputs = golden.trace, golden.meta["outputs"]
    _check_eval_loss(golden, module, "eval_loss_before")
    for step in range(golden.meta["steps"]):
        feeds = golden.feeds(step)
        if from_cut:
            data = module.input_names()[0]
            feeds |= module.run_prefix({data: feeds.pop(data)})
        results = module.train().train_step(feeds)
        assert list(results) == outputs == module.output_names()
        assert_close(results[outputs[0]], trace["loss"][step])
        for name in outputs[1:]:
            assert_close(results[name], trace[f"extra/{step}/{name}"])
        _check_state(golden, module, f"grad_after_train_step/{step}")
        done, more = divmod(step + 1, golden.meta["accumulate"])
        if not more:
            optimizer.set_learning_rate(trace["lr"][done - 1])  # of a scheduler, or one for all
            optimizer.step()
            _check_state(golden, module, f"param_after_opt/{done}")
            _check_state(golden, module, f"grad_after_opt/{done}")
            module.lazy_reset_grad()
    _check_state(golden, module, "param_final")
    _check_eval_loss(golden, module, "eval_loss_after")
    assert_close(module.get_contiguous_parameters(), trace["contiguous_all"])
    assert_close(module.get_contiguous_parameters(trainable_only=True), trace["contiguous_trainable"])


def _check_state(golden: Golden, module: Module, key: str) -> None:
    """The traces hold the first two steps and the end."""
    for name, theirs in golden.trace.items():
        if name.startswith(f"{key}/"):
            parameter = module.state.parameters[name.removeprefix(f"{key}/")]
            assert_close(parameter.grad if key.startswith("grad") else parameter.data, theirs)


def _check_eval_loss(golden: Golden, module: Module, key: str) -> None:
    loss = module.eval().eval_step(golden.feeds(0))[golden.meta["outputs"][0]]
    assert_close(loss, golden.trace[key])


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", TRACES)
def test_training_from_the_checkpoint_is_ort_s(name: str, suffix: str) -> None:
    """The plain loop."""
    golden = Golden(name)
    _replay(golden, *golden.trainer(suffix=suffix))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", TRACES)
def test_training_from_the_nominal_checkpoint_is_ort_s(name: str, suffix: str) -> None:
    """After copy_buffer_to_parameters with all parameters nothing tells the two apart."""
    golden = Golden(name)
    module, optimizer = golden.trainer("nominal_checkpoint", suffix)
    module.copy_buffer_to_parameters(golden.initial_parameters(), trainable_only=False)
    _replay(golden, module, optimizer)


@pytest.mark.parametrize("name", TRACES)
def test_training_on_kept_prefix_values_is_ort_s(name: str) -> None:
    """The frozen prefix, computed apart, changes no number."""
    golden = Golden(name)
    _replay(golden, *golden.trainer(), from_cut=True)


def test_the_traces_hold_what_is_compared() -> None:
    """So that a renamed key cannot make a comparison empty."""
    groups = (
        "grad_after_train_step/0",
        "grad_after_train_step/1",
        "param_after_opt/1",
        "param_after_opt/2",
        "grad_after_opt/1",
        "param_final",
    )
    for name in TRACES:
        present = {key.rpartition("/")[0] for key in Golden(name).trace}
        assert present.issuperset(groups), name


@pytest.mark.parametrize("name", TRACES)
def test_logits_need_no_labels(name: str) -> None:
    """Fetching from the eval model asks only for what the fetched values need, and gives what the exported model gave."""
    golden = Golden(name)
    module, _ = golden.trainer()
    module.copy_buffer_to_parameters(golden.trace["contiguous_all"], trainable_only=False)
    data = golden.meta["inference_inputs"][0]
    made = {name for node in model.load(golden.path("eval_model.ort").read_bytes()).graph.nodes for name in node.outputs}
    for output in made.intersection(golden.meta["infer_outputs"]):  # ORT has fused the logits of one away
        (result,) = module.eval_step({data: golden.feeds(0)[data]}, [output]).values()
        assert_close(result, golden.trace[f"inference/{output}"])


def test_accumulated_gradients_add_up() -> None:
    """Without lazy_reset_grad two equal steps give twice the gradient; after it the next step starts anew, once."""
    golden = Golden("mlp_ce_adamw_frozen")
    module, _ = golden.trainer()
    gradient = module.state.parameters["fc2.weight"]
    seen = []
    for reset in (False, False, True, False):
        if reset:
            module.lazy_reset_grad()
            assert gradient.grad is not None
            assert gradient.grad.any()  # still visible
        module(*golden.batch(0))
        assert gradient.grad is not None
        seen.append(gradient.grad.copy())
    for times, result in zip((1, 2, 1, 2), seen, strict=True):
        np.testing.assert_allclose(result, times * seen[0], rtol=1e-6)
