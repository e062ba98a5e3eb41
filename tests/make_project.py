"""Writes tests/data/projects/NAME.pagetrain, and beside it what it answered when it was saved: one file for each release, never made again.

Run: python tests/make_project.py NAME.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from pagetrain.picture import key_of
from pagetrain_project import Project, ProjectPicture
from tests import tiny

FOLDER = Path(__file__).parent / "data" / "projects"
LABELS = ["red", "grün <b>", "blue"]
COLOURS = ["red", "green", "blue"]


def main(name: str) -> None:
    """A job that has used all there is: a group, a picture in two classes, an unsorted one, a threshold, settings, an account."""
    job = tiny.job(COLOURS, 4)
    job.rename_class("green", LABELS[1])
    job.add(tiny.picture("red", 0), "blue")
    job.add(tiny.picture("red", 50), "red", group="burst 1")
    fitting = job.fitting(epochs=4, folds=2)
    list(fitting.run())
    job.none_below = 0.3
    with tempfile.TemporaryDirectory() as folder:
        photo = Path(folder, "one & <two>.png")
        photo.write_bytes(tiny.picture("red", 1))
        project = Project.of(job, name="Colours 🎨", photos=[photo])
        loose = tiny.picture("sand", 1)
        unsorted = ProjectPicture(key_of(loose), "loose.png", None, None, photo=lambda: loose)
        judged = fitting.judged
        told = {
            "labels": LABELS,
            "stale": False,
            "took": 812.5,
            "stopped": False,
            "folds": 2,
            "best_epoch": 4,
            "train_count": fitting.train_count,
            "validation_count": fitting.validation_count,
            "epochs": [{"epoch": 1, "epochs": 4, "loss": 1.0, "accuracy": 0.5, "validation_loss": None, "validation_accuracy": 0.5}],
            "judged": {
                "labels": LABELS,
                "pictures": [{"key": key, "label": LABELS[label]} for key, label in zip(judged.keys, judged.labels, strict=True)],
            },
        }
        settings = {"epochs": 4, "folds": 2, "class_weights": "balanced"}
        dataclasses.replace(
            project,
            pictures=(*project.pictures, unsorted),
            settings=settings,
            training=told,
            judged=judged.probabilities.astype(np.float32),
            none_below_chosen=True,
        ).write(FOLDER / f"{name}.pagetrain")
    asked = [(colour, number) for colour in COLOURS for number in (100, 101)]
    answers = [
        {
            "label": colour,
            "number": number,
            "probabilities": {one.label: one.probability for one in job.predict(tiny.picture(colour, number))},
        }
        for colour, number in asked
    ]
    photos = {"one & <two>.png": key_of(tiny.picture("red", 1)), "loose.png": key_of(loose)}
    text = json.dumps({"labels": LABELS, "photos": photos, "answers": answers}, ensure_ascii=False, indent=1)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
