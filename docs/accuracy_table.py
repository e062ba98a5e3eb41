"""The tables of accuracy.md, from what bench.accuracy and bench.near_duplicates found."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from docs.blocks import table

_RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results"
_Z = 1.959963984540054  # the 97.5 % point of the standard normal distribution


def _result(name: str) -> dict[str, Any]:
    return dict(json.loads((_RESULTS / f"{name}.json").read_text(encoding="utf-8")))


def accuracy() -> str:
    """A row for each task and number of pictures: what unseen pictures say, and what was said before of the seen ones, each way."""
    found = _result("accuracy")["rows"]
    variants = list(dict.fromkeys(row["variant"] for row in found))
    header = [
        "task",
        "classes",
        "pictures of each",
        *(f"{part}, {variant}" for variant in variants for part in ("unseen right", "foretold", "off by")),
    ]
    places = dict.fromkeys((row["task"], row["classes"], row["count"]) for row in found)
    by = {(row["task"], row["count"], row["variant"]): row["trials"] for row in found}
    return table(
        header, [[*place, *(cell for variant in variants for cell in _cells(by[place[0], place[2], variant]))] for place in places]
    )


def _cells(trials: Sequence[Mapping[str, int]]) -> list[str]:
    right = [one["right"] / one["unseen"] for one in trials]
    foretold = [one["judged_right"] / one["judged"] for one in trials]
    off = [abs(one - other) for one, other in zip(right, foretold, strict=True)]
    return [f"{_percent(fmean(right))} ± {_percent(pstdev(right))}", _percent(fmean(foretold)), _percent(fmean(off))]


def intervals() -> str:
    """How often the 95 % interval around what was foretold held the accuracy on unseen pictures."""
    found = _result("accuracy")["rows"]
    variants = dict.fromkeys(row["variant"] for row in found)
    counts = sorted({row["count"] for row in found})
    lines = []
    for variant in variants:
        mine = [[one for row in found if (row["variant"], row["count"]) == (variant, count) for one in row["trials"]] for count in counts]
        lines.append([variant, *(f"{sum(map(_holds, trials))} of {len(trials)}" for trials in mine)])
    return table(["", *(f"{count} of each" for count in counts)], lines)


def wilson(right: int, count: int) -> tuple[float, float]:
    """The score interval of right / count at 95 %: (p + z²/2n ± z sqrt(p (1 - p) / n + z²/4n²)) / (1 + z²/n). Source: E. B. Wilson 1927."""
    share, square = right / count, _Z * _Z / count
    half = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return (share + square / 2 - half) / (1 + square), (share + square / 2 + half) / (1 + square)


def _holds(trial: Mapping[str, int]) -> bool:
    low, high = wilson(trial["judged_right"], trial["judged"])
    return low <= trial["right"] / trial["unseen"] <= high


def copies() -> str:
    """Shares of copies that are found, by how many bits may differ, and how many pairs of different photos are taken for one."""
    found = _result("near_duplicates")
    limits = list(found["false"])
    header = ["copy", *(f"**{limit} bits**" if int(limit) == found["limit"] else f"{limit} bits" for limit in limits)]
    lines = [[name, *(_percent(shares[limit]) for limit in limits)] for name, shares in found["copies"].items()]
    return table(header, [*lines, [f"pairs of different photos, of {found['pairs']:,}", *(found["false"][limit] for limit in limits)]])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
