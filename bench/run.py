"""Measures: all contestants one after another, that again as often as asked for, so that what disturbs the machine hits all alike."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from bench import results, stages
from bench.browser import launched
from bench.contestants import Contestant
from bench.jobs import FULL, JOBS, QUICK, Alone, Bench, Job
from bench.served import serving
from bench.table import renew_pages, text
from sitebuild import paths


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the jobs, prints their tables and keeps their results; 1 if a contestant failed."""
    options = _parser().parse_args(arguments)
    folder = options.results or (paths.CACHE / "bench/quick" if options.quick else results.FOLDER)
    found = [
        _alone(job, options, folder) if isinstance(job := JOBS[name], Alone) else _compared(job, options, folder) for name in options.jobs
    ]
    if folder == results.FOLDER:
        renew_pages()
    errors = [
        f"{result['job']}, {name}: {row['error']}" for result in found for name, row in result.get("summary", {}).items() if "error" in row
    ]
    for error in errors:
        print(f"failed: {error}", file=sys.stderr)
    return int(bool(errors))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description="Measures pagetrain beside other trainers, in the same Chromium.")
    parser.add_argument("--jobs", type=_jobs, default=list(JOBS), metavar="NAME,...", help=f"of {', '.join(JOBS)} (default: all)")
    parser.add_argument("--contestants", default="", metavar="TEXT", help="only those whose name holds this, and pagetrain")
    parser.add_argument("--repetitions", type=int, default=5, help="(default: 5)")
    parser.add_argument("--resume", action="store_true", help="go on where a run with the same commit and sizes was stopped")
    parser.add_argument(
        "--quick", action="store_true", help="everything once with tiny sizes, to see that it works; kept in .cache/bench/quick"
    )
    parser.add_argument("--results", type=Path, metavar="DIR", help="where results are kept (default: bench/results)")
    return parser


def _jobs(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in JOBS]:
        raise argparse.ArgumentTypeError(f"there is no job {unknown[0]!r}; there are {', '.join(JOBS)}")
    return names


def _alone(job: Alone, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    found = job.run(options.quick)
    results.write(folder, found)
    _show(found)
    return found


def _show(result: dict[str, Any]) -> None:
    print(f"\n{JOBS[result['job']].title}\n\n{text(result)}\n", flush=True)


def _compared(job: Job, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Kept after every round, so that what is stopped is not lost."""
    sizes, repetitions = (QUICK, 1) if options.quick else (FULL, options.repetitions)
    contestants = [
        one for one in (job.quick if options.quick else job.contestants) if options.contestants in one.name or one is job.contestants[0]
    ]
    kept = results.read(folder, job.name) if options.resume else None
    rounds, calibration = _to_resume(kept, sizes)
    with serving() as server, sync_playwright() as playwright:
        bench = Bench(playwright, server, sizes)
        version = _browser_version(bench)
        while len(rounds) < repetitions:
            calibration.append(results.calibrate())
            rounds.append({one.name: _measured(job, bench, one) for one in contestants})
            kept = results.found(job.name, sizes, version, rounds, calibration)
            results.write(folder, kept)
            print(f"{job.name}: round {len(rounds)} of {repetitions}", file=sys.stderr, flush=True)
    assert kept is not None
    _show(kept)
    return kept


def _to_resume(kept: dict[str, Any] | None, sizes: object) -> tuple[list[results.Round], list[float]]:
    if kept is None or kept["commit"] != results.commit() or kept["sizes"] != sizes or kept["machine"] != results.machine():
        return [], []
    return kept["rounds"], kept["calibration"]


def _measured(job: Job, bench: Bench, contestant: Contestant) -> dict[str, Any]:
    """One row. A contestant that fails says so in its row; the others go on."""
    if contestant.script in stages.PEER_SCRIPTS and not stages.PEERS.output.exists():
        return {"unsupported": "could not be installed"}
    try:
        return job.measure(bench, contestant)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}


def _browser_version(bench: Bench) -> str:
    with launched(bench.playwright) as browser:
        return browser.version


if __name__ == "__main__":
    sys.exit(main())
