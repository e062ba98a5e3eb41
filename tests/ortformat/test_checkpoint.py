"""ortformat.checkpoint: the checkpoints of ONNX Runtime, byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pagetrain.errors import FormatError
from pagetrain.graph import ElementType
from pagetrain.ortformat import checkpoint, tables, tensor

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
MODELS = ("dwconv_relu6_gap", "mlp_ce_adamw_frozen", "mlp_l1_sgd_accum")


@pytest.mark.parametrize("name", ["checkpoint", "nominal_checkpoint"])
@pytest.mark.parametrize("model", MODELS)
def test_offline_files_are_reproduced(model: str, name: str) -> None:
    """What generate_artifacts wrote, loaded and dumped, is the same bytes."""
    data = (GOLDEN / model / name).read_bytes()
    loaded = checkpoint.load(data)
    assert loaded.is_nominal == (name == "nominal_checkpoint")
    assert checkpoint.dump_offline(loaded.trainable, loaded.frozen, nominal=loaded.is_nominal) == data


@pytest.mark.parametrize("name", ["checkpoint_final", "checkpoint_final_opt"])
@pytest.mark.parametrize("model", MODELS)
def test_saved_states_are_reproduced(model: str, name: str) -> None:
    """What save_checkpoint wrote, with and without optimizer state, loaded and dumped, is the same bytes."""
    data = (GOLDEN / model / name).read_bytes()
    assert checkpoint.dump_state(checkpoint.load(data)) == data


def test_content_of_a_saved_state() -> None:
    """Names, shapes, step, rate and properties are where they belong (values known from how the file was made)."""
    loaded = checkpoint.load((GOLDEN / "mlp_ce_adamw_frozen/checkpoint_final_opt").read_bytes())
    assert list(loaded.trainable) == ["fc1.bias", "fc2.bias", "fc2.weight"]
    assert list(loaded.frozen) == ["fc1.weight"]
    assert loaded.trainable["fc2.weight"].shape == loaded.optimizer_groups["group0"].momentums["fc2.weight"]["momentum1"].shape
    assert loaded.optimizer_groups["group0"].step == 5
    assert np.float32(loaded.optimizer_groups["group0"].initial_learning_rate) == np.float32(0.001)
    assert {type(value) for value in loaded.properties.values()} == {int, float, str}


def test_sgd_state_has_one_moment() -> None:
    """SGD checkpoints carry momentum0 alone, and it is zero."""
    group = checkpoint.load((GOLDEN / "mlp_l1_sgd_accum/checkpoint_final_opt").read_bytes()).optimizer_groups["group0"]
    assert all(list(moments) == ["momentum0"] and not moments["momentum0"].any() for moments in group.momentums.values())


def test_nominal_parameters_have_dtype_only() -> None:
    """A nominal file tells names and dtypes; arrays are empty."""
    loaded = checkpoint.load((GOLDEN / "dwconv_relu6_gap/nominal_checkpoint").read_bytes())
    assert {(array.shape, array.dtype.name) for array in (loaded.trainable | loaded.frozen).values()} == {((0,), "float32")}


def test_loaded_arrays_are_read_only() -> None:
    """A file's values cannot be changed by accident."""
    loaded = checkpoint.load((GOLDEN / "mlp_ce_adamw_frozen/checkpoint").read_bytes())
    with pytest.raises(ValueError, match="read-only"):
        loaded.trainable["fc1.bias"][0] = 1


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float64"])
def test_every_dtype_and_rank_returns(dtype: str) -> None:
    """Any numpy dtype and shape, scalars and empty arrays too, comes back as it was."""
    arrays = {
        str(shape): np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype) for shape in [(), (0,), (3,), (2, 0, 4), (2, 3, 1)]
    }
    loaded = checkpoint.load(checkpoint.dump_offline(arrays, {})).trainable
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype
        np.testing.assert_array_equal(loaded[name], array, strict=True)


def test_property_kinds_and_extremes_return() -> None:
    """Integers of 64 bits, floats that float32 holds, texts of any script; none at all leaves the bag out."""
    properties: dict[str, checkpoint.Property] = {"a": -(2**63), "b": 0, "c": 1.5, "d": float("inf"), "e": "", "f": "äöü €"}
    data = checkpoint.CheckpointData({}, {}, properties=properties)
    assert checkpoint.load(checkpoint.dump_state(data)) == data
    assert checkpoint.load(checkpoint.dump_state(replace(data, properties={}))).properties == {}


def _file(**fields: object) -> bytes:
    writer = tables.Writer()
    module = {"requires_grad_params": [], "frozen_params": []}
    return writer.finish(writer.table("Checkpoint", {"version": 2, "module_state": module, **fields}), b"ODTC")


WEIGHT = tensor.to_fields("w", np.zeros(2, np.float32))
LISTS = {"requires_grad_params": [WEIGHT], "frozen_params": []}


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"version": 1}, "version is 1"),
        ({"version": 3}, "version is 3"),
        ({"module_state": None}, "no module state"),
        ({"module_state": {"requires_grad_params": []}}, "no list of frozen_params"),
        ({"module_state": {**LISTS, "has_external_data": True}}, r"second file \(.data\)"),
        ({"module_state": {**LISTS, "frozen_params": [WEIGHT]}}, "'w' twice"),
        ({"module_state": {**LISTS, "requires_grad_params": [WEIGHT, WEIGHT]}}, "twice the parameter 'w'"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "name": None}]}}, "nameless parameter"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "dims": [3]}]}}, "8 bytes of values; its shape .* need 12"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "dims": [-2]}]}}, "impossible shape"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "dims": [2**62, 2**62, 0]}]}}, "impossible shape"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "dims": [1] * 33}]}}, "33 dimensions"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "dims": None}]}}, "no shape"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "raw_data": None}]}}, "no values"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "data_type": 99}]}}, "unknown element type 99"),
        ({"module_state": {**LISTS, "requires_grad_params": [{**WEIGHT, "external_data_offset": 0}]}}, r"second file \(.data\)"),
        ({"optimizer_groups": [{"group_name": "group0"}]}, "no states"),
        ({"optimizer_groups": [{"group_name": "group0", "optimizer_states": [], "step": -1}]}, "-1 steps"),
        ({"optimizer_groups": [{"group_name": "g", "optimizer_states": []}] * 2}, "twice the optimizer group 'g'"),
        ({"optimizer_groups": [{"group_name": "g", "optimizer_states": [{"param_name": "w"}]}]}, "no tensors"),
        ({"property_bag": {"ints": [{"value": 1}]}}, "nameless property"),
        ({"property_bag": {"strings": [{"name": "p"}]}}, "without text"),
        ({"property_bag": {"ints": [{"name": "p"}], "floats": [{"name": "p"}]}}, "twice the property 'p'"),
    ],
)  # fmt: skip
def test_unsound_files_are_refused_by_name(fields: dict[str, object], message: str) -> None:
    """A file that is well-formed but makes no sense gives one FormatError that says what is wrong."""
    with pytest.raises(FormatError, match=message):
        checkpoint.load(_file(**fields))


def test_a_type_beyond_numpy_is_named_where_it_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package ml_dtypes there is no bfloat16."""
    known = {element: dtype for element, dtype in tensor.NUMPY_DTYPES.items() if element != ElementType.BFLOAT16}
    monkeypatch.setattr(tensor, "NUMPY_DTYPES", known)
    with pytest.raises(FormatError, match=r"BFLOAT16, .* install ml_dtypes"):
        checkpoint.load(_file(module_state={**LISTS, "requires_grad_params": [{**WEIGHT, "data_type": 16}]}))


def test_a_nominal_parameter_of_texts_is_written_as_it_was_read() -> None:
    """Element type STRING, which numpy knows as object."""
    data = checkpoint.dump_offline({}, {"t": np.empty(0, object)}, nominal=True)
    loaded = checkpoint.load(data)
    assert loaded.frozen["t"].dtype == object
    assert checkpoint.dump_offline(loaded.trainable, loaded.frozen, nominal=True) == data
