"""The command line: `inspect`, `check` and `generate` for a model of one's own, `zoo` for one the tool knows."""

from __future__ import annotations

import argparse
import json
import os
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from pagetrain.cut import find_cut
from pagetrain.errors import InvalidInputError, PagetrainError

from .check import Report, Request, check
from .forward import lift_constants
from .frozen_storage import FLOAT32, stored_forms
from .generate import Artifacts, write
from .half_precision import narrowed, score_name, with_float32_ends
from .inspection import inspect
from .layers import UnknownWeightError, matching
from .loss import LossType
from .onnx_io import read
from .optimizer import OptimType
from .options import NONE, parse
from .page_artifacts import Description, write_page_artifacts
from .report_text import blocker_lines, check_text, inspect_text, training_text
from .storage_cost import Cost, cost_text, storage_cost
from .stored_inputs import with_stored_inputs
from .zoo import ZOO

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code, which `--help` explains; an error is one line."""
    options = parse(arguments)
    try:
        return COMMANDS[options.command](options)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        print("artifacts_tool: stopped", file=sys.stderr)
        return INTERRUPTED
    except (PagetrainError, OSError) as error:
        return _fail(error, _said(error), options.json)
    except Exception as error:
        if options.traceback:
            raise
        return _fail(error, f"a fault of this tool, {type(error).__name__}: {error}; --traceback shows where", options.json)


def _said(error: PagetrainError | OSError) -> str:
    """The system's errors as FILE: what is wrong."""
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename and error.strerror else str(error)


def _fail(error: Exception, said: str, as_json: bool) -> int:
    text = " ".join(said.split())
    print("artifacts_tool:", text, file=sys.stderr)
    if as_json:
        print(json.dumps({"error": text}))
    return WRONG_USAGE if isinstance(error, UnknownWeightError) else FAILED


def _check(options: argparse.Namespace) -> int:
    _progress(f"reading {options.model}")
    model = read(options.model)
    _progress("checking")
    report = check(model, _request(options)).report
    _print(options, asdict(report), check_text(report))
    return DONE if report.ready else FAILED


def _request(options: argparse.Namespace) -> Request:
    return Request(
        options.trainable,
        options.frozen,
        None if options.loss == NONE else LossType[options.loss],
        options.loss_input_names,
        None if options.optimizer == NONE else OptimType[options.optimizer],
        options.additional_output_names,
        options.batch_statistics,
        options.fix,
    )


def _inspect(options: argparse.Namespace) -> int:
    model = read(options.model)
    found = inspect(model, matching(lift_constants(model).graph, options.trainable))
    _print(options, asdict(found), inspect_text(found))
    return DONE


def _zoo(options: argparse.Namespace) -> int:
    _progress(f"building {options.name}")
    make = ZOO[options.name]
    cost = make(
        options.out, options.weights, options.num_classes, options.store_frozen, _samples(options), options.trainable, dict(options.layers)
    )
    _print_made(options, {}, "", cost)
    return DONE


def _generate(options: argparse.Namespace) -> int:
    _progress(f"reading {options.model}")
    model = read(options.model) if options.preprocessing is None else with_float32_ends(lift_constants(read(options.model)))
    _progress("checking and building")
    checked = check(model, _request(options))
    _say(checked.report)
    if checked.artifacts is None:
        if options.json:
            print(json.dumps({**asdict(checked.report), "files": {}}, indent=1))
        return FAILED
    _progress(f"writing to {options.out}")
    cost = _write(options, checked.artifacts, checked.report.scored)
    _print_made(options, asdict(checked.report), training_text(checked.report), cost)
    return DONE


def _say(report: Report) -> None:
    """Notes, and what is in the way, each on a line."""
    for note in report.notes:
        print(f"note: {note}", file=sys.stderr)
    for line in blocker_lines(report):
        print(f"artifacts_tool: {line.strip()}", file=sys.stderr)


def _write(options: argparse.Namespace, artifacts: Artifacts, logits: str) -> Cost | None:
    """Writes the files; returns what the storage of frozen parameters costs."""
    graph, storage = artifacts.eval_model.graph, options.store_frozen
    forms = stored_forms(artifacts.parameters, storage, () if options.preprocessing is None else narrowed(graph))
    cost = storage_cost(artifacts, storage, forms, _samples(options)) if storage != FLOAT32 else None
    if options.preprocessing is None:
        write(
            with_stored_inputs(artifacts, forms), options.out, options.prefix, not options.no_ort_format, not options.no_nominal_checkpoint
        )
    else:
        description = _description(options, artifacts, score_name(graph, logits))
        if reason := write_page_artifacts(artifacts, description, options.out, forms):
            print(f"note: in a page Python alone makes the features of pictures, without workers beside it: {reason}.", file=sys.stderr)
    return cost


def _samples(options: argparse.Namespace) -> dict[str, np.ndarray] | None:
    if options.samples is None:
        return None
    try:
        with np.load(options.samples, allow_pickle=False) as arrays:
            return dict(arrays)
    except (ValueError, AttributeError, zipfile.BadZipFile) as error:  # AttributeError: a lone array, .npy
        raise InvalidInputError(f"{options.samples} is not an .npz file of arrays: {error}") from error


def _description(options: argparse.Namespace, artifacts: Artifacts, logits: str) -> Description:
    name = options.name or options.model.stem
    try:
        preprocessing = json.loads(options.preprocessing.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInputError(f"{options.preprocessing} is not JSON: {error}") from error
    return Description(
        name=name,
        title=options.title or name,
        license=options.license or "unknown",
        preprocessing=preprocessing,
        logits=logits,
        features=_features(artifacts),
        labels=options.labels,
    )


def _features(artifacts: Artifacts) -> str | None:
    """The one value that the trainable part starts from, None if there are several."""
    frozen = [parameter.name for parameter in artifacts.parameters if not parameter.trainable]
    graph = artifacts.eval_model.graph
    cut = find_cut(graph, frozen, [graph.inputs[0].name])
    return cut[0] if len(cut) == 1 else None


def _print_made(options: argparse.Namespace, found: Mapping[str, Any], text: str, cost: Cost | None) -> None:
    """What was found, the files of the folder with their sizes, what storage costs."""
    files = {str(path): path.stat().st_size for path in sorted(options.out.iterdir()) if path.is_file()}
    lines = [*filter(None, [text]), *(f"{size:>12,}  {path}" for path, size in files.items()), *([cost_text(cost)] if cost else [])]
    _print(options, {**found, "files": files, **({"storage": asdict(cost)} if cost else {})}, "\n".join(lines))


def _print(options: argparse.Namespace, found: Mapping[str, Any], text: str) -> None:
    print(json.dumps(found, indent=1) if options.json else text)


def _progress(text: str) -> None:
    """For whoever sits before the terminal."""
    if sys.stderr.isatty():
        print(f"{text} ...", file=sys.stderr)


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {"generate": _generate, "check": _check, "inspect": _inspect, "zoo": _zoo}
