"""Artifacts made here, run by pagetrain, against traces of the real trainer on artifacts of the real generator."""

import numpy as np
import pytest

from artifacts_tool.ort_writer import to_ort
from pagetrain import CheckpointState, Module, Optimizer

pytestmark = pytest.mark.oracle

# The real trainer's own replays agree to 3e-8; relative input noise of 1e-6 moves no stored value by more than 3e-5: this tells errors
# from rounding.
CLOSE = {"rtol": 1e-4, "atol": 5e-5}


@pytest.fixture
def trainer(golden):
    """(module, optimizer, state) from .ort files made here."""
    artifacts = golden.build()
    state = CheckpointState.load_checkpoint(artifacts.checkpoint())
    models = {stem: to_ort(model) for stem, model in artifacts.models().items()}
    module = Module(models["training_model"], state, models["eval_model"])
    return module, Optimizer(models["optimizer_model"], module), state


def test_training_follows_the_real_trainer(golden, trainer):
    """Losses, additional outputs, gradients and parameters of every step that the trace holds, at the learning rates that it holds."""
    module, optimizer, state = trainer
    trace = np.load(golden.folder / "trace.npz")
    batches = [[trace[f"in/{step}/{name}"] for name in golden.meta["user_inputs"]] for step in range(golden.meta["steps"])]
    assert module.input_names() == golden.meta["user_inputs"]
    assert module.output_names() == golden.meta["outputs"]
    np.testing.assert_allclose(outputs(module.eval(), batches[0])[0], trace["eval_loss_before"], **CLOSE)
    module.train()
    for step, batch in enumerate(batches):
        loss, *extra = outputs(module, batch)
        np.testing.assert_allclose(loss, trace["loss"][step], **CLOSE)
        for name, value in zip(golden.meta["additional_output_names"] or (), extra, strict=True):
            np.testing.assert_allclose(value, trace[f"extra/{step}/{name}"], **CLOSE)
        compare(trace, f"grad_after_train_step/{step}", {name: p.grad for name, p in state.parameters})
        done, more = divmod(step + 1, golden.meta["accumulate"])
        if not more:
            optimizer.set_learning_rate(trace["lr"][done - 1])
            optimizer.step()
            compare(trace, f"param_after_opt/{done}", {name: p.data for name, p in state.parameters})
            compare(trace, f"grad_after_opt/{done}", {name: p.grad for name, p in state.parameters})
            module.lazy_reset_grad()
    compare(trace, "param_final", {name: p.data for name, p in state.parameters})
    np.testing.assert_allclose(outputs(module.eval(), batches[0])[0], trace["eval_loss_after"], **CLOSE)


def outputs(module, batch):
    """Always a tuple, as with several outputs."""
    results = module(*batch)
    return results if isinstance(results, tuple) else (results,)


def compare(trace, prefix, found):
    """Everything that the trace holds under the prefix; it holds the first two steps in full."""
    for key in trace:
        if key.startswith(f"{prefix}/"):
            np.testing.assert_allclose(found[key.removeprefix(f"{prefix}/")], trace[key], **CLOSE, err_msg=key)
