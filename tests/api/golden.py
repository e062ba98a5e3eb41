"""The traces of the real ONNX Runtime, and a trainer on the same artifacts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from pagetrain import CheckpointState, Module, Optimizer

DATA = Path(__file__).parents[1] / "data" / "golden"
TRACES = (
    "mlp_ce_adamw_frozen",
    "mlp_mse_sgd",
    "mlp_bce_adamw_sched",
    "mlp_l1_sgd_accum",
    "dwconv_relu6_gap",
    "mlp_dropout0",
    "custom_two_mse",
    "mlp_clipgrad",
    "attention_block",
    "cnn_bn_pool_ce",
)


class Golden:
    """One folder of tests/data/golden."""

    def __init__(self, name: str) -> None:
        self.name, self.folder = name, DATA / name
        self.meta: dict[str, Any] = json.loads((self.folder / "meta.json").read_text())
        with np.load(self.folder / "trace.npz") as trace:
            self.trace: dict[str, np.ndarray] = dict(trace)

    def path(self, name: str) -> Path:
        return self.folder / name

    def batch(self, step: int) -> list[np.ndarray]:
        return [self.trace[f"in/{step}/{name}"] for name in self.meta["user_inputs"]]

    def feeds(self, step: int) -> dict[str, np.ndarray]:
        return dict(zip(self.meta["user_inputs"], self.batch(step), strict=True))

    def trainer(self, checkpoint: str = "checkpoint", suffix: str = "ort") -> tuple[Module, Optimizer]:
        """Module and Optimizer on the .ort files, or on the .onnx files, learning rate set."""
        state = CheckpointState.load_checkpoint(self.path(checkpoint))
        module = Module(self.path(f"training_model.{suffix}"), state, self.path(f"eval_model.{suffix}"))
        optimizer = Optimizer(self.path(f"optimizer_model.{suffix}"), module)
        optimizer.set_learning_rate(self.trace["lr"][0])
        return module, optimizer

    def initial_parameters(self) -> np.ndarray:
        """What the full checkpoint holds, in the buffer's order."""
        return self.trainer()[0].get_contiguous_parameters()


def assert_close(ours: Any, theirs: Any) -> None:
    """rtol 1e-4, atol 5e-5: input noise of relative size 1e-6, as another order of sums makes, moves the traces by up to 3e-5."""
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=5e-5)
