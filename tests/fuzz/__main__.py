"""Reads mutated files, as many as are asked for, and tells what came of them.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m tests.fuzz [--count N] [--seed N] [--kind KIND] [--processes N] [--write]

Every input must end in a result or in one of pagetrain's own errors, within SECONDS of processor time and MEMORY of address space; what
does not is printed with its number. `--kind KIND --only NUMBER` reads that one again and shows the trace; `--keep FILE` writes its bytes.
--write puts the counts into results.json, beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import islice, repeat
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np

from .targets import targets
from .trial import input_of, outcome_of

RESULTS = Path(__file__).with_name("results.json")
SHARES = {"model": 0.4, "checkpoint": 0.25, "manifest": 0.1, "onnx": 0.2, "graph": 0.04, "run": 0.01}
SECONDS = 20  # for an input of at most some ten thousand bytes, on a machine that may be busy
MEMORY = 3 << 30  # bytes of address space, of which numpy's libraries take the most
CHUNK = 1000


def main() -> int:
    """Runs, prints, and says by the exit status whether all was well."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=list(SHARES))
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="NUMBER")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.only is not None:
        return _again(options.kind or parser.error("--only needs --kind"), options.seed, options.only, options.keep)
    shares = {options.kind: 1.0} if options.kind else SHARES
    start = time.monotonic()
    kinds = {kind: _run(kind, options.seed, round(share * options.count), options.processes) for kind, share in shares.items()}
    found = {
        "seed": options.seed,
        "inputs": sum(one["inputs"] for one in kinds.values()),
        "minutes": round((time.monotonic() - start) / 60, 1),
    }
    report = {**found, "processes": options.processes, "kinds": kinds, **_circumstances()}
    print(json.dumps(report, indent=1))
    if options.write:
        RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    return int(any(one["faults"] for one in kinds.values()))


def _again(kind: str, seed: int, number: int, keep: Path | None) -> int:
    data = input_of(targets()[kind], kind, seed, number)
    if keep:
        keep.write_bytes(data)
    _limit()
    outcome = outcome_of(targets()[kind], data)
    print(f"{outcome.size} bytes, {outcome.seconds:.3f} s: {outcome.word}\n{outcome.fault}")
    return int(bool(outcome.fault))


def _run(kind: str, seed: int, count: int, processes: int) -> dict[str, Any]:
    words: Counter[str] = Counter()
    faults: list[str] = []
    slowest = (0.0, 0)
    with ProcessPoolExecutor(processes, initializer=_limit) as pool:
        starts = range(0, count, CHUNK)
        for chunk in pool.map(_chunk, repeat(kind), repeat(seed), starts, (min(CHUNK, count - start) for start in starts)):
            words += chunk[0]
            faults += islice(chunk[1], 50 - len(faults))
            slowest = max(slowest, chunk[2])
            if chunk[1]:
                print(*chunk[1], sep="\n", file=sys.stderr, flush=True)
    slow = {"seconds": round(slowest[0], 3), "number": slowest[1]}
    return {"inputs": count, "seeds": len(targets()[kind].seeds), "outcomes": dict(words.most_common()), "slowest": slow, "faults": faults}


def _chunk(kind: str, seed: int, first: int, count: int) -> tuple[Counter[str], list[str], tuple[float, int]]:
    """How many inputs ended how, what was wrong, and the slowest: (seconds, number)."""
    words: Counter[str] = Counter()
    faults, slowest = [], (0.0, 0)
    for number in range(first, first + count):
        data = input_of(targets()[kind], kind, seed, number)
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        outcome = outcome_of(targets()[kind], data)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        words[outcome.word] += 1
        slowest = max(slowest, (outcome.seconds, number))
        if outcome.fault:
            faults.append(f"{kind} {number}: {outcome.fault.strip().splitlines()[-1]:.200}")
    return words, faults, slowest


def _limit() -> None:
    """Warnings are errors, as in the tests; time and memory end in exceptions."""
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"more than {SECONDS} s of processor time")

    signal.signal(signal.SIGVTALRM, stop)


def _circumstances() -> dict[str, str]:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    versions = {"python": platform.python_version(), "numpy": np.__version__, "flatbuffers": flatbuffers.__version__}
    return {"date": datetime.date.today().isoformat(), "commit": commit, "machine": f"{platform.system()} {platform.machine()}", **versions}


if __name__ == "__main__":
    sys.exit(main())
