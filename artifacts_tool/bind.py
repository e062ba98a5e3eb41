"""bind_num_classes: from a head whose number of classes is open to one of a fixed number."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import write_files
from pagetrain.graph import Dimension, Graph, Model, SequenceType, TensorType, ValueInfo
from pagetrain.manifest import MAX_CLASSES
from pagetrain.names import MANIFEST_FILE, NUM_CLASSES
from pagetrain.ortformat.checkpoint import dump_offline
from pagetrain.ortformat.checkpoint import load as load_checkpoint

from .onnx_io import read, to_bytes
from .ort_writer import to_ort
from .page_artifacts import EMBEDDING, FILES, checked_labels, sealed
from .skeleton import CLASSES
from .value_types import value_types

MODEL_STEMS = ("training_model", "eval_model", "inference_model")


def bind_num_classes(directory: str | os.PathLike[str], num_classes: int, labels: Sequence[str] | None = None) -> None:
    """Rewrites a folder of artifacts with `num_classes` classes: graphs, checkpoint (head of zeros), and the manifest if there is one.

    Raises InvalidInputError when the folder's head is not symbolic, or for a number that check_num_classes refuses.
    """
    folder = Path(directory)
    check_num_classes(num_classes)
    training = read(folder / "training_model.onnx")
    if not any(NUM_CLASSES in (known.shape or ()) for known in value_types(training.graph).values()):
        raise InvalidInputError(f"The graphs in {folder} have no size named {NUM_CLASSES!r}: the number of classes is already fixed.")
    files: dict[str, bytes] = {}
    for stem in MODEL_STEMS:
        files |= _bound_models(folder / stem, num_classes)
    types = value_types(bind_model(training, num_classes).graph)
    files["checkpoint"] = _bound_checkpoint((folder / "checkpoint").read_bytes(), types)
    if (folder / MANIFEST_FILE).exists():
        files[MANIFEST_FILE] = _bound_manifest(folder, num_classes, labels, files)
    write_files(folder, files)


def check_num_classes(num_classes: int) -> None:
    """Raises InvalidInputError for fewer classes than a choice needs, or more than the manifest allows."""
    if not 2 <= num_classes <= MAX_CLASSES:
        raise InvalidInputError(f"num_classes is {num_classes}; it must be 2 or more, and at most {MAX_CLASSES}.")


def bind_model(model: Model, num_classes: int) -> Model:
    """The model with the open number of classes replaced everywhere by a fixed one."""

    def bound(size: Dimension) -> Dimension:
        return num_classes if size in (NUM_CLASSES, CLASSES) else size

    return replace(model, graph=_mapped(model.graph, bound))


def _mapped(graph: Graph, bound: Callable[[Dimension], Dimension]) -> Graph:
    def mapped(values: tuple[ValueInfo, ...]) -> tuple[ValueInfo, ...]:
        return tuple(_mapped_value(value, bound) for value in values)

    return replace(graph, inputs=mapped(graph.inputs), outputs=mapped(graph.outputs), value_info=mapped(graph.value_info))


def _mapped_value(value: ValueInfo, bound: Callable[[Dimension], Dimension]) -> ValueInfo:
    if value.type is None or isinstance(value.type, SequenceType) or value.type.shape is None:
        return value
    return replace(value, type=replace(value.type, shape=tuple(map(bound, value.type.shape))))


def _bound_models(path: Path, num_classes: int) -> dict[str, bytes]:
    """<path>.onnx and <path>.ort, whichever are there: {file name: new content}."""
    onnx_file, ort_file = path.with_suffix(".onnx"), path.with_suffix(".ort")
    if not onnx_file.exists():
        return {}
    model = bind_model(read(onnx_file, open_ends=True), num_classes)
    ort = {ort_file.name: to_ort(model)} if ort_file.exists() else {}
    return {onnx_file.name: to_bytes(model), **ort}


def _bound_checkpoint(data: bytes, types: Mapping[str, TensorType]) -> bytes:
    """The checkpoint with zeros for every parameter that has no rows yet."""
    state = load_checkpoint(data)
    trainable = {name: _filled(array, types[name]) for name, array in state.trainable.items()}
    return dump_offline(trainable, state.frozen)


def _filled(array: np.ndarray, value_type: TensorType) -> np.ndarray:
    shape = tuple(size for size in value_type.shape or () if isinstance(size, int))
    return array if array.size else np.zeros(shape, array.dtype)


def _bound_manifest(folder: Path, num_classes: int, labels: Sequence[str] | None, files: Mapping[str, bytes]) -> bytes:
    """The manifest over the new `files` and those of the folder that stay; further layers, which were not bound, are not among them."""
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    manifest.pop("layers", None)
    manifest["num_classes"], manifest["labels"] = num_classes, checked_labels(labels, num_classes)
    for one in manifest["trainable"]:
        one["shape"] = [num_classes if size == NUM_CLASSES else size for size in one["shape"]]
    paths = FILES | (EMBEDDING if "embedding" in manifest["files"] else {})  # the frozen part knows no classes
    return sealed(manifest, lambda path: files[path] if path in files else (folder / path).read_bytes(), paths)
