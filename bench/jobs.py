"""The jobs: who takes part, how one of them is measured, and which columns its table has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Playwright

from bench import browser, checks, growth, heavy, native
from bench.contestants import LOADED_FIRST, NUMPY, ONE_WORKER, ORT, ORT_TRAINING, PAGETRAIN, STOCK, TFJS, Contestant
from bench.served import BenchServer

FULL: Mapping[str, int | float] = {
    "pictures": 60, "classes": 4, "epochs": 10, "batch": 8, "size": 224, "learningRate": 1e-3, "warmUp": 8, "capSeconds": 8,
}  # fmt: skip
QUICK = {**FULL, "pictures": 8, "epochs": 3, "batch": 4, "warmUp": 4, "capSeconds": 1}


@dataclass(frozen=True)
class Bench:
    """What a measurement needs."""

    playwright: Playwright
    server: BenchServer
    sizes: Mapping[str, int | float]


@dataclass(frozen=True)
class Column:
    """One measure in a table. spread: show the range, too; against: whose value is compared with everybody's."""

    measure: str
    heading: str
    unit: str
    digits: int
    spread: bool = False
    against: Contestant | None = None


@dataclass(frozen=True)
class Job:
    """title: what is measured, for the table. contestants: pagetrain first. quick: those that take part in a quick run."""

    name: str
    title: str
    contestants: tuple[Contestant, ...]
    quick: tuple[Contestant, ...]
    measure: Callable[[Bench, Contestant], dict[str, Any]]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Alone:
    """A job that measures in its own way. run(quick) -> what is kept, table(that) -> Markdown."""

    name: str
    title: str
    run: Callable[[bool], dict[str, Any]]
    table: Callable[[Mapping[str, Any]], str]


def _training(bench: Bench, contestant: Contestant, block: bool) -> dict[str, Any]:
    answer = browser.run(bench.playwright, bench.server, contestant, "train", {**bench.sizes, "block": block})
    if "unsupported" in answer:
        return {"unsupported": answer["unsupported"]}
    checks.learns(answer.pop("losses"))
    checks.same_network(answer.pop("features", None))
    return _in_seconds(answer, bench.sizes["pictures"])


def _in_seconds(answer: Mapping[str, Any], pictures: float) -> dict[str, Any]:
    """work: all but the loading, where pictures wait for that."""
    measured = {"total": answer["totalMs"] / 1000, "load": answer["loadMs"] / 1000, "step": answer["stepMs"]}
    if answer.get("embedMs") is not None:
        measured |= {"picture": answer["embedMs"] / pictures, "work": (answer["totalMs"] - answer["loadMs"]) / 1000}
    return {**measured, **{key: answer[key] for key in ("backend", "bytes", "memory", "extrapolated") if key in answer}}


def _last(bench: Bench, contestant: Contestant) -> dict[str, Any]:
    return _training(bench, contestant, block=False)


def _block(bench: Bench, contestant: Contestant) -> dict[str, Any]:
    return _training(bench, contestant, block=True)


def _forward(bench: Bench, contestant: Contestant) -> dict[str, Any]:
    answer = browser.run(bench.playwright, bench.server, contestant, "forward", {**bench.sizes, "block": False})
    return {"picture": answer["pictureMs"], "memory": answer["memory"]}


def _start(bench: Bench, contestant: Contestant) -> dict[str, Any]:
    first, second = browser.twice(bench.playwright, bench.server, contestant, "visit", {**bench.sizes, "block": False})
    usable = {"usable": browser.usable(bench.playwright, bench.server)} if contestant is PAGETRAIN else {}
    return {
        "cold": first["readyMs"] / 1000,
        "second": second["readyMs"] / 1000,
        "bytes": first["bytes"],
        "bytes again": second["bytes"],
    } | usable


_TRAINING_COLUMNS = (
    Column("total", "whole job", "s", 2, spread=True, against=PAGETRAIN),
    Column("load", "load", "s", 2),
    Column("work", "without loading", "s", 2, against=LOADED_FIRST),
    Column("picture", "forward per picture", "ms", 1),
    Column("step", "training step", "ms", 1),
    Column("memory", "memory of the tab", "MB", 0),
)

JOBS: Mapping[str, Job | Alone] = {
    job.name: job
    for job in (
        Job(
            "last", "The last layer: from a cold start to a trained head",
            (PAGETRAIN, LOADED_FIRST, NUMPY, *TFJS, *ORT, *ORT_TRAINING), (PAGETRAIN, NUMPY, TFJS[0], ORT[0], ORT_TRAINING[0]),
            _last, _TRAINING_COLUMNS,
        ),
        Job(
            "block", "The last block too: MBConv block 16, head convolution and classifier",
            (PAGETRAIN, *ORT_TRAINING, TFJS[0]), (PAGETRAIN, ORT_TRAINING[0], TFJS[0]),
            _block, _TRAINING_COLUMNS,
        ),
        Job(
            "forward", "The frozen network alone, per picture",
            (PAGETRAIN, ONE_WORKER, NUMPY, *TFJS, *ORT, *ORT_TRAINING), (PAGETRAIN, ONE_WORKER, TFJS[1], ORT[1]),
            _forward,
            (Column("picture", "per picture", "ms", 1, spread=True, against=PAGETRAIN), Column("memory", "memory of the tab", "MB", 0)),
        ),
        Job(
            "start", "Start: from the first byte to a model that can be trained; for stock Pyodide, to numpy imported",
            (PAGETRAIN, STOCK), (PAGETRAIN, STOCK),
            _start,
            (
                Column("cold", "first visit", "s", 2, spread=True, against=PAGETRAIN),
                Column("second", "second visit", "s", 2, spread=True, against=PAGETRAIN),
                Column("usable", "the playground takes pictures after", "ms", 0),
                Column("bytes", "sent in the first visit, with brotli", "MB", 1),
                Column("bytes again", "in the second", "MB", 1),
            ),
        ),
        Alone("growth", "Growth: 2,000 pictures in one drop on the playground", growth.run, growth.table),
        Alone("heavy", "Heavy work on the playground, and how long it keeps the page", heavy.run, heavy.table),
        Alone("native", "Without a browser: training in CPython beside the native onnxruntime-training 1.19.2", native.run, native.text),
    )
}  # fmt: skip
