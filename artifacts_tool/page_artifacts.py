"""The files a page needs beside the graphs: parameters.bin, the inference skeleton, and manifest.json that names and seals them all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from pagetrain.cut import find_cut
from pagetrain.errors import InvalidInputError, PagetrainError
from pagetrain.file_set import Content, write_files
from pagetrain.graph import ElementType, TensorType
from pagetrain.manifest import Manifest, parse
from pagetrain.names import LABELS, MANIFEST_FILE, MANIFEST_FORMAT, MANIFEST_VERSION
from pagetrain.preprocess import shape_of, steps_of

from .embedding import NotRecordable, embedding_program
from .frozen_storage import Stored, with_stored_values
from .generate import Artifacts, files_of
from .mode import BY_BATCH_STATISTICS
from .onnx_io import to_bytes
from .parameters import Parameter
from .skeleton import inference_skeleton
from .value_types import shape_text, value_types
from .version import __version__

ALIGNMENT = 4
FILES = {
    "training_model": "training_model.ort",
    "eval_model": "eval_model.ort",
    "optimizer_model": "optimizer_model.ort",
    "nominal_checkpoint": "nominal_checkpoint",
    "parameters": "parameters.bin",
    "inference_model": "inference_model.onnx",
    "checkpoint": "checkpoint",
}
EMBEDDING = {"embedding": "embedding.json"}  # where there is a program


@dataclass(frozen=True, slots=True)
class Description:
    """What graphs do not say about a page model. features: the value that the trainable part starts from. labels: None while symbolic."""

    name: str
    title: str
    license: str
    preprocessing: Mapping[str, Any]
    logits: str
    features: str | None
    labels: Sequence[str] | None


def write_page_artifacts(
    artifacts: Artifacts, description: Description, directory: Path, forms: Mapping[str, Stored] = MappingProxyType({})
) -> str:
    """Writes the graphs (.onnx and .ort), both checkpoints, parameters.bin, inference_model.onnx and manifest.json into a folder; and
    embedding.json, the frozen part as a program for workers without Python, or returns why there can be none ("" if there is).

    forms: how parameters.bin stores parameters, float32 by default (see frozen_storage). Graphs and checkpoints have float32, with the
    values that are left: what a page computes, and what it starts to train from, is what the checkpoint has.

    Raises InvalidInputError for a model that is not one picture in, logits (N, classes) out, with float32 parameters, or that measures
    statistics while it trains; FormatError for a preprocessing that the trainer would refuse.
    """
    steps = steps_of(description.preprocessing)
    _refuse_moving_statistics(artifacts)
    input_name, input_type = _picture_input(artifacts)
    _refuse_other_shape(input_name, input_type, shape_of(steps))
    held = [parameter.name for parameter in artifacts.parameters]
    frozen = [parameter.name for parameter in artifacts.parameters if not parameter.trainable]
    narrow = [name for name in frozen if name in forms and forms[name].values.dtype == np.float16]
    skeleton = inference_skeleton(artifacts.eval_model, held, input_name, description.logits, narrow)
    artifacts = replace(artifacts, parameters=with_stored_values(artifacts.parameters, forms))
    places, values = _parameter_file(artifacts.parameters, forms)
    files = files_of(artifacts, ort_format=True, nominal_checkpoint=True)
    files |= {FILES["parameters"]: values, FILES["inference_model"]: to_bytes(skeleton)}
    outputs = {"logits": description.logits} | ({"features": description.features} if description.features else {})
    manifest = {
        "format": MANIFEST_FORMAT,
        "version": MANIFEST_VERSION,
        "name": description.name,
        "title": description.title,
        "license": description.license,
        "generator": f"artifacts_tool {__version__}",
        "task": "image-classification",
        "input": {"name": input_name, "dtype": "float32", "shape": ["N", *shape_of(steps)]},
        "outputs": outputs,
        "loss": "cross-entropy",
        "labels_input": LABELS,
        "optimizer": "AdamW",
        **_classes(artifacts, description),
        "preprocessing": description.preprocessing,
        "trainable": [_trainable(parameter) for parameter in artifacts.parameters if parameter.trainable],
        "parameters": places,
    }
    try:
        program = _program(artifacts, parse(sealed(manifest, files.__getitem__, FILES)), values)
    except (NotRecordable, PagetrainError) as reason:
        write_files(directory, {**files, MANIFEST_FILE: sealed(manifest, files.__getitem__, FILES)})
        return str(reason)
    files |= {EMBEDDING["embedding"]: program}
    write_files(directory, {**files, MANIFEST_FILE: sealed(manifest, files.__getitem__, FILES | EMBEDDING)})
    return ""


def _program(artifacts: Artifacts, manifest: Manifest, values: bytes) -> bytes:
    """embedding.json. Raises NotRecordable."""
    frozen = {parameter.name: parameter.tensor.data for parameter in artifacts.parameters if not parameter.trainable}
    cut = find_cut(artifacts.training_model.graph, frozen, [manifest.input])
    return embedding_program(manifest, artifacts.training_model.graph, cut, frozen, values)


def sealed(manifest: dict[str, Any], content: Callable[[str], Content], paths: Mapping[str, str]) -> bytes:
    """manifest.json with sizes and hashes of the files, {key: file name} and content(file name) -> bytes, and the fingerprint over them."""
    files = {key: _file_entry(path, content(path)) for key, path in paths.items()}
    manifest = {key: value for key, value in manifest.items() if key not in ("fingerprint", "files")}
    whole = {**manifest, "fingerprint": _fingerprint(manifest, files), "files": files}
    return (json.dumps(whole, indent=1) + "\n").encode()


def _file_entry(path: str, content: Content) -> dict[str, Any]:
    pieces = [content] if isinstance(content, bytes) else content
    hashed = hashlib.sha256()
    for piece in pieces:
        hashed.update(piece)
    return {"path": path, "bytes": sum(map(len, pieces)), "sha256": hashed.hexdigest()}


def _fingerprint(manifest: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> str:
    """sha256 of the canonical JSON of what makes two models merge-able, followed by the hex digests of inference_model and parameters."""
    base: dict[str, Any] = {key: manifest[key] for key in ("name", "input", "outputs", "preprocessing")}
    base["trainable"] = [{"name": one["name"], "shape": one["shape"]} for one in manifest["trainable"]]
    text = json.dumps(base, sort_keys=True, separators=(",", ":")) + files["inference_model"]["sha256"] + files["parameters"]["sha256"]
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _picture_input(artifacts: Artifacts) -> tuple[str, TensorType]:
    held = {parameter.name for parameter in artifacts.parameters}
    users = [value for value in artifacts.eval_model.graph.inputs if value.name not in held and value.name != LABELS]
    if len(users) != 1 or not isinstance(users[0].type, TensorType) or users[0].type.element != ElementType.FLOAT:
        taken = ", ".join(value.name for value in users)
        raise InvalidInputError(f"A page model takes one float32 picture tensor; this one takes {taken or 'nothing'}.")
    return users[0].name, users[0].type


def _refuse_other_shape(name: str, type_: TensorType, made: Sequence[int]) -> None:
    """Open sizes take what the preprocessing makes; the batch has to be open, as pictures come one by one and train together."""
    if type_.shape is None:
        return
    if len(type_.shape) != 4 or any(isinstance(size, int) and size != one for size, one in zip(type_.shape[1:], made, strict=True)):
        raise InvalidInputError(
            f"The preprocessing makes pictures {shape_text(tuple(made))}, but the model's input {name!r} is {shape_text(type_.shape)}; "
            "set center-crop and layout to what the model takes."
        )
    if isinstance(type_.shape[0], int):
        raise InvalidInputError(f"The model's input {name!r} has a batch of {type_.shape[0]}, and no other; export it with an open batch.")


def _refuse_moving_statistics(artifacts: Artifacts) -> None:
    """A page keeps a picture's features, and what is frozen it neither saves nor exports anew."""
    moving = [node.called for node in artifacts.training_model.graph.nodes if node.op_type == BY_BATCH_STATISTICS]
    if moving:
        raise InvalidInputError(
            f"{len(moving)} BatchNormalization nodes, {moving[0]!r} first, change their running statistics in training, which a page "
            "cannot do; export the model in evaluation mode and leave --batch-statistics out."
        )


def _classes(artifacts: Artifacts, description: Description) -> dict[str, Any]:
    """num_classes and labels: null while symbolic; a static head without given names counts from 0."""
    shape = value_types(artifacts.eval_model.graph)[description.logits].shape or ()
    classes = shape[-1]
    if not isinstance(classes, int):
        return {"num_classes": None, "labels": None}
    return {"num_classes": classes, "labels": checked_labels(description.labels, classes)}


def checked_labels(labels: Sequence[str] | None, classes: int) -> list[str]:
    """The names of the classes, "0", "1", ... if none are given. Raises InvalidInputError for a wrong number of them."""
    found = [str(index) for index in range(classes)] if labels is None else list(labels)
    if len(found) != classes:
        raise InvalidInputError(f"The model has {classes} classes but {len(found)} labels were given.")
    return found


def _is_stored(parameter: Parameter) -> bool:
    """Whether the values are in parameters.bin: frozen ones always, trainable ones unless they are all zeros (or have no rows yet)."""
    return not parameter.trainable or bool(np.any(parameter.tensor.data))


def _trainable(parameter: Parameter) -> dict[str, Any]:
    init = "stored" if _is_stored(parameter) else "zeros"
    return {"name": parameter.name, "dtype": "float32", "shape": list(parameter.shape), "init": init}


def _parameter_file(parameters: Sequence[Parameter], forms: Mapping[str, Stored]) -> tuple[list[dict[str, Any]], bytes]:
    """(manifest entries, bytes) of the stored parameters, in the order of the training graph's inputs, each aligned to 4 bytes."""
    wrong = [parameter.name for parameter in parameters if parameter.type.element != ElementType.FLOAT]
    if wrong:
        raise InvalidInputError(f"The parameters {', '.join(map(repr, wrong))} are not float32, which page models need.")
    places: list[dict[str, Any]] = []
    content = bytearray()
    for parameter in filter(_is_stored, parameters):
        form = forms.get(parameter.name) or Stored(parameter.tensor.data)
        content += bytes(-len(content) % ALIGNMENT)
        places.append(
            {
                "name": parameter.name,
                "dtype": "float32",
                "stored": form.values.dtype.name,
                "shape": list(parameter.shape),
                "offset": len(content),
                "bytes": len(form.bytes),
            }
        )
        content += form.bytes
    return places, bytes(content)
