"""python native_worker.py TRAINER THREADS: times training steps on request, one JSON line in, one out. TRAINER: pagetrain or onnxruntime.

Run by the Python of onnxruntime-training as well, so it imports nothing of this project but pagetrain, whose classes are the same.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np


def loaded(trainer, threads):
    """(the training classes, keyword arguments of their Module)."""
    if trainer == "pagetrain":
        import pagetrain

        return pagetrain, {}
    import onnxruntime
    from onnxruntime.training import api

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return api, {"session_options": options}


class Job:
    """A Module with its Optimizer, and the feeds of a step, in order."""

    def __init__(self, api, options, folder, feeds):
        self.state = api.CheckpointState.load_checkpoint(str(folder / "checkpoint"))
        models = [str(folder / f"{stem}_model.ort") for stem in ("training", "eval", "optimizer")]
        self.module = api.Module(models[0], self.state, models[1], **options)
        self.optimizer = api.Optimizer(models[2], self.module)
        self.optimizer.set_learning_rate(1e-5)
        self.module.train()
        with np.load(feeds) as stored:
            self.feeds = [stored[name] for name in self.module.input_names()]

    def step(self):
        """From pictures to new parameters."""
        self.module(*self.feeds)
        self._update()

    def step_from_cut(self):
        """From what the frozen prefix made, which is made once; of pagetrain alone."""
        self.module.train_step(self.at_cut)
        self._update()

    def keep_prefix(self):
        """Makes it."""
        data, *rest = zip(self.module.input_names(), self.feeds, strict=True)
        self.at_cut = self.module.run_prefix(dict([data])) | dict(rest)

    def _update(self):
        self.optimizer.step()
        self.module.lazy_reset_grad()


def seconds(function, count):
    """Of each of `count` calls."""
    found = []
    for _ in range(count):
        started = time.perf_counter()
        function()
        found.append(time.perf_counter() - started)
    return found


def whole_job(api, options, request):
    """Seconds from opening the artifacts to the trained head: pictures, epochs, batch as asked."""
    started = time.perf_counter()
    job = Job(api, options, Path(request["folder"]), request["feeds"])
    pictures, labels = job.feeds
    batches = [slice(at, at + request["batch"]) for at in range(0, len(labels), request["batch"])]
    data, other = job.module.input_names()
    kept = [job.module.run_prefix({data: pictures[rows]}) for rows in batches] if hasattr(job.module, "run_prefix") else None
    for _ in range(request["epochs"]):
        for place, rows in enumerate(batches):
            if kept:
                job.module.train_step(kept[place] | {other: labels[rows]})
            else:
                job.module(pictures[rows], labels[rows])
            job._update()
    return [time.perf_counter() - started]


def main(trainer, threads):
    """Until the input ends."""
    api, options = loaded(trainer, threads)
    jobs = {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["measure"] == "whole_job":
            answer = whole_job(api, options, request)
        else:
            folder = request["folder"]
            if folder not in jobs:
                jobs[folder] = Job(api, options, Path(folder), request["feeds"])
            if request["measure"] == "step_from_cut" and not hasattr(jobs[folder], "at_cut"):
                jobs[folder].keep_prefix()
            function = getattr(jobs[folder], request["measure"])
            function()  # what is made ready at the first call
            answer = seconds(function, request["count"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
