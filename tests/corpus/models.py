"""The real models of tests/data/models: what is stored of each, and what somebody gets who trains one by the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pagetrain import CheckpointState, Module, Optimizer

DATA = Path(__file__).parents[1] / "data" / "models"
MODES = ("last", "block", "all")
LOSSES = {"ce": "CrossEntropyLoss", "bce": "BCEWithLogitsLoss", "mse": "MSELoss"}


@dataclass(frozen=True)
class RealModel:
    """One model with what onnxruntime and float64 autograd gave for it."""

    entry: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return str(self.entry["name"])

    @property
    def path(self) -> Path:
        return DATA / self.entry["file"]

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        with np.load(DATA / f"{self}.npz") as stored:
            return dict(stored)

    def stored(self, kind: str) -> dict[str, np.ndarray]:
        """{name: array} of "inputs", "outputs" (loss_on among them) or "grads"."""
        return {name: self.arrays[key] for name, key in self.entry["arrays"][kind].items()}

    def trainable(self, mode: str) -> list[str]:
        return list(self.entry[f"trainable_{mode}"])

    def without_dropping(self, folder: Path) -> Path:
        """The model's file; with Dropout as the identity, as for the stored values, where it was exported to drop by chance."""
        import onnx

        proto = onnx.load(self.path, load_external_data=False)
        dropping = [node for node in proto.graph.node if node.op_type == "Dropout" and len(node.input) > 2]
        if not dropping:
            return self.path
        for node in dropping:
            del node.input[1:]
        onnx.save(proto, folder / self.path.name)
        return folder / self.path.name

    def generate(self, mode: str, folder: Path) -> None:
        """The artifacts by `artifacts_tool generate`, which finds what the loss belongs on; only for MSE it is told."""
        from artifacts_tool.cli import main

        names, loss = ",".join(self.trainable(mode)), LOSSES[self.entry["loss"]]
        command = ["generate", str(self.without_dropping(folder.parent)), "--trainable", names, "--loss", loss, "--out", str(folder)]
        assert main([*command, *(["--loss-input-names", self.entry["loss_on"]] if loss == "MSELoss" else [])]) == 0


class Training:
    """Module and Optimizer on generated artifacts, fed with the stored batch. suffix: of the graphs' files, "ort" or "onnx"."""

    def __init__(self, model: RealModel, folder: Path, suffix: str) -> None:
        self.state = CheckpointState.load_checkpoint(folder / "checkpoint")
        train, evaluate, optimize = (_graph(folder / f"{stem}_model.{suffix}") for stem in ("training", "eval", "optimizer"))
        self.module = Module(train, self.state, evaluate)
        self.optimizer = Optimizer(optimize, self.module)
        inputs = model.stored("inputs")
        self.feeds = [inputs.get(name, model.arrays["labels"]) for name in self.module.input_names()]

    def step(self) -> tuple[float, np.ndarray]:
        """(loss, logits) of a training step."""
        loss, logits = self.module(*self.feeds)
        return float(loss.reshape(())), logits

    @property
    def gradients(self) -> dict[str, np.ndarray]:
        return {name: parameter.grad for name, parameter in self.state.parameters if parameter.requires_grad}


def _graph(path: Path) -> Any:
    from artifacts_tool.onnx_io import read

    return read(path) if path.suffix == ".onnx" else path


MODELS = [RealModel(entry) for entry in json.loads((DATA / "models.json").read_text(encoding="utf-8"))]
