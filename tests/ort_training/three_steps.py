"""python three_steps.py FOLDER SUFFIX RATE: what onnxruntime-training makes of artifacts and of feeds.npz beside them; found_SUFFIX.npz
gets the losses before and after each of three steps, and the first gradients as grad/<parameter>.

Run by the Python of onnxruntime-training, so it imports nothing of this project.
"""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.training import api


def main(folder, suffix, rate):
    feeds, found, losses = np.load(folder / "feeds.npz"), {}, []
    state = api.CheckpointState.load_checkpoint(str(folder / "checkpoint"))
    training, evaluation, update = (str(folder / f"{stem}_model.{suffix}") for stem in ("training", "eval", "optimizer"))
    module = api.Module(training, state, evaluation)
    optimizer = api.Optimizer(update, module)
    optimizer.set_learning_rate(rate)
    batch = [feeds[name] for name in module.input_names()]
    for step in range(4):
        losses.append(np.asarray(module(*batch)[0]).reshape(()))
        if not step:
            found = {f"grad/{name}": parameter.grad.copy() for name, parameter in state.parameters if parameter.requires_grad}
        optimizer.step()
        module.lazy_reset_grad()
    np.savez(folder / f"found_{suffix}.npz", losses=np.stack(losses), **found)


if __name__ == "__main__":
    onnxruntime.set_default_logger_severity(4)
    main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
