"""What class weights and label smoothing do for classes with unequal numbers of pictures, on tasks of real photos.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.training_options TASK...

TASK: a folder with train/CLASS/*.jpg and test/CLASS/*.jpg. Every other class keeps all of its training pictures, the rest a fifth of them;
which classes and pictures these are is drawn 20 times, the same for all options.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.frozen_storage import SEEDS, Task
from docs.blocks import table
from pagetrain import Personalizer
from pagetrain.picture import key_of

ARTIFACTS = Path(".cache/artifacts/efficientnet-lite0")
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "none": {},
    "label_smoothing=0.1": {"label_smoothing": 0.1},
    'class_weights="balanced"': {"class_weights": "balanced"},
    "both": {"class_weights": "balanced", "label_smoothing": 0.1},
}


def unequal(task: Task, seed: int) -> Iterator[tuple[str, Path]]:
    """(class, training picture) of one draw."""
    random = np.random.default_rng(seed)
    for place, label in enumerate(random.permutation(task.classes)):
        files = [path for path in task.files["train"] if path.parent.name == label]
        kept = len(files) if place % 2 == 0 else max(1, len(files) // 5)
        yield from ((str(label), files[index]) for index in random.permutation(len(files))[:kept])


def recalls(task: Task, seed: int, options: Mapping[str, Any]) -> list[float]:
    """Of each class, by a head trained on one draw: the share of its test pictures that are found."""
    task.job.set_classes(["none", "nothing"])  # other names: the next head starts from zeros
    task.job.set_classes(task.classes)
    for label, path in unequal(task, seed):
        task.job.restore(key_of(path.read_bytes()), label, task.features[path])
    for _ in task.job.fit(seed=seed, **options):
        pass
    metrics = task.job.evaluate((path.read_bytes(), path.parent.name) for path in task.files["test"])
    return [one.recall for one in metrics.per_class]


def rows(folders: Sequence[Path], job: Personalizer) -> Iterator[list[str]]:
    """task, options, recall averaged over classes and draws with its spread over draws, and that of the worst class of each draw."""
    for folder in folders:
        task = Task(folder, job)
        for name, options in OPTIONS.items():
            found = np.array([recalls(task, seed, options) for seed in SEEDS])
            means = found.mean(axis=1)
            yield [folder.name, name, f"{means.mean():.3f} ± {means.std():.3f}", f"{found.min(axis=1).mean():.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", type=Path, nargs="+")
    tasks = parser.parse_args().task
    print(table(["task", "options", "recall, mean over classes", "recall of the worst class"], rows(tasks, Personalizer.load(ARTIFACTS))))


if __name__ == "__main__":
    main()
