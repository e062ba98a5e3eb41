"""python replay.py ARTIFACTS GOLDEN SUFFIX OUTPUT: trains with onnxruntime-training as a golden trace did, and stores what came out.

Run by the Python of onnxruntime-training, so it imports nothing of this project. Keys are those of trace.npz.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.training import api


def first(result):
    return np.asarray(result[0] if isinstance(result, tuple) else result)


def main(artifacts, golden, suffix, output):
    meta, trace, found = json.loads((golden / "meta.json").read_text()), np.load(golden / "trace.npz"), {}
    state = api.CheckpointState.load_checkpoint(str(artifacts / "checkpoint"))
    module = api.Module(*(f"{artifacts}/training_model.{suffix}", state, f"{artifacts}/eval_model.{suffix}"))
    optimizer = api.Optimizer(f"{artifacts}/optimizer_model.{suffix}", module)
    batches = [[trace[f"in/{step}/{name}"] for name in meta["user_inputs"]] for step in range(meta["steps"])]
    module.eval()
    found["eval_loss_before"] = first(module(*batches[0]))
    module.train()
    losses = []
    for step, batch in enumerate(batches):
        losses.append(first(module(*batch)))
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
    found["eval_loss_after"] = first(module(*batches[0]))
    np.savez(output, **found)


if __name__ == "__main__":
    onnxruntime.set_default_logger_severity(4)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
