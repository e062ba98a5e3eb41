"""Writes tests/data/seed_record.json, what CPython has learnt from one seed: python -m tests.make_seed_record.

tests/test_seeds.py compares, in CPython and in Pyodide. To be made anew when the training loop is meant to learn something else.
"""

import json
import platform
from pathlib import Path

import numpy as np

from tests.tiny import trained

RECORD = Path(__file__).parent / "data" / "seed_record.json"
EVERY_OPTION = {
    "epochs": 40,
    "validation": 0.2,
    "schedule": "cosine",
    "warmup": 0.1,
    "gradient_accumulation_steps": 2,
    "max_grad_norm": 0.5,
    "patience": 2,
    "monitor": "loss",
    "class_weights": "balanced",
    "label_smoothing": 0.1,
}
TRAININGS = {"defaults": {}, "held out": {"validation": 0.2}, "every option": EVERY_OPTION}


def learnt(options):
    """{parameter: values as nested lists} after a training of the small job."""
    made = trained(**options)
    return {name: made._state.parameters[name].data.tolist() for name in made._state.trainable_names}


def main():
    by = f"{platform.python_implementation()} {platform.python_version()}, numpy {np.__version__}, {platform.machine()}"
    record = {"by": by, **{name: learnt(options) for name, options in TRAININGS.items()}}
    RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
