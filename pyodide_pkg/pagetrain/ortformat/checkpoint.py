"""ORT training checkpoints: bytes <-> CheckpointData. The writers' bytes are those of ORT 1.19."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ..errors import FormatError
from ..file_set import Content, opened, place_of, write_files
from . import tensor
from .checkpoint_data import EXTERNAL_FROM, INLINE_BELOW, SUFFIX, DataFile, mapped, needs_data_file
from .schema import CHECKPOINT_IDENTIFIER, CHECKPOINT_VERSION
from .tables import Built, Fields, Writer, read

Property = int | float | str
_Value = TypeVar("_Value")
_PROPERTY_TABLES = {int: ("ints", "IntProperty"), float: ("floats", "FloatProperty"), str: ("strings", "StringProperty")}


@dataclass(frozen=True, slots=True)
class OptimizerGroup:
    """Optimizer state of a group. step: optimizer steps done. momentums: parameter -> {"momentum0": first moment, "momentum1": second}."""

    step: int
    initial_learning_rate: float
    momentums: Mapping[str, Mapping[str, np.ndarray]]


@dataclass(frozen=True, slots=True)
class CheckpointData:
    """What a checkpoint file holds. In a nominal one parameters are known by name and dtype only: their arrays have shape (0,).

    has_external_data: the values are in a second file, as those of large models; a state that came so is saved so.
    """

    trainable: Mapping[str, np.ndarray]
    frozen: Mapping[str, np.ndarray]
    is_nominal: bool = False
    optimizer_groups: Mapping[str, OptimizerGroup] = field(default_factory=dict)
    properties: Mapping[str, Property] = field(default_factory=dict)
    has_external_data: bool = False


def load_file(path: str | os.PathLike[str]) -> CheckpointData:
    """The checkpoint of that path, with <path>.data beside it if it says so. Raises what load raises.

    Both are of the same save, even if the process that saved them ended between the two, or saves again meanwhile.
    """
    place = place_of(path, SUFFIX)
    folder, name = place.parent, place.name
    second_name = f"{name}{SUFFIX}"
    with opened(folder, (name, second_name), label=name) as (first, second):
        return load(first.read() if first else place.read_bytes(), lambda: mapped(second, second_name))


def load(data: bytes | bytearray | memoryview, second_file: Callable[[], memoryview] | None = None) -> CheckpointData:
    """The checkpoint in `data`; its arrays are read-only and may share its memory, or that of the second file.

    Raises FormatError for anything else than a whole, sound file of version 2; and, as ORT does, for one that needs a second file when
    none is given.
    """
    checkpoint = read(data, "Checkpoint", CHECKPOINT_IDENTIFIER, "training checkpoint")
    if checkpoint["version"] != CHECKPOINT_VERSION:
        raise FormatError(f"The checkpoint's version is {checkpoint['version']}; version {CHECKPOINT_VERSION} can be read.")
    module = checkpoint["module_state"]
    if module is None:
        raise FormatError("The checkpoint has no module state, so no parameters; save it again.")
    nominal, external = module["is_nominal_state"], _second_file(module, second_file)
    trainable, frozen = (_load_parameters(module[kind], kind, nominal, external) for kind in ("requires_grad_params", "frozen_params"))
    if trainable.keys() & frozen.keys():
        raise FormatError(f"The checkpoint has the parameter {min(trainable.keys() & frozen.keys())!r} twice, trainable and frozen.")
    groups = _unique(((group["group_name"], _load_group(group)) for group in checkpoint["optimizer_groups"] or []), "optimizer group")
    return CheckpointData(trainable, frozen, nominal, groups, _load_properties(checkpoint["property_bag"]), module["has_external_data"])


def _second_file(module: Fields, second_file: Callable[[], memoryview] | None) -> memoryview | None:
    if not module["has_external_data"]:
        return None
    if second_file is None:
        raise FormatError("The checkpoint has its values in a second file (.data), so its bytes are not enough; give its path.")
    return second_file()


def _unique(items: Iterable[tuple[str | None, _Value]], what: str) -> dict[str, _Value]:
    """A dict of the items. Raises FormatError for one without name, and for a name that comes twice."""
    result: dict[str, _Value] = {}
    for name, value in items:
        if name is None or name in result:
            raise FormatError(f"The checkpoint has {'a nameless' if name is None else 'twice the'} {what} {name or ''!r}.")
        result[name] = value
    return result


def _load_parameters(tensors: list[Fields] | None, kind: str, nominal: bool, external: memoryview | None) -> dict[str, np.ndarray]:
    if tensors is None:
        raise FormatError(f"The checkpoint has no list of {kind}.")
    return _unique(((item["name"], _load_parameter(item, nominal, external)) for item in tensors), "parameter")


def _load_parameter(item: Fields, nominal: bool, external: memoryview | None) -> np.ndarray:
    what = f"Parameter {item['name']!r}"
    return np.empty(0, tensor.dtype_of(item, what)) if nominal else tensor.to_array(item, what, external)


def _load_group(group: Fields) -> OptimizerGroup:
    what = f"The checkpoint's optimizer group {group['group_name']!r}"
    if group["optimizer_states"] is None:
        raise FormatError(f"{what} has no states.")
    if group["step"] < 0:
        raise FormatError(f"{what} has made {group['step']} steps.")
    momentums = _unique(((state["param_name"], _load_momentums(state)) for state in group["optimizer_states"]), "optimizer state")
    return OptimizerGroup(group["step"], group["initial_learning_rate"], momentums)


def _load_momentums(state: Fields) -> dict[str, np.ndarray]:
    what = f"The optimizer state of {state['param_name']!r}"
    if state["momentums"] is None:
        raise FormatError(f"{what} has no tensors.")
    return _unique(((item["name"], tensor.to_array(item, f"{what}, {item['name']!r},")) for item in state["momentums"]), "momentum")


def _load_properties(bag: Fields | None) -> dict[str, Property]:
    items = [item for kind, _ in _PROPERTY_TABLES.values() for item in (bag or {}).get(kind) or []]
    if any(item["value"] is None for item in items):
        raise FormatError("The checkpoint has a text property without text.")
    return _unique(((item["name"], item["value"]) for item in items), "property")


def dump_offline(trainable: Mapping[str, np.ndarray], frozen: Mapping[str, np.ndarray], *, nominal: bool = False) -> bytes:
    """The file that generate_artifacts writes, in one piece."""
    return b"".join(offline_pieces(trainable, frozen, nominal=nominal))


def offline_pieces(
    trainable: Mapping[str, np.ndarray], frozen: Mapping[str, np.ndarray], *, nominal: bool = False, data_file: DataFile | None = None
) -> list[memoryview]:
    """The file that generate_artifacts writes: parameters in the mappings' order (initializer order of the base model), nothing else.

    nominal: names and dtypes alone, no values. data_file: where to put the values instead.
    """
    writer = Writer(_size() if data_file or nominal else _size(trainable, frozen))
    return _finish(writer, _dump_module(trainable, frozen, nominal, data_file), {})


def offline_files(
    name: str, trainable: Mapping[str, np.ndarray], frozen: Mapping[str, np.ndarray], external_from: int = EXTERNAL_FROM
) -> dict[str, Sequence[bytes | memoryview]]:
    """{file name: content in pieces} of offline_pieces: one file, or <name>.data beside it from so many bytes of values on."""
    data_file = DataFile(INLINE_BELOW) if needs_data_file({**trainable, **frozen}, external_from) else None
    pieces = offline_pieces(trainable, frozen, data_file=data_file)
    return {name: pieces, **({f"{name}{SUFFIX}": data_file.pieces} if data_file else {})}


def dump_state(checkpoint: CheckpointData) -> bytes:
    """The file that a CheckpointState saves, in one piece."""
    return b"".join(state_pieces(checkpoint))


def state_pieces(checkpoint: CheckpointData, data_file: DataFile | None = None) -> list[memoryview]:
    """The file that a CheckpointState saves: everything sorted by name. data_file: where to put the parameters' values instead."""
    moments = [item for group in checkpoint.optimizer_groups.values() for item in group.momentums.values()]
    writer = Writer(_size(*moments) if data_file else _size(checkpoint.trainable, checkpoint.frozen, *moments))
    trainable, frozen = dict(sorted(checkpoint.trainable.items())), dict(sorted(checkpoint.frozen.items()))
    module = writer.table("ModuleState", _dump_module(trainable, frozen, checkpoint.is_nominal, data_file))
    groups = [writer.table("OptimizerGroup", _dump_group(name, group)) for name, group in sorted(checkpoint.optimizer_groups.items())]
    return _finish(writer, module, {"optimizer_groups": groups, "property_bag": _dump_properties(writer, checkpoint.properties)})


def save_files(checkpoint: CheckpointData, path: str | os.PathLike[str], external_from: int = EXTERNAL_FROM) -> None:
    """Writes what a CheckpointState saves: <path>, and <path>.data for a large state or one that came so. All or nothing.

    Links are followed, modes kept, and others who save there are waited for: see `place_of` and `write_files`.
    """
    parameters = {**checkpoint.trainable, **checkpoint.frozen}
    external = not checkpoint.is_nominal and (checkpoint.has_external_data or needs_data_file(parameters, external_from))
    data_file = DataFile() if external else None
    place = place_of(path, SUFFIX)
    name = place.name
    files: dict[str, Content] = {name: state_pieces(checkpoint, data_file)}
    if data_file:
        files[f"{name}{SUFFIX}"] = data_file.pieces
    write_files(place.parent, files, label=name)


def _size(*arrays: Mapping[str, np.ndarray]) -> int:
    """A guess, rather too large: room for the values, and for names in UTF-8."""
    return 4096 + sum(array.nbytes + 256 + 8 * len(name) for group in arrays for name, array in group.items())


def _finish(writer: Writer, module: Fields | Built, rest: Fields) -> list[memoryview]:
    root = writer.table("Checkpoint", {"version": CHECKPOINT_VERSION, "module_state": module, **rest})
    return writer.pieces(root, CHECKPOINT_IDENTIFIER)


def _dump_module(
    trainable: Mapping[str, np.ndarray], frozen: Mapping[str, np.ndarray], nominal: bool, data_file: DataFile | None
) -> Fields:
    lists = ([_dump_parameter(name, array, nominal, data_file) for name, array in group.items()] for group in (trainable, frozen))
    parameters = dict(zip(("requires_grad_params", "frozen_params"), lists, strict=True))
    return {**parameters, "is_nominal_state": nominal, "has_external_data": data_file is not None}


def _dump_parameter(name: str, array: np.ndarray, nominal: bool, data_file: DataFile | None) -> Fields:
    if nominal:
        return tensor.nominal_fields(name, array.dtype)
    return data_file.fields(name, array) if data_file else tensor.to_fields(name, array)


def _dump_group(name: str, group: OptimizerGroup) -> Fields:
    """Fields in the order in which ORT adds them."""
    states = [
        {"param_name": parameter, "momentums": [tensor.to_fields(key, array) for key, array in sorted(momentums.items())]}
        for parameter, momentums in sorted(group.momentums.items())
    ]
    return {"group_name": name, "initial_learning_rate": group.initial_learning_rate, "step": group.step, "optimizer_states": states}


def _dump_properties(writer: Writer, properties: Mapping[str, Property]) -> Built | None:
    """ORT writes the properties sorted over all kinds, then a list for each kind; no bag at all if there are none."""
    if not properties:
        return None
    lists: dict[str, list[Built]] = {kind: [] for kind, _ in _PROPERTY_TABLES.values()}
    for name, value in sorted(properties.items()):
        kind, table = _PROPERTY_TABLES[type(value)]
        lists[kind].append(writer.table(table, {"name": name, "value": value}))
    return writer.table("PropertyBag", lists)
