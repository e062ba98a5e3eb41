"""What a run of a job found: every repetition, medians with spread, and where and on what it was measured; one file per job."""

import datetime
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sitebuild import files, paths

FOLDER = Path(__file__).parent / "results"
Row = Mapping[str, Any]  # numbers by measure, and perhaps "extrapolated"; or {"unsupported": why}, {"error": what}
Round = Mapping[str, Row]  # one repetition: by contestant


def found(
    job: str, sizes: Mapping[str, int | float], browser: str, rounds: Sequence[Round], calibration: Sequence[float]
) -> dict[str, Any]:
    """As it is kept. calibration: milliseconds of the fixed loop before each round."""
    return {
        **about(job),
        "browser": f"Chromium {browser}",
        "sizes": dict(sizes),
        "calibration": [round(value, 1) for value in calibration],
        "summary": {
            name: summary([one[name] for one in rounds if name in one]) for name in dict.fromkeys(n for one in rounds for n in one)
        },
        "rounds": list(rounds),
    }


def about(job: str) -> dict[str, Any]:
    """What every result says: when, of which commit, on what."""
    return {"job": job, "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "commit": commit(), "machine": machine()}


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """{measure: {median, minimum, maximum}} of the repetitions that went well; why the others did not."""
    keys = dict.fromkeys(key for row in rows for key, value in row.items() if _is_number(value))
    values = {key: [row[key] for row in rows if _is_number(row.get(key))] for key in keys}
    told = {key: row[key] for row in rows for key in ("unsupported", "error", "extrapolated") if row.get(key)}
    return {
        **{key: {"median": statistics.median(ones), "minimum": min(ones), "maximum": max(ones)} for key, ones in values.items()},
        **told,
    }


def ratio(rounds: Sequence[Round], measure: str, name: str, reference: str) -> float | None:
    """Median over the rounds of the measure of `name` divided by that of `reference` in the same round; None if none has both."""
    pairs = [(one.get(name, {}).get(measure), one.get(reference, {}).get(measure)) for one in rounds]
    quotients = [mine / theirs for mine, theirs in pairs if _is_number(mine) and _is_number(theirs) and theirs]
    return statistics.median(quotients) if quotients else None


def write(folder: Path, result: Mapping[str, Any]) -> None:
    files.write_whole(folder / f"{result['job']}.json", (json.dumps(result, indent=1) + "\n").encode())


def read(folder: Path, job: str) -> dict[str, Any] | None:
    """The kept result of a job; None if there is none."""
    try:
        kept: dict[str, Any] = json.loads((folder / f"{job}.json").read_bytes())
    except FileNotFoundError:
        return None
    return kept


def commit() -> str:
    """The checkout's commit; "" outside of one."""
    told = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=paths.ROOT)
    return told.stdout.strip()


def machine() -> str:
    """System, architecture, cores, and the processor's name where the system tells it."""
    return ", ".join(filter(None, (f"{platform.system()} {platform.machine()}", f"{os.cpu_count()} cores", _processor())))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def calibrate() -> float:
    """Milliseconds of a fixed loop: on a quiet machine always the same."""
    started = time.perf_counter()
    sum(i * i for i in range(1_000_000))
    return (time.perf_counter() - started) * 1000


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
