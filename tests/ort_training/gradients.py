"""python gradients.py FOLDER: the gradients that onnxruntime-training finds for the models of FOLDER, or how it fails.

Run by the Python of onnxruntime-training, so it imports nothing of this project. index.json: {name: parameters}; for each name there are
<name>.onnx and <name>.npz with its inputs. found.json gets {name: failure or ""}, found.npz the gradients as <name>/<parameter>. A model
that takes the process down fails as a crash: each has one of its own.
"""

import json
import multiprocessing
import os
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnxruntime.training import api, artifacts


def gradients(folder, name, parameters, answers):
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1), os.dup2(quiet, 2)
    try:
        made = folder / name
        made.mkdir()
        artifacts.generate_artifacts(
            onnx.load(folder / f"{name}.onnx"), requires_grad=parameters, loss=None, optimizer=None, artifact_directory=made
        )
        state = api.CheckpointState.load_checkpoint(str(made / "checkpoint"))
        module = api.Module(str(made / "training_model.onnx"), state)
        feeds = np.load(folder / f"{name}.npz")
        module(*(feeds[value] for value in module.input_names()))
        answers.put(("", {parameter: np.asarray(state.parameters[parameter].grad) for parameter in parameters}))
    except BaseException as error:  # a checker's or a runtime's; each is an answer
        answers.put((str(error) or type(error).__name__, {}))


def answer(folder, name, parameters):
    answers = multiprocessing.Queue()
    process = multiprocessing.Process(target=gradients, args=(folder, name, parameters, answers))
    process.start()
    while process.is_alive() and answers.empty():
        process.join(0.01)
    found = answers.get() if not answers.empty() or process.exitcode == 0 else (f"crash {process.exitcode}", {})
    process.join()
    return found


def main(folder):
    failures, arrays = {}, {}
    for name, parameters in json.loads((folder / "index.json").read_text()).items():
        failures[name], found = answer(folder, name, parameters)
        arrays.update((f"{name}/{parameter}", value) for parameter, value in found.items())
    (folder / "found.json").write_text(json.dumps(failures))
    np.savez(folder / "found.npz", **arrays)


if __name__ == "__main__":
    onnxruntime.set_default_logger_severity(4)
    main(Path(sys.argv[1]))
