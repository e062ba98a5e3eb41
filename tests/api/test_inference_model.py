"""Module.export_model_for_inferencing: what it refuses. What onnx and onnxruntime make of the file: test_inference_model_oracle.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagetrain import CheckpointState, Module
from pagetrain.errors import InvalidInputError, StateError
from tests.api.golden import Golden


def test_values_that_cannot_be_exported_are_named(tmp_path: Path) -> None:
    """An unknown one, an input, and none at all: an error, and no file."""
    module, _ = Golden("mlp_ce_adamw_frozen").trainer()
    for names, told in ((["logits", "lgits"], "'lgits'"), (["input"], "'input'"), ([], "nothing"), ("logits", "the text 'logits'")):
        with pytest.raises(InvalidInputError, match=told):
            module.export_model_for_inferencing(tmp_path / "m.onnx", names)
    assert not list(tmp_path.iterdir())


def test_it_needs_an_eval_model_and_values(tmp_path: Path) -> None:
    """Without either: StateError, and no file."""
    golden = Golden("mlp_ce_adamw_frozen")
    state = CheckpointState.load_checkpoint(golden.path("checkpoint"))
    nominal, _ = golden.trainer("nominal_checkpoint")
    for module in (Module(golden.path("training_model.ort"), state), nominal):
        with pytest.raises(StateError):
            module.export_model_for_inferencing(tmp_path / "m.onnx", ["logits"])
    assert not list(tmp_path.iterdir())
