"""compat: code written for onnxruntime runs under its own imports."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import numpy as np
import pytest

from pagetrain import compat
from pagetrain.errors import InvalidInputError, ShapeMismatchError, StateError
from tests.api.golden import TRACES, Golden, assert_close
from tests.ort_training.replay import train


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where the real onnxruntime is not."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(compat, "find_spec", lambda name: None)
    compat.install()
    yield
    compat.uninstall()


@pytest.mark.parametrize("suffix", ["onnx", "ort"])
@pytest.mark.parametrize("name", TRACES)
@pytest.mark.usefixtures("installed")
def test_a_training_runs_unchanged(name: str, suffix: str) -> None:
    """The very function that the real package runs in its own environment, with api imported as there."""
    from onnxruntime.training import api  # type: ignore[attr-defined, unused-ignore]

    golden = Golden(name)
    found = train(api, golden.folder, golden.folder, suffix)
    shared = found.keys() & golden.trace.keys()
    assert {"loss", "eval_loss_before", "eval_loss_after"} <= shared
    for key in shared:
        assert_close(found[key], golden.trace[key])


SCRIPT = """
import numpy as np
import onnxruntime as ort
from onnxruntime import InferenceSession, OrtValue
from onnxruntime.training.api import CheckpointState, LinearLRScheduler, Module, Optimizer
from onnxruntime.training.api.checkpoint_state import Parameter

options = ort.SessionOptions()
options.intra_op_num_threads = 1
options.add_free_dimension_override_by_name("batch", len(inputs))
options.add_free_dimension_override_by_denotation("DATA_BATCH", len(inputs))
run_options = ort.RunOptions()
run_options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
state = CheckpointState.load_checkpoint(checkpoint_uri=folder + "/nominal_checkpoint")
module = Module(folder + "/training_model.onnx", state, folder + "/eval_model.onnx", device="cpu", session_options=options)
optimizer = Optimizer(optimizer_uri=folder + "/optimizer_model.onnx", module=module)
size = module.get_parameters_size(trainable_only=False)
buffer = OrtValue.ortvalue_from_numpy(np.full(size, 0.01, np.float32))
module.copy_buffer_to_parameters(buffer._ortvalue, trainable_only=False)
scheduler = LinearLRScheduler(optimizer, 1, 10, 0.1)
for _ in range(3):
    module.train()
    outputs = module(OrtValue.ortvalue_from_numpy(inputs), OrtValue.ortvalue_from_numpy(labels))
    optimizer.step()
    scheduler.step()
    module.lazy_reset_grad()
moved = module.get_contiguous_parameters(trainable_only=False).numpy()
module.export_model_for_inferencing(target, ["logits"])
session = InferenceSession(target, options, providers=ort.get_available_providers())
(logits,) = session.run(None, {session.get_inputs()[0].name: inputs}, run_options)
assert run_options.get_run_config_entry("memory.enable_memory_arena_shrinkage") == "cpu:0"
(again,) = session.run_with_ort_values(["logits"], {session.get_inputs()[0].name: OrtValue.ortvalue_from_numpy(inputs)})
kinds = {type(one).__name__ for one in outputs}, {type(one) is Parameter for _, one in state.parameters}
"""


@pytest.mark.usefixtures("installed")
def test_a_script_with_ort_values_and_keywords_runs_unchanged(tmp_path: Path) -> None:
    """OrtValues in give OrtValues out; the exported model gives the eval model's logits."""
    golden = Golden("mlp_ce_adamw_frozen")
    inputs, labels = golden.batch(0)
    names = {"folder": str(golden.folder), "target": str(tmp_path / "m.onnx"), "inputs": inputs, "labels": labels}
    exec(SCRIPT, names)
    assert names["kinds"] == ({"OrtValue"}, {True})
    assert names["moved"].shape == (names["size"],)
    assert (names["moved"] != np.float32(0.01)).any()
    (expected,) = names["module"].eval_step({"input": inputs}, ["logits"]).values()
    assert_close(names["logits"], expected)
    np.testing.assert_array_equal(names["again"].numpy(), names["logits"])


@pytest.mark.usefixtures("installed")
def test_a_second_install_changes_nothing_and_uninstall_takes_all_away() -> None:
    """Then the name is free again."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "onnxruntime"}
    assert {"onnxruntime", "onnxruntime.training", "onnxruntime.training.api"} <= before.keys()
    assert find_spec("onnxruntime") is not None
    compat.install()
    assert all(sys.modules[name] is module for name, module in before.items())
    compat.uninstall()
    assert not before.keys() & sys.modules.keys()
    compat.uninstall()


@pytest.mark.parametrize("folder, told", [("training", "with a training module"), ("tools", "without a training module")])
@pytest.mark.parametrize("imported", [False, True])
def test_it_refuses_where_the_real_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, told: str, imported: bool) -> None:
    """Installed, or imported already: the error says as what, which version, and whether it could train; nothing is registered then."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "onnxruntime"]:
        monkeypatch.delitem(sys.modules, name)
    files = {
        "onnxruntime/__init__.py": "",
        f"onnxruntime/{folder}/__init__.py": "",
        "onnxruntime_some-9.8.7.dist-info/METADATA": "Metadata-Version: 2.1\nName: onnxruntime-some\nVersion: 9.8.7\n",
        "onnxruntime_some-9.8.7.dist-info/top_level.txt": "onnxruntime\n",
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    if imported:
        spec = find_spec("onnxruntime")
        assert spec is not None
        monkeypatch.setitem(sys.modules, "onnxruntime", module_from_spec(spec))
    with pytest.raises(StateError, match=f"real onnxruntime can be imported here \\(onnxruntime-some 9.8.7, {told}\\)"):
        compat.install()
    assert "onnxruntime.training" not in sys.modules


def test_an_ort_value_is_its_array() -> None:
    """Its memory is shared in both directions."""
    from pagetrain.compat.ort_value import OrtValue

    array = np.arange(3, dtype=np.float32)
    value = OrtValue.ortvalue_from_numpy(array)
    assert value.numpy() is array
    value.update_inplace(array + 1)
    assert array.tolist() == [1, 2, 3]
    assert (value.shape(), value.element_type(), value.data_type(), value.device_name()) == ([3], 1, "tensor(float)", "cpu")
    zeros = OrtValue.ortvalue_from_shape_and_type([2, 1], np.int64)
    assert (np.asarray(zeros).tolist(), zeros.data_type()) == ([[0], [0]], "tensor(int64)")
    with pytest.raises(InvalidInputError, match="float64"):
        value.update_inplace(np.zeros(3))
    with pytest.raises(ShapeMismatchError, match=r"\(2,\)"):
        value.update_inplace(np.zeros(2, np.float32))
    with pytest.raises(InvalidInputError, match="'cuda'"):
        OrtValue.ortvalue_from_numpy(array, "cuda", 0)
