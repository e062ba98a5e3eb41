"""The jobs: who takes part, how one of them is measured, and which columns its table has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Playwright

from bench import browser, checks
from bench.contestants import ORT, ORT_TRAINING, PAGETRAIN, STOCK, TFJS, Contestant
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
    """One measure in a table. spread: show the range, too; compared: how much of a contestant's value pagetrain takes."""

    measure: str
    heading: str
    unit: str
    digits: int
    spread: bool = False
    compared: bool = False


@dataclass(frozen=True)
class Job:
    """title: what is measured, for the table. contestants: pagetrain first. quick: those that take part in a quick run."""

    name: str
    title: str
    contestants: tuple[Contestant, ...]
    quick: tuple[Contestant, ...]
    measure: Callable[[Bench, Contestant], dict[str, Any]]
    columns: tuple[Column, ...]


def _training(bench: Bench, contestant: Contestant, block: bool) -> dict[str, Any]:
    answer = browser.run(bench.playwright, bench.server, contestant, "train", {**bench.sizes, "block": block})
    if "unsupported" in answer:
        return {"unsupported": answer["unsupported"]}
    checks.learns(answer.pop("losses"))
    checks.same_network(answer.pop("features", None))
    return _in_seconds(answer, bench.sizes["pictures"])


def _in_seconds(answer: Mapping[str, Any], pictures: float) -> dict[str, Any]:
    """work: all but the loading."""
    measured = {
        "total": answer["totalMs"] / 1000,
        "load": answer["loadMs"] / 1000,
        "work": (answer["totalMs"] - answer["loadMs"]) / 1000,
        "step": answer["stepMs"],
        **({"picture": answer["embedMs"] / pictures} if "embedMs" in answer else {}),
    }
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
    return {"cold": first["readyMs"] / 1000, "second": second["readyMs"] / 1000, "bytes": first["bytes"], "bytes again": second["bytes"]}


_TRAINING_COLUMNS = (
    Column("total", "whole job", "s", 2, spread=True, compared=True),
    Column("load", "load", "s", 2),
    Column("picture", "forward per picture", "ms", 1),
    Column("step", "training step", "ms", 1),
    Column("memory", "memory of the tab", "MB", 0),
)

JOBS = {
    job.name: job
    for job in (
        Job(
            "last", "The last layer: from a cold start to a trained head",
            (PAGETRAIN, *TFJS, *ORT, *ORT_TRAINING), (PAGETRAIN, TFJS[0], ORT[0], ORT_TRAINING[0]),
            _last, _TRAINING_COLUMNS,
        ),
        Job(
            "block", "The last block too: MBConv block 16, head convolution and classifier",
            (PAGETRAIN, *ORT_TRAINING, TFJS[0]), (PAGETRAIN, ORT_TRAINING[0], TFJS[0]),
            _block, _TRAINING_COLUMNS,
        ),
        Job(
            "forward", "The frozen network alone, per picture",
            (PAGETRAIN, *TFJS, *ORT, *ORT_TRAINING), (PAGETRAIN, TFJS[1], ORT[1]),
            _forward,
            (Column("picture", "per picture", "ms", 1, spread=True, compared=True), Column("memory", "memory of the tab", "MB", 0)),
        ),
        Job(
            "start", "Start: from the first byte to a model that can be trained; for stock Pyodide, to numpy imported",
            (PAGETRAIN, STOCK), (PAGETRAIN, STOCK),
            _start,
            (
                Column("cold", "first visit", "s", 2, spread=True, compared=True),
                Column("second", "second visit", "s", 2, spread=True),
                Column("bytes", "sent in the first visit, with brotli", "MB", 1),
                Column("bytes again", "in the second", "MB", 1),
            ),
        ),
    )
}  # fmt: skip
