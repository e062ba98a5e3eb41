"""python replay.py ARTIFACTS GOLDEN SUFFIX OUTPUT: trains with onnxruntime-training as a golden trace did, and stores what came out.

Run by the Python of onnxruntime-training, so it imports nothing of this project. pagetrain has the same classes: train() takes either.
"""

import json
import sys
from pathlib import Path

import numpy as np


def train(api, artifacts, golden, suffix):
    """What the training came to, under the keys of trace.npz."""
    meta, trace, found = json.loads((golden / "meta.json").read_text()), np.load(golden / "trace.npz"), {}
    training, evaluation, update = (str(artifacts / f"{stem}_model.{suffix}") for stem in ("training", "eval", "optimizer"))
    state = api.CheckpointState.load_checkpoint(str(artifacts / "checkpoint"))
    module = api.Module(training, state, evaluation)
    optimizer = api.Optimizer(update, module)
    assert list(module.input_names()) == meta["user_inputs"]
    names = list(module.output_names())
    assert names == meta["outputs"]
    batches = [[trace[f"in/{step}/{name}"] for name in meta["user_inputs"]] for step in range(meta["steps"])]
    module.eval()
    found["eval_loss_before"] = outputs(module, batches[0])[0]
    module.train()
    losses = []
    for step, batch in enumerate(batches):
        loss, *extra = outputs(module, batch)
        losses.append(loss)
        found |= {f"extra/{step}/{name}": value for name, value in zip(names[1:], extra, strict=True)}
        found |= {f"grad_after_train_step/{step}/{name}": p.grad.copy() for name, p in state.parameters if p.requires_grad}
        done, more = divmod(step + 1, meta["accumulate"])
        if not more:
            optimizer.set_learning_rate(float(trace["lr"][done - 1]))
            optimizer.step()
            found |= {f"param_after_opt/{done}/{name}": p.data.copy() for name, p in state.parameters}
            found |= {f"grad_after_opt/{done}/{name}": p.grad.copy() for name, p in state.parameters if p.requires_grad}
            module.lazy_reset_grad()
    found["loss"] = np.stack(losses)
    found |= {f"param_final/{name}": p.data.copy() for name, p in state.parameters}
    module.eval()
    found["eval_loss_after"] = outputs(module, batches[0])[0]
    return found


def outputs(module, batch):
    """Always arrays in a list, as with several outputs."""
    results = module(*batch)
    return [np.asarray(value) for value in (results if isinstance(results, tuple) else (results,))]


def main(artifacts, golden, suffix, output):
    import onnxruntime
    from onnxruntime.training import api

    onnxruntime.set_default_logger_severity(4)
    np.savez(output, **train(api, artifacts, golden, suffix))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
