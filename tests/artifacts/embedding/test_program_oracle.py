"""The frozen part as a program: its calls alone make what the runtime makes, and there is none where they would not."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from artifacts_tool.bind import bind_num_classes
from artifacts_tool.embedding import program
from artifacts_tool.embedding.replay import replayed
from artifacts_tool.frozen_storage import stored_forms
from artifacts_tool.generate import build
from artifacts_tool.loss import LossType
from artifacts_tool.onnx_io import model_of
from artifacts_tool.optimizer import OptimType
from artifacts_tool.page_artifacts import Description, write_page_artifacts
from pagetrain import Personalizer
from pagetrain.names import NUM_CLASSES

pytestmark = pytest.mark.oracle
RUN_PROGRAM = Path(__file__).parents[2] / "web/run_program.mjs"
SIZE = 64  # then the residual has 16 x 16 x 16 numbers: small ones numpy adds up sooner than a C function is called
STEPS = [
    {"op": "to-rgb", "background": [255, 255, 255]},
    {"op": "resize-shortest", "size": SIZE, "resample": "bilinear"},
    {"op": "center-crop", "width": SIZE, "height": SIZE},
    {"op": "normalize", "mean": [127, 117, 107], "std": [128, 120, 110]},
]
NCHW = {"version": 1, "steps": [*STEPS, {"op": "layout", "order": "NCHW"}]}
NHWC = {"version": 1, "steps": [*STEPS, {"op": "layout", "order": "NHWC"}]}
HEAD = {"head.weight": (NUM_CLASSES, 12), "head.bias": (NUM_CLASSES,)}
# Sums of up to 72 products, added up in another order than numpy's own kernels do.
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def network(*middle: Any, normalized: bool = False) -> ModelProto:
    """input (N, 3, 64, 64) -> stem, depthwise with stride, expanding and projecting, a residual -> 12 features -> logits."""
    rng = np.random.default_rng(11)
    shapes = {"stem": (16, 3, 3, 3), "deep": (16, 1, 5, 5), "wide": (20, 16, 1, 1), "narrow": (16, 20, 1, 1), "last": (12, 16, 1, 1)}
    weights = {f"{name}.weight": rng.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape) for name, shape in shapes.items()}
    weights |= {f"{name}.bias": rng.normal(0, 0.1, shape[0]) for name, shape in shapes.items()}
    weights |= {"head.weight": np.zeros((0, 12)), "head.bias": np.zeros(0), "zero": np.array(0.0), "six": np.array(6.0)}
    if normalized:
        weights |= {
            "scale": rng.normal(1, 0.1, 16),
            "shift": rng.normal(0, 0.1, 16),
            "mean": rng.normal(0, 0.1, 16),
            "var": np.full(16, 0.9),
        }

    def conv(name: str, source: str, to: str, **attributes: Any) -> Any:
        return helper.make_node("Conv", [source, f"{name}.weight", f"{name}.bias"], [to], **attributes)

    nodes = [
        conv("stem", "input", "s", strides=[2, 2], auto_pad="SAME_UPPER"),
        *([helper.make_node("BatchNormalization", ["s", "scale", "shift", "mean", "var"], ["n"])] if normalized else []),
        helper.make_node("Clip", ["n" if normalized else "s", "zero", "six"], ["s6"]),
        conv("deep", "s6", "d", group=16, strides=[2, 2], pads=[2, 2, 2, 2]),
        helper.make_node("Relu", ["d"], ["d6"]),
        *middle,
        conv("wide", "m" if middle else "d6", "w"),
        helper.make_node("Relu", ["w"], ["w6"]),
        conv("narrow", "w6", "r"),
        helper.make_node("Add", ["r", "d6"], ["sum"]),
        conv("last", "sum", "l"),
        helper.make_node("GlobalAveragePool", ["l"], ["pool"]),
        helper.make_node("Flatten", ["pool"], ["features"]),
        helper.make_node("Gemm", ["features", "head.weight", "head.bias"], ["logits"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", NUM_CLASSES])],
        [numpy_helper.from_array(values.astype(np.float32), name) for name, values in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def write(folder: Path, model: ModelProto, *, storage: str = "float32", deeper: tuple[str, ...] = (), preprocessing: Any = NCHW) -> str:
    """Page artifacts of the model; what write_page_artifacts says of the program."""
    frozen = [one.name for one in model.graph.initializer if one.dims and one.name not in (*HEAD, *deeper)]
    artifacts = build(
        model_of(model), [*deeper, *HEAD], frozen, LossType.CrossEntropyLoss, OptimType.AdamW, additional_output_names=["logits"],
        parameter_shapes=HEAD,
    )  # fmt: skip
    description = Description("small", "A small network", "CC0-1.0", preprocessing, "logits", "features", None)
    return write_page_artifacts(artifacts, description, folder, stored_forms(artifacts.parameters, storage))


def program_of(folder: Path) -> tuple[dict[str, Any], bytes]:
    return json.loads((folder / "embedding.json").read_text()), (folder / "parameters.bin").read_bytes()


def pictures(count: int) -> list[np.ndarray]:
    return list(np.random.default_rng(2).integers(0, 256, (count, SIZE, SIZE, 3), np.uint8))


@pytest.mark.parametrize("storage", ["float32", "float16"])
@pytest.mark.parametrize("deeper", [(), ("last.weight", "last.bias"), ("narrow.weight",)])
def test_a_program_makes_the_features(tmp_path: Path, storage: str, deeper: tuple[str, ...]) -> None:
    """Also behind a picture of before, whatever the storage, and where the cut is two images that lie channels last."""
    assert write(tmp_path, network(), storage=storage, deeper=deeper) == ""
    document, file = program_of(tmp_path)
    job, (first, second) = Personalizer.load(tmp_path), pictures(2)
    np.testing.assert_allclose(replayed(document, file, second), job.embed(second), **CLOSE)
    np.testing.assert_array_equal(replayed(document, file, first, second), replayed(document, file, second))
    assert len(document["outputs"]) == len(job._module.cut)


@pytest.mark.node
@pytest.mark.parametrize("storage", ["float32", "float16"])
@pytest.mark.parametrize("deeper", [(), ("narrow.weight",)])
def test_the_real_functions_make_the_features(tmp_path: Path, storage: str, deeper: tuple[str, ...]) -> None:
    """The worker's own script and the C functions, in node: what the numpy kernels make of the same picture."""
    assert write(tmp_path, network(), storage=storage, deeper=deeper) == ""
    (seen,) = pictures(1)
    (tmp_path / "pixels").write_bytes(seen.tobytes())
    command = [str(shutil.which("node")), RUN_PROGRAM, *(tmp_path / name for name in ("embedding.json", "parameters.bin", "pixels"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(json.loads(done.stdout), Personalizer.load(tmp_path).embed(seen), **CLOSE)


def test_pictures_with_channels_last_are_taken(tmp_path: Path) -> None:
    """Layout NHWC, as models from Keras have it, with the transposition in the graph."""
    model = network()
    model.graph.node.insert(0, helper.make_node("Transpose", ["picture"], ["input"], perm=[0, 3, 1, 2]))
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("picture", TensorProto.FLOAT, ["N", SIZE, SIZE, 3]))
    assert write(tmp_path, model, preprocessing=NHWC) == ""
    (seen,) = pictures(1)
    np.testing.assert_allclose(replayed(*program_of(tmp_path), seen), Personalizer.load(tmp_path).embed(seen), **CLOSE)


def test_the_same_model_makes_the_same_program(tmp_path: Path) -> None:
    """Byte for byte, and the manifest names it with its hash."""
    for name in ("a", "b"):
        write(tmp_path / name, network())
    assert (tmp_path / "a/embedding.json").read_bytes() == (tmp_path / "b/embedding.json").read_bytes()
    assert Personalizer.load(tmp_path / "a").manifest.files["embedding"].path == "embedding.json"


@pytest.mark.parametrize("op_type", ["Sigmoid", "LeakyRelu", "Softplus"])
def test_what_numpy_has_to_run_has_no_program(tmp_path: Path, op_type: str) -> None:
    """The reason is told, the other files are as ever."""
    reason = write(tmp_path, network(helper.make_node(op_type, ["d6"], ["m"])))
    assert "values that no C function has made" in reason
    assert not (tmp_path / "embedding.json").exists()
    assert "embedding" not in Personalizer.load(tmp_path).manifest.files


def test_filters_that_are_no_parameters_do_not_go_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A normalization in the graph is folded when a plan is bound: few such constants are written down, many would be the weights again."""
    assert write(tmp_path / "few", network(normalized=True)) == ""
    (seen,) = pictures(1)
    np.testing.assert_allclose(replayed(*program_of(tmp_path / "few"), seen), Personalizer.load(tmp_path / "few").embed(seen), **CLOSE)
    monkeypatch.setattr(program, "_MOST_CONSTANTS", 1000)
    assert "bytes of constants are no parameters" in write(tmp_path / "many", network(normalized=True))


def test_int8_has_no_program(tmp_path: Path) -> None:
    """Python reads it, embedding workers do not."""
    assert "stored as int8" in write(tmp_path, network(), storage="int8")


def test_without_a_frozen_part_there_is_no_program(tmp_path: Path) -> None:
    """Then every step starts from the picture."""
    assert "nothing is frozen" in write(tmp_path, network(), deeper=("stem.weight",))


def test_a_bound_set_keeps_its_program(tmp_path: Path) -> None:
    """The number of classes changes the head alone."""
    write(tmp_path, network())
    before = (tmp_path / "embedding.json").read_bytes()
    bind_num_classes(tmp_path, 3)
    assert (tmp_path / "embedding.json").read_bytes() == before
    assert Personalizer.load(tmp_path).manifest.files["embedding"].bytes == len(before)
