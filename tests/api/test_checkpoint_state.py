"""api.CheckpointState: what it holds, what it writes, and how its parts may change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pagetrain import CheckpointState
from pagetrain.errors import FormatError, InvalidInputError, ShapeMismatchError, StateError
from pagetrain.ortformat import checkpoint
from pagetrain.ortformat.checkpoint import CheckpointData, OptimizerGroup

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
MLP = GOLDEN / "mlp_ce_adamw_frozen"
ADAMW = ("momentum0", "momentum1")


def _state() -> CheckpointState:
    return CheckpointState.load_checkpoint(MLP / "checkpoint")


def _nominal() -> CheckpointState:
    return CheckpointState.load_checkpoint(MLP / "nominal_checkpoint")


@pytest.mark.parametrize("model", ["dwconv_relu6_gap", "mlp_ce_adamw_frozen", "mlp_l1_sgd_accum"])
@pytest.mark.parametrize("with_optimizer", [False, True])
def test_saves_what_ort_saved(model: str, with_optimizer: bool, tmp_path: Path) -> None:
    """A state that ORT saved, loaded by path and saved again, is the same file; so through bytes."""
    file = GOLDEN / model / ("checkpoint_final_opt" if with_optimizer else "checkpoint_final")
    state = CheckpointState.load_checkpoint(str(file))
    CheckpointState.save_checkpoint(state, tmp_path / "saved", include_optimizer_state=with_optimizer)
    assert (tmp_path / "saved").read_bytes() == file.read_bytes()
    assert CheckpointState.load_checkpoint(file.read_bytes()).to_bytes(with_optimizer) == file.read_bytes()


def test_optimizer_state_is_left_out_by_default() -> None:
    """save_checkpoint writes no optimizer state unless asked, as in ORT."""
    state = CheckpointState.load_checkpoint(MLP / "checkpoint_final_opt")
    assert state.to_bytes() == (MLP / "checkpoint_final").read_bytes()


def test_parameters_are_a_sorted_mapping() -> None:
    """Iterating gives (name, parameter) pairs by name; the state's own lists keep the file's order."""
    state = _state()
    assert [name for name, _ in state.parameters] == ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]
    assert [parameter.requires_grad for _, parameter in state.parameters] == [True, False, True, True]
    assert state.trainable_names == ("fc1.bias", "fc2.weight", "fc2.bias")
    assert state.frozen_names == ("fc1.weight",)
    assert len(state.parameters) == 4
    assert "fc1.bias" in state.parameters
    assert "fc9.bias" not in state.parameters
    assert "'fc1.weight', float32, (8, 6), requires_grad=False" in repr(state.parameters)
    with pytest.raises(KeyError):
        state.parameters["fc9.bias"]


def test_data_is_live_and_a_copy_of_the_file() -> None:
    """In-place edits stay; the bytes that the state came from do not change."""
    data = bytearray((MLP / "checkpoint").read_bytes())
    state = CheckpointState.load_checkpoint(data)
    state.parameters["fc1.bias"].data[:] = 7
    state.parameters["fc2.bias"] = np.zeros_like(state.parameters["fc2.bias"].data)
    assert (state.parameters["fc1.bias"].data == 7).all()
    assert not state.parameters["fc2.bias"].data.any()
    assert data == (MLP / "checkpoint").read_bytes()


def test_assigning_needs_shape_and_dtype() -> None:
    """No silent cast or broadcast."""
    bias = _state().parameters["fc1.bias"]
    with pytest.raises(ShapeMismatchError, match=r"'fc1.bias' has shape \(8,\), the new values have \(1,\)"):
        bias.data = np.zeros(1, np.float32)
    with pytest.raises(InvalidInputError, match=r"'fc1.bias' is float32, the new values are float64"):
        bias.data = np.zeros(8)


def test_gradients_appear_with_a_module() -> None:
    """No buffers before allocate_gradients, zeros for trainable parameters after; a second call keeps their content."""
    state = _state()
    assert state.parameters["fc1.bias"].grad is None
    state.allocate_gradients()
    gradient = state.parameters["fc1.bias"].grad
    assert gradient is not None
    assert not gradient.any()
    gradient[0] = 1
    state.allocate_gradients()
    assert state.parameters["fc1.bias"].grad is gradient
    assert state.parameters["fc1.weight"].grad is None


def test_moments_start_at_zero() -> None:
    """Fresh states get zero moments for trainable parameters; a second call keeps the arrays."""
    state = _state()
    state.allocate_moments(ADAMW)
    moments = state.optimizer.momentums
    assert set(moments) == set(state.trainable_names)
    assert moments["fc2.weight"]["momentum1"].shape == state.parameters["fc2.weight"].data.shape
    moments["fc2.weight"]["momentum1"] += 1
    state.allocate_moments(ADAMW)
    assert (state.optimizer.momentums["fc2.weight"]["momentum1"] == 1).all()


def test_restored_moments_step_and_rate() -> None:
    """A checkpoint's moments and step are kept and writable; the learning rate is the default again."""
    state = CheckpointState.load_checkpoint(MLP / "checkpoint_final_opt")
    state.allocate_moments(ADAMW)
    state.optimizer.momentums["fc1.bias"]["momentum0"][0] += 1
    assert state.optimizer.step == 5
    assert state.optimizer.learning_rate == 0.001
    assert np.float32(state.optimizer.initial_lr) == np.float32(0.001)


def test_moments_of_another_optimizer_are_refused() -> None:
    """AdamW on an SGD state says so, where ORT says nothing readable."""
    state = CheckpointState.load_checkpoint(GOLDEN / "mlp_l1_sgd_accum/checkpoint_final_opt")
    with pytest.raises(StateError, match=r"has the moments \['momentum0'\], this optimizer needs \['momentum0', 'momentum1'\]"):
        state.allocate_moments(ADAMW)


def test_moments_of_some_parameters_only_are_refused() -> None:
    """Every trainable parameter must be among the optimizer states."""
    zeros = np.zeros(2, np.float32)
    group = OptimizerGroup(1, 0.001, {"a": {"momentum0": zeros}})
    state = CheckpointState(CheckpointData({"a": zeros, "b": zeros}, {}, optimizer_groups={"group0": group}))
    with pytest.raises(StateError, match=r"optimizer state of 'b'"):
        state.allocate_moments(("momentum0",))


@pytest.mark.parametrize(
    "group, message",
    [
        ({"group1": OptimizerGroup(0, 0.1, {})}, "only 'group0' is known"),
        ({"group0": OptimizerGroup(0, 0.1, {"b": {"momentum0": np.zeros(2, np.float32)}})}, "moments for 'b', which is no trainable"),
        ({"group0": OptimizerGroup(0, 0.1, {"a": {"momentum0": np.zeros(3, np.float32)}})}, r"'momentum0' of 'a' is float32 \(3,\)"),
        ({"group0": OptimizerGroup(0, 0.1, {"a": {"momentum0": np.zeros(2, np.int64)}})}, r"'momentum0' of 'a' is int64"),
    ],
)
def test_optimizer_state_must_match_parameters(group: dict[str, OptimizerGroup], message: str) -> None:
    """Moments for nothing, or of another shape or type, make the checkpoint unsound."""
    with pytest.raises(FormatError, match=message):
        CheckpointState(CheckpointData({"a": np.zeros(2, np.float32)}, {}, optimizer_groups=group))


def test_nominal_state_knows_names_and_types_only() -> None:
    """Names, number and dtypes can be read; values cannot, nor can there be gradients or moments."""
    state = _nominal()
    state.allocate_gradients()
    bias = state.parameters["fc1.bias"]
    assert state.is_nominal
    assert state.nominal_names == ("fc1.bias", "fc2.weight", "fc2.bias", "fc1.weight")
    assert (bias.is_nominal, bias.dtype, bias.grad) == (True, np.float32, None)
    with pytest.raises(StateError, match=r"'fc1.bias' has no values yet"):
        _ = bias.data
    with pytest.raises(StateError, match=r"'fc1.bias' has no values yet"):
        bias.data = np.zeros(8, np.float32)
    with pytest.raises(StateError, match=r"no optimizer state yet: 'fc1.bias'"):
        state.allocate_moments(ADAMW)


def test_nominal_state_saves_as_nominal() -> None:
    """The names come back nominal, sorted as any saved state."""
    loaded = checkpoint.load(_nominal().to_bytes())
    assert loaded.is_nominal
    assert list(loaded.trainable) == ["fc1.bias", "fc2.bias", "fc2.weight"]


def test_nominal_state_filled_one_by_one_equals_the_full_one() -> None:
    """Filled in any order, a nominal state becomes the full one, gradients included; half-way it cannot be saved."""
    state, full = _nominal(), _state()
    state.allocate_gradients()
    names = [name for name, _ in full.parameters]
    for name in reversed(names):
        assert state.is_nominal
        state.replace_parameter(name, full.parameters[name].data)
        if name != names[0]:
            with pytest.raises(StateError, match=r"\d of 4 parameters have no values yet, 'fc1.bias' first"):
                state.to_bytes()
    assert not state.is_nominal
    assert state.to_bytes() == full.to_bytes()
    gradient = state.parameters["fc2.weight"].grad
    assert gradient is not None
    assert gradient.shape == full.parameters["fc2.weight"].data.shape


def test_replacing_copies() -> None:
    """A streamed buffer may be reused after replace_parameter; views of any memory order are fine."""
    state, buffer = _nominal(), np.arange(48, dtype=np.float32)
    state.replace_parameter("fc1.weight", buffer.reshape(6, 8).T)
    buffer[:] = 0
    data = state.parameters["fc1.weight"].data
    assert data[1, 0] == 1
    assert data.flags.c_contiguous


def test_rows_can_be_added_with_moments() -> None:
    """A head with one more row: values and moments as given, a zero gradient of the new shape; the step count stays."""
    state = CheckpointState.load_checkpoint(MLP / "checkpoint_final_opt")
    state.allocate_gradients()
    weight = state.parameters["fc2.weight"].data
    grown = np.concatenate([weight, np.zeros((1, weight.shape[1]), np.float32)])
    moments = {key: np.pad(moment, ((0, 1), (0, 0))) for key, moment in state.optimizer.momentums["fc2.weight"].items()}
    state.replace_parameter("fc2.weight", grown, moments)
    gradient = state.parameters["fc2.weight"].grad
    assert gradient is not None
    assert gradient.shape == grown.shape
    for key, moment in moments.items():
        np.testing.assert_array_equal(state.optimizer.momentums["fc2.weight"][key], moment)
    state.allocate_moments(ADAMW)
    assert state.optimizer.step == 5


def test_replacing_without_moments_resets_them() -> None:
    """Moments of other values are of no use: they become zeros of the new shape."""
    state = CheckpointState.load_checkpoint(MLP / "checkpoint_final_opt")
    state.replace_parameter("fc2.bias", np.ones(2, np.float32))
    assert [moment.tolist() for moment in state.optimizer.momentums["fc2.bias"].values()] == [[0, 0], [0, 0]]


def test_refused_replacements_change_nothing() -> None:
    """Wrong name, dtype, moment names or moment shape: an error, and the state is as before."""
    state = CheckpointState.load_checkpoint(MLP / "checkpoint_final_opt")
    before, new = state.to_bytes(True), np.zeros(2, np.float32)
    with pytest.raises(KeyError):
        state.replace_parameter("fc9.bias", new)
    with pytest.raises(InvalidInputError, match=r"the new values are int64"):
        state.replace_parameter("fc2.bias", np.zeros(2, np.int64))
    with pytest.raises(InvalidInputError, match=r"has the moments \['momentum0', 'momentum1'\], not \['momentum0'\]"):
        state.replace_parameter("fc2.bias", new, {"momentum0": new})
    with pytest.raises(ShapeMismatchError, match=r"'momentum1' of 'fc2.bias' has shape \(3,\)"):
        state.replace_parameter("fc2.bias", new, {"momentum0": new, "momentum1": np.zeros(3, np.float32)})
    with pytest.raises(InvalidInputError, match=r"'fc1.weight' has the moments \[\]"):
        state.replace_parameter("fc1.weight", new, {"momentum0": new})
    assert state.to_bytes(True) == before


def test_trainable_part_carries_a_training_over() -> None:
    """to_bytes(trainable_only=True) of a trained state, put into a fresh one, gives the trained state."""
    trained, fresh = CheckpointState.load_checkpoint(MLP / "checkpoint_final_opt"), _state()
    head = CheckpointState.load_checkpoint(trained.to_bytes(include_optimizer_state=True, trainable_only=True))
    assert head.frozen_names == ()
    for name, parameter in head.parameters:
        fresh.replace_parameter(name, parameter.data, head.optimizer.momentums[name])
    fresh.optimizer.step = head.optimizer.step
    for name, value in trained.properties:
        fresh.properties[name] = value
    assert fresh.to_bytes(True) == trained.to_bytes(True)


def test_properties_are_stored_as_the_file_holds_them() -> None:
    """int, float32 and str; numpy's numbers by their kind (ORT's binding makes np.float32(1.5) an int)."""
    properties = _state().properties
    for name, value in {"i": 3, "t": True, "n": np.int32(4), "f": 0.1, "g": np.float32(1.5), "d": np.float64(2.5), "s": "text"}.items():
        properties[name] = value
    assert dict(properties) == {"i": 3, "t": 1, "n": 4, "f": float(np.float32(0.1)), "g": 1.5, "d": 2.5, "s": "text"}
    assert [type(value) for _, value in properties] == [float, float, float, int, int, str, int]
    assert [name for name, _ in properties] == sorted("itnfgds")
    assert len(properties) == 7
    assert "i" in properties
    assert repr(properties).startswith("Properties({'d': 2.5")
    with pytest.raises(KeyError):
        properties["missing"]


@pytest.mark.parametrize("value", [[1], None, 2**63, 1e300, b"bytes", 1j, "half \ud800"])
def test_properties_of_other_kinds_are_refused(value: object) -> None:
    """What a file cannot hold is refused when it is set, not when it is saved."""
    with pytest.raises(InvalidInputError, match=r"Property 'p' is to be"):
        _state().properties["p"] = value  # type: ignore[assignment]


@pytest.mark.parametrize("name", [3, None, "half \udfff"])
def test_properties_have_texts_for_names(name: object) -> None:
    """Another one would be found out by the save, and by whoever sorts them."""
    with pytest.raises(InvalidInputError, match="A property is to be named"):
        _state().properties[name] = 1  # type: ignore[index]


def test_properties_come_back() -> None:
    """Set, saved and loaded, a property is the same."""
    state = _state()
    state.properties["loss"], state.properties["epoch"], state.properties["note"] = 0.1, -5, "ä"
    assert dict(CheckpointState.load_checkpoint(state.to_bytes()).properties) == dict(state.properties)


def test_a_save_that_fails_leaves_the_checkpoint_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the disk is full: the old file is whole, no other is left, and the next save succeeds."""
    state = CheckpointState.load_checkpoint(GOLDEN / "mlp_ce_adamw_frozen" / "checkpoint")
    path = tmp_path / "checkpoint"
    CheckpointState.save_checkpoint(state, path)
    before = path.read_bytes()
    state.properties["epoch"] = 1
    with monkeypatch.context() as full:
        full.setattr("os.fsync", _disk_full)
        with pytest.raises(OSError, match="No space left"):
            CheckpointState.save_checkpoint(state, path)
    assert path.read_bytes() == before
    CheckpointState.save_checkpoint(state, path)
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint"]
    assert CheckpointState.load_checkpoint(path).properties["epoch"] == 1


def _disk_full(descriptor: int) -> None:
    raise OSError(28, f"No space left on device: {descriptor}")
