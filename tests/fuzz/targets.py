"""The kinds of input: golden files to begin with, how they are changed, and the reader that must bear them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from pagetrain import manifest, onnxformat, plan
from pagetrain.api import CheckpointState
from pagetrain.api.model_source import load_model
from pagetrain.errors import PagetrainError, UnsupportedOpError
from pagetrain.graph import Model
from pagetrain.ortformat import checkpoint
from pagetrain.parameter_file import ParameterFile

from .graphs import read_graph, run_graph
from .messages import mutated_message
from .mutations import mutated, mutated_json
from .places import Places, places_of

DATA = Path(__file__).parents[1] / "data"
SECOND_FILE = (DATA / "golden/external_data/state.data").read_bytes()  # of a checkpoint
LARGEST = 9000  # bytes of a file to begin with: larger ones hold more of the same, and take longer


@dataclass(frozen=True)
class Target:
    """seeds: the golden files (for graphs, which grow from a number: none). mutate: (number of the seed, random) -> bytes.

    read: what came of bytes, in a word. It raises PagetrainError for refused bytes; anything else that it raises is a fault.
    """

    seeds: tuple[bytes, ...]
    mutate: Callable[[int, Random], bytes]
    read: Callable[[bytes], str]


def _files(*patterns: str) -> tuple[bytes, ...]:
    found = sorted({path for pattern in patterns for path in DATA.glob(pattern)})
    return tuple(data for path in found if len(data := path.read_bytes()) <= LARGEST)


def _structured(seeds: tuple[bytes, ...], root: str, read: Callable[[bytes], str]) -> Target:
    places: tuple[Places, ...] = tuple(places_of(seed, root) for seed in seeds)
    return Target(seeds, lambda number, random: mutated(seeds[number], places[number], list(seeds), random), read)


def read_model(data: bytes) -> str:
    """Loads a model, ORT-format or ONNX; what loads is written again, and bound, and the plan described."""
    graph = load_model(data).graph
    onnxformat.dump(Model(graph, 8, {"": 17}))
    try:
        str(plan.bind(graph).describe({"batch": 2}))
    except UnsupportedOpError:
        return "loaded, unknown ops"
    except PagetrainError:
        return "loaded, not bound"
    return "loaded and bound"


def read_checkpoint(data: bytes) -> str:
    """Loads a checkpoint, with a second file beside it if it asks for one; what loads becomes a state, which is saved again."""
    state = CheckpointState(checkpoint.load(data, lambda: memoryview(SECOND_FILE)))
    state.to_bytes(include_optimizer_state=True)
    return "loaded"


def read_manifest(data: bytes) -> str:
    """Reads a manifest, and gets ready for the parameters that it announces."""
    ParameterFile(manifest.parse(data))
    return "loaded"


def _change_onnx(seeds: tuple[bytes, ...]) -> Callable[[int, Random], bytes]:
    def change(number: int, random: Random) -> bytes:
        if random.random() < 0.6:
            return mutated_message(seeds[number], random.choice(seeds), random)
        return mutated(seeds[number], None, list(seeds), random)

    return change


def _change_manifest(seeds: tuple[bytes, ...]) -> Callable[[int, Random], bytes]:
    def change(number: int, random: Random) -> bytes:
        return mutated_json(seeds[number], random) if random.random() < 0.7 else mutated(seeds[number], None, list(seeds), random)

    return change


@cache
def targets() -> dict[str, Target]:
    """By kind."""
    manifests = _files("tiny_artifacts/manifest.json", "sensor/**/manifest.json")
    checkpoints = _files("golden/*/checkpoint*", "golden/*/nominal_checkpoint", "golden/external_data/state")
    checkpoints = tuple(data for data in checkpoints if data[4:8] == b"ODTC")
    onnx = _files("golden/*/*.onnx", "tiny_artifacts/*.onnx")
    return {
        "onnx": Target(onnx, _change_onnx(onnx), read_model),
        "model": _structured(_files("golden/*/*.ort", "tiny_artifacts/*.ort"), "InferenceSession", read_model),
        "checkpoint": _structured(checkpoints, "Checkpoint", read_checkpoint),
        "manifest": Target(manifests, _change_manifest(manifests), read_manifest),
        "graph": Target((b"",), lambda _, random: random.randbytes(8), read_graph),
        "run": Target((b"",), lambda _, random: random.randbytes(8), run_graph),
    }
