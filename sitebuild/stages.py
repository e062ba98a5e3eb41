"""Stages of set-up: each knows its inputs and its output, and is skipped while its stamp says that neither changed."""

import contextlib
import hashlib
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitebuild import files, paths
from sitebuild.report import Report

Input = str | Path  # a text, a file, or a folder with everything below it


@dataclass(frozen=True)
class Stage:
    """One step of set-up. make(output, report) fills `output`.

    output: a folder that is built beside its place and renamed when whole; with in_place, a folder that `make` changes
        where it is (an environment cannot be renamed), and `proof` is a file in it that is missed when it is gone.
    inputs: what the output is made of, asked for at every start, so it must be quick. The stage's own module counts too.
    needs: stages before this one; when one of them is made again, so is this one.
    """

    name: str
    does: str
    output: Path
    make: Callable[[Path, Report], None]
    inputs: Callable[[], Iterable[Input]]
    needs: tuple["Stage", ...] = ()
    in_place: bool = False
    proof: Path | None = None

    @property
    def stamp_file(self) -> Path:
        return paths.STAMPS / f"{self.name.replace(' ', '-')}.json"


def run(stages: Sequence[Stage], report: Report) -> None:
    """Makes every stage whose stamp does not match, in order. Stages must stand after those they need."""
    paths.CACHE.mkdir(parents=True, exist_ok=True)
    files.remove_halves(paths.CACHE)
    for number, stage in enumerate(stages, start=1):
        key = _key(stage)
        stamp = _read_stamp(stage)
        if stamp.get("key") == key and _is_whole(stage, stamp):
            report.skipped()
        else:
            _make(stage, key, f"{number}/{len(stages)}", report)


def _make(stage: Stage, key: str, position: str, report: Report) -> None:
    stage.stamp_file.unlink(missing_ok=True)
    report.start(position, stage.name, stage.does)
    started = time.monotonic()
    if stage.in_place:
        stage.make(stage.output, report)
    else:
        with files.half_folder(stage.output) as half:
            stage.make(half, report)
    size = files.size_of(stage.output)
    stamp = {"key": key, "made": uuid.uuid4().hex, "sizes": {} if stage.in_place else _sizes(stage.output)}
    files.write_whole(stage.stamp_file, json.dumps(stamp).encode())
    report.done(time.monotonic() - started, size)


def _key(stage: Stage) -> str:
    """Digest of the stage's module, its inputs, and which making of each needed stage it stands on."""
    module = Path(str(sys.modules[stage.make.__module__].__file__))
    return digest([module, *stage.inputs(), *(str(_read_stamp(needed).get("made")) for needed in stage.needs)])


def digest(inputs: Iterable[Input]) -> str:
    """sha256 over texts, and names and contents of files; a folder counts with every file below it."""
    whole = hashlib.sha256()
    for part in inputs:
        if isinstance(part, str):
            whole.update(f"text {len(part.encode())}\n{part}".encode())
            continue
        for path in files.files_below(part) if part.is_dir() else [part]:
            name = path.relative_to(part.parent).as_posix()
            whole.update(f"file {name} {files.sha256_of(path) if path.exists() else 'absent'}\n".encode())
    return whole.hexdigest()


def _read_stamp(stage: Stage) -> dict[str, Any]:
    """The stamp, or {} when there is none that can be read."""
    with contextlib.suppress(OSError, ValueError):
        stamp = json.loads(stage.stamp_file.read_bytes())
        if isinstance(stamp, dict):
            return stamp
    return {}


def _sizes(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()}


def _is_whole(stage: Stage, stamp: dict[str, Any]) -> bool:
    """The output is there, with the files and sizes it was made with."""
    if stage.in_place:
        return (stage.proof or stage.output).exists()
    return stage.output.exists() and _sizes(stage.output) == stamp.get("sizes")
