"""How accurate the trained head is on unseen pictures, and how well what its judges say of the seen ones predicts that.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.accuracy TASK...

TASK: a folder with CLASS/*.jpg somewhere below. Of each class 5, 10 and 20 pictures are drawn, 20 times; the others try the head.
Writes bench/results/accuracy.json; python -m docs renews the tables of docs/accuracy.md from it.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.results import FOLDER, about
from pagetrain import Personalizer
from pagetrain.features import Seen
from pagetrain.perceptual_hash import perceptual_hash
from pagetrain.picture import key_of

ARTIFACTS = Path(".cache/artifacts/efficientnet-lite0")
RESULT = FOLDER / "accuracy.json"
COUNTS = (5, 10, 20)
DRAWS = 20
VARIANTS: Mapping[str, Mapping[str, Any]] = {"cross-validation": {}, "a fifth held out": {"validation": 0.2}}


class Task:
    """Photos of a folder by class: (key, what is made of it)."""

    def __init__(self, folder: Path, job: Personalizer) -> None:
        self.name, self.pictures = folder.name, dict[str, list[tuple[str, Seen]]]()
        for path in sorted(folder.rglob("*.jpg")):
            seen = job.pixels(path.read_bytes())
            made = key_of(path.read_bytes()), Seen(job.embed(seen), perceptual_hash(seen))
            self.pictures.setdefault(path.parent.name, []).append(made)

    def draw(self, job: Personalizer, count: int, number: int) -> list[tuple[str, np.ndarray, str]]:
        """Puts `count` pictures of each class into the job, whose head begins anew; the others: (key, features, class)."""
        job.set_classes(["none", "nothing"])  # other names: no row is kept
        job.set_classes(sorted(self.pictures))
        left = []
        for place, label in enumerate(sorted(self.pictures)):
            order = np.random.default_rng([number, place]).permutation(len(self.pictures[label]))
            for rank, index in enumerate(order):
                key, seen = self.pictures[label][index]
                if rank < count:
                    job.restore(key, label, seen.row, seen.hash)
                else:
                    left.append((key, seen.row, label))
        return left


def trial(task: Task, job: Personalizer, count: int, number: int, options: Mapping[str, Any]) -> dict[str, int]:
    """right of unseen, as the head answers; judged_right of judged, as its judges said."""
    unseen = task.draw(job, count, number)
    run = job.fitting(seed=number, **options)  # type: ignore[arg-type]
    for _ in run.run():
        pass
    judged = run.judged.probabilities.argmax(axis=1) == run.judged.labels
    right = sum(job.answer(key, row)[0].label == label for key, row, label in unseen)
    return {"right": right, "unseen": len(unseen), "judged_right": int(judged.sum()), "judged": len(judged)}


def rows(folders: Sequence[Path], job: Personalizer) -> Iterator[dict[str, Any]]:
    """For each task, number of pictures and variant: all trials."""
    for folder in folders:
        task = Task(folder, job)
        for count in COUNTS:
            for variant, options in VARIANTS.items():
                trials = [trial(task, job, count, number, options) for number in range(DRAWS)]
                yield {"task": task.name, "classes": len(task.pictures), "count": count, "variant": variant, "trials": trials}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", type=Path, nargs="+")
    found = {**about("accuracy"), "rows": list(rows(parser.parse_args().task, Personalizer.load(ARTIFACTS)))}
    RESULT.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
