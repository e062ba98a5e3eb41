"""What joining convolutions with residuals and activations saves, in numpy: the frozen part on one picture, with and without, interleaved.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.plan_passes [ARTIFACTS]

CPU time of this process, the least of many passes: what else the machine does hardly counts.
"""

import argparse
from pathlib import Path
from time import process_time
from unittest import mock

import numpy as np

from docs.blocks import table
from pagetrain import CheckpointState, Module

ARTIFACTS = Path(".cache/artifacts/efficientnet-lite0")
ROUNDS = 40


def passes(folder: Path) -> dict[str, Module]:
    """Two modules of the same artifacts, whose prefix is bound; in the first one all steps stay apart."""
    modules = {
        name: Module(folder / "training_model.ort", CheckpointState.load_checkpoint(folder / "checkpoint")) for name in ("apart", "joined")
    }
    with mock.patch("pagetrain.plan.fused", lambda steps, *_: list(steps)):
        modules["apart"].run_prefix(picture(modules["apart"]))
    return modules


def picture(module: Module) -> dict[str, np.ndarray]:
    """Some input of the model."""
    return {module.input_names()[0]: np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)}


def milliseconds(modules: dict[str, Module]) -> dict[str, float]:
    """The least time of each, taken by turns."""
    best = dict.fromkeys(modules, float("inf"))
    for _ in range(ROUNDS):
        for name, module in modules.items():
            feeds, start = picture(module), process_time()
            module.run_prefix(feeds)
            best[name] = min(best[name], 1000 * (process_time() - start))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artifacts", type=Path, nargs="?", default=ARTIFACTS)
    found = milliseconds(passes(parser.parse_args().artifacts))
    print(table(["steps", "CPU ms for one picture"], ([name, f"{time:.1f}"] for name, time in found.items())))


if __name__ == "__main__":
    main()
