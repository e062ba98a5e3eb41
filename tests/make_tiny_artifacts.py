"""Writes tests/data/tiny_artifacts: the page artifacts of a network small enough to train in a test, classes open.

Run: python tests/make_tiny_artifacts.py [FOLDER]. Two convolutions and global pooling with weights of a fixed seed, 12 features, a Gemm
head.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from artifacts_tool.frozen_storage import stored_forms
from artifacts_tool.generate import build
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import model_of
from artifacts_tool.optimizer import OptimType
from artifacts_tool.page_artifacts import Description, write_page_artifacts
from pagetrain.names import NUM_CLASSES

SIZE, FEATURES = 16, 12
HEAD = {"classifier.weight": (NUM_CLASSES, FEATURES), "classifier.bias": (NUM_CLASSES,)}
PREPROCESSING = {
    "version": 1,
    "steps": [
        {"op": "exif-transpose"},
        {"op": "to-rgb", "background": [255, 255, 255]},
        {"op": "resize-shortest", "size": 18, "resample": "bicubic"},
        {"op": "center-crop", "width": SIZE, "height": SIZE},
        {"op": "normalize", "mean": [127, 127, 127], "std": [128, 128, 128]},
        {"op": "layout", "order": "NCHW"},
    ],
}
KEPT = (
    "manifest.json",
    "training_model.ort",
    "eval_model.ort",
    "optimizer_model.ort",
    "nominal_checkpoint",
    "parameters.bin",
    "inference_model.onnx",
    "embedding.json",
)


def network() -> object:
    """input (N, 3, 16, 16) -> logits (N, num_classes), by way of `features` (N, 12)."""
    rng = np.random.default_rng(7)
    weights = {
        "conv1.weight": rng.normal(0, 0.4, (8, 3, 3, 3)),
        "conv1.bias": rng.normal(0, 0.1, 8),
        "conv2.weight": rng.normal(0, 0.25, (FEATURES, 8, 3, 3)),
        "conv2.bias": rng.normal(0, 0.1, FEATURES),
        "classifier.weight": np.zeros((0, FEATURES)),
        "classifier.bias": np.zeros(0),
    }
    nodes = [
        helper.make_node("Conv", ["input", "conv1.weight", "conv1.bias"], ["c1"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("Conv", ["r1", "conv2.weight", "conv2.bias"], ["c2"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"]),
        helper.make_node("GlobalAveragePool", ["r2"], ["pool"]),
        helper.make_node("Flatten", ["pool"], ["features"]),
        helper.make_node("Gemm", ["features", "classifier.weight", "classifier.bias"], ["logits"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", NUM_CLASSES])],
        [numpy_helper.from_array(values.astype(np.float32), name) for name, values in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main(folder: Path, deeper: tuple[str, ...] = (), storage: str = "float32", *, whole: bool = False) -> None:
    """Writes the files that the runtime reads. deeper: parameters to train beside the head. storage: of the others. whole: all files."""
    folder.mkdir(parents=True, exist_ok=True)
    frozen = [name for name in ("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias") if name not in deeper]
    artifacts = build(
        model_of(network()),
        [*deeper, *HEAD],
        frozen,
        LossType.CrossEntropyLoss,
        OptimType.AdamW,
        additional_output_names=["logits"],
        parameter_shapes=HEAD,
    )
    description = Description("tiny", "A tiny network", "CC0-1.0", PREPROCESSING, "logits", "features", None)
    write_page_artifacts(artifacts, description, folder, stored_forms(artifacts.parameters, storage))
    for path in folder.iterdir():
        if not whole and path.name not in KEPT and path.name != "README.md":
            path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data" / "tiny_artifacts")
