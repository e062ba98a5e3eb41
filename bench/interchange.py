"""Who can use whose files: {our artifacts, ONNX Runtime's} x {our trainer, ONNX Runtime's}, against what the real package recorded.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.interchange [--install] [--write]

For each recorded training of tests/data/golden: losses, additional outputs, gradients and parameters of every step that the recording
holds, from the .onnx and from the .ort graphs. The columns of ONNX Runtime's trainer need onnxruntime-training 1.19.2, which --install
puts into .cache/ort-training (Python 3.11). --write puts the table into docs/interchange.md.
"""

import argparse
import datetime
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import numpy as np
import onnxruntime

import pagetrain
from artifacts_tool.forward import prepare
from artifacts_tool.generate import write
from artifacts_tool.onnx_io import infer_types, read
from artifacts_tool.ort_writer import to_ort
from docs.blocks import FOLDER, blocks_of, table, with_block
from pagetrain.graph import Model, Tensor
from tests.api.golden import TRACES
from tests.artifacts.conftest import Golden
from tests.ort_training import environment, replay

Found = Mapping[str, np.ndarray]
PAGE = FOLDER / "interchange.md"
BLOCK = "interchange"
# |ours - recorded| <= 5e-5 + 1e-4 |recorded|, written as a quotient: relative, but never to less than 0.5. Why this much: input noise of
# relative size 1e-6, as another order of sums makes, moves recorded values by up to 3e-5; errors move them by far more.
FLOOR, TOLERANCE = 0.5, 1e-4
NOT_INSTALLED = "not installed"
MUST_HOLD = {"loss", "grad_after_train_step", "param_after_opt", "grad_after_opt", "param_final", "eval_loss_before", "eval_loss_after"}


@dataclass(frozen=True)
class Column:
    """Who made the artifacts and who trains on them."""

    ours: bool
    trainer: Callable[[Path, Path, str], Found] | None  # artifacts, golden folder, suffix; None: not installed
    title: str


def difference(found: Found, recorded: Found) -> float:
    """The largest |found - recorded| / (FLOOR + |recorded|) over all that is recorded of the training; inf where a number is missing."""
    wanted = [key for key in recorded if key.split("/")[0] in MUST_HOLD or key.startswith("extra/")]
    assert {key.split("/")[0] for key in wanted} >= MUST_HOLD
    return max(_worst(found[key], recorded[key]) if key in found else np.inf for key in wanted)


def _worst(found: np.ndarray, recorded: np.ndarray) -> float:
    if found.shape != recorded.shape or not np.isfinite(found).all():
        return np.inf
    return float((np.abs(found - recorded) / (FLOOR + np.abs(recorded))).max(initial=0))


def ours(artifacts: Path, golden: Path, suffix: str) -> Found:
    """pagetrain; its Module takes the path of an .ort file, or a graph."""
    return replay.train(pagetrain, artifacts, golden, suffix)


def theirs(python: Path) -> Callable[[Path, Path, str], Found]:
    """onnxruntime.training of another Python; a process for each training, because it can end its process."""

    def train(artifacts: Path, golden: Path, suffix: str) -> Found:
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder, "found.npz")
            command = [str(python), replay.__file__, str(artifacts), str(golden), suffix, str(output)]
            finished = subprocess.run(command, capture_output=True, text=True, check=False)
            if finished.returncode:
                print(f"{artifacts}: status {finished.returncode}\n{finished.stderr[-2000:]}", file=sys.stderr)
                return {}
            return dict(np.load(output))

    return train


def columns(python: Path | None) -> list[Column]:
    """The four cells of the table's name."""
    trainers = {"pagetrain": ours, "ORT": theirs(python) if python else None}
    return [
        Column(mine, trainer, f"{who} in {name}") for name, trainer in trainers.items() for mine, who in ((True, "ours"), (False, "ORT's"))
    ]


def cell(golden: Golden, artifacts: Path, column: Column) -> float | None:
    """The worse of the .onnx and the .ort graphs; None where the trainer is not installed."""
    if column.trainer is None:
        return None
    folder = artifacts if column.ours else golden.folder
    return max(difference(column.trainer(folder, golden.folder, suffix), golden.trace) for suffix in ("onnx", "ort"))


def same_checkpoints(golden: Golden, artifacts: Path) -> bool:
    """Whether checkpoint and nominal_checkpoint are ONNX Runtime's byte for byte."""
    return all((artifacts / name).read_bytes() == (golden.folder / name).read_bytes() for name in ("checkpoint", "nominal_checkpoint"))


def inference(golden: Golden) -> float:
    """The answers of the trained model as our .ort in today's onnxruntime, against those of the model that the real package exported."""
    trained = {name: golden.trace[f"param_final/{name}"] for name in (*golden.meta["requires_grad"], *golden.meta["frozen"])}
    session = onnxruntime.InferenceSession(to_ort(_with_values(golden, trained)), providers=["CPUExecutionProvider"])
    names = golden.meta["infer_outputs"]
    answers = session.run(names, {name: golden.feeds(0)[name] for name in golden.meta["inference_inputs"]})
    return max(_worst(answer, golden.trace[f"inference/{name}"]) for name, answer in zip(names, answers, strict=True))


def _with_values(golden: Golden, values: Mapping[str, np.ndarray]) -> Model:
    model = read(golden.folder / "base.onnx")
    held = tuple(Tensor(tensor.name, values.get(tensor.name, tensor.data)) for tensor in model.graph.initializers)
    return infer_types(prepare(replace(model, graph=replace(model.graph, initializers=held))))


def row(name: str, python: Path | None) -> list[str]:
    """One line of the table."""
    golden = Golden(name)
    with tempfile.TemporaryDirectory() as folder:
        artifacts = Path(folder)
        write(golden.build(), artifacts, ort_format=True, nominal_checkpoint=True)
        cells = [cell_text(cell(golden, artifacts, column)) for column in columns(python)]
        return [name, *cells, "identical" if same_checkpoints(golden, artifacts) else "**differ**", cell_text(inference(golden))]


def cell_text(value: float | None) -> str:
    """One digit; what is beyond the tolerance stands out."""
    if value is None:
        return NOT_INSTALLED
    text = f"{value:.0e}" if value else "0"
    return text if value <= TOLERANCE else f"**{text}, fails**"


def measured(python: Path | None) -> str:
    """The table and, below it, with what it was measured."""
    header = ["model", *(column.title for column in columns(python)), "checkpoints", "our inference .ort in onnxruntime"]
    versions = {
        "onnxruntime-training": "1.19.2" if python else NOT_INSTALLED,
        "onnxruntime": onnxruntime.__version__,
        "onnx": metadata.version("onnx"),
        "numpy": np.__version__,
        "pagetrain": pagetrain.__version__,
    }
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    with_what = ", ".join(f"{name} {version}" for name, version in versions.items())
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return f"{table(header, [row(name, python) for name in TRACES])}\n\n{today}: {with_what}; {where}."


def rows_of(page: str) -> dict[str, list[str]]:
    """{model: its other cells} of the table on the page."""
    lines = [line.strip("| ").split(" | ") for line in blocks_of(page)[BLOCK].splitlines() if line.startswith("|")]
    return {name: cells for name, *cells in lines[2:]}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, and with --write renews the page. Returns 1 if a cell fails."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install onnxruntime-training 1.19.2 first, apart")
    parser.add_argument("--write", action="store_true", help="put the table into docs/interchange.md")
    options = parser.parse_args(arguments)
    python = environment.install() if options.install else environment.installed()
    if options.write and python is None:
        parser.error("the page holds ONNX Runtime's columns too; add --install")
    text = measured(python)
    print(text)
    if options.write:
        PAGE.write_text(with_block(PAGE.read_text(encoding="utf-8"), BLOCK, text), encoding="utf-8")
    return int("**" in text)


if __name__ == "__main__":
    raise SystemExit(main())
