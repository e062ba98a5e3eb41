"""Says whether the real trainer loads artifacts: loads.py FOLDER SUFFIX; exit code 0 or an error."""

import sys

from onnxruntime.training.api import CheckpointState, Module

folder, suffix = sys.argv[1:]
Module(f"{folder}/training_model.{suffix}", CheckpointState.load_checkpoint(f"{folder}/checkpoint"), f"{folder}/eval_model.{suffix}")
