"""What learning from mirrored and cropped variants brings, and what training the last block brings, on tasks of real photos.

    PYTHONPATH=pyodide_pkg .cache/venv/bin/python -m bench.augmentation [--layers last-block] [--seeds N] TASK...

TASK: a folder with train/CLASS/*.jpg and test/CLASS/*.jpg. For each number of training pictures as many heads are trained as there are
seeds, each on another choice of them, the same ones for every option. The head that is kept learns from all of them, measured or not, so
nothing is measured here while it trains.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from docs.blocks import table
from pagetrain import Personalizer
from pagetrain.picture import key_of
from pagetrain.variants import Augment, variants_of, vary

ARTIFACTS = Path(".cache/artifacts/efficientnet-lite0")
LAST_LAYER = "last-layer"
COUNTS = (5, 10, 20)  # training pictures of each class
OPTIONS: Mapping[str, Augment] = {"none": {}, "mirror": {"mirror": True}, "crop": {"crop": True}, "both": {"mirror": True, "crop": True}}


def job_on(layers: str) -> Personalizer:
    """On the artifacts of the site, with these layers trained."""
    if layers == LAST_LAYER:
        return Personalizer.load(ARTIFACTS)
    root = json.loads((ARTIFACTS / "manifest.json").read_bytes())
    content = (ARTIFACTS / root["files"][layers]["path"]).read_bytes()
    pieces = {key: content[place["offset"] : place["offset"] + place["bytes"]] for key, place in root["layers"][layers].items()}
    job = Personalizer(pieces.pop("manifest"), pieces)
    job.feed_parameters((ARTIFACTS / "parameters.bin").read_bytes())
    return job


class Photos:
    """Of one task, with their rows by one job: of training photos those of all variants, "" for the photo itself."""

    def __init__(self, folder: Path, job: Personalizer, augment: Augment) -> None:
        self.job = job
        self.files = {part: sorted((folder / part).glob("*/*.jpg")) for part in ("train", "test")}
        self.keys = {path: key_of(path.read_bytes()) for files in self.files.values() for path in files}
        self.classes = sorted({path.parent.name for path in self.files["train"]})
        job.set_classes(self.classes)
        self.untrained = job.head_state()
        self.rows = {path: self._rows(path, variants_of(augment)) for path in self.files["train"]}
        self.rows |= {path: self._rows(path, ()) for path in self.files["test"]}

    def _rows(self, path: Path, variants: Sequence[str]) -> dict[str, np.ndarray]:
        plain = self.job.pixels(path.read_bytes())
        return {"": self.job.embed(plain)} | {name: self.job.embed(vary(plain, name)) for name in variants}

    def accuracy(self, count: int, seed: int, augment: Augment) -> float:
        """On all test photos, of a model trained on `count` of each class."""
        self.job.set_classes(["none", "nothing"])  # which takes the pictures of the head before along
        self.job.load_checkpoint(self.untrained)
        for label in self.classes:
            files = [path for path in self.files["train"] if path.parent.name == label]
            for index in np.random.default_rng([seed, len(label)]).permutation(len(files))[:count]:
                self._put(files[index], label, variants_of(augment))
        for _ in self.job.fit(seed=seed, augment=augment, validation=0, folds=0):
            pass
        right = [self.job.answer(self.keys[path], self.rows[path][""])[0].label == path.parent.name for path in self.files["test"]]
        return float(np.mean(right))

    def _put(self, path: Path, label: str, variants: Sequence[str]) -> None:
        self.job.restore(self.keys[path], label, self.rows[path][""])
        for name in variants:
            self.job.augmentation.restore(self.keys[path], name, self.rows[path][name])


def rows(folders: Sequence[Path], layers: str, options: Mapping[str, Augment], counts: Sequence[int], seeds: int) -> Iterator[list[str]]:
    """task, pictures of each class, and for each option the accuracy: mean and spread over the draws."""
    every = {kind: True for augment in options.values() for kind in augment}
    for folder in folders:
        photos = Photos(folder, job_on(layers), every)
        for count in counts:
            found = [[photos.accuracy(count, seed, augment) for seed in range(seeds)] for augment in options.values()]
            yield [folder.name, str(count), *(f"{np.mean(one):.3f} ± {np.std(one):.3f}" for one in found)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", type=Path, nargs="+")
    parser.add_argument("--layers", default=LAST_LAYER, help=f"which are trained (default: {LAST_LAYER})")
    parser.add_argument(
        "--options", nargs="+", choices=OPTIONS, default=list(OPTIONS), metavar="OPTION", help="of none, mirror, crop, both"
    )
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS, metavar="N", help="training pictures of each class")
    parser.add_argument("--seeds", type=int, default=20, help="draws (default: 20)")
    given = parser.parse_args()
    options = {name: OPTIONS[name] for name in given.options}
    print(table(["task", "pictures", *options], list(rows(given.task, given.layers, options, given.counts, given.seeds))))


if __name__ == "__main__":
    main()
