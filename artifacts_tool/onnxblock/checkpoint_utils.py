"""Checkpoints beside ModelProtos."""

from __future__ import annotations

import os
from collections.abc import Sequence

import onnx
from onnx import TensorProto, helper, numpy_helper

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import place_of, write_files
from pagetrain.ortformat.checkpoint import dump_offline, load_file, offline_files
from pagetrain.ortformat.checkpoint_data import SUFFIX


def save_checkpoint(
    parameters: tuple[Sequence[TensorProto], Sequence[TensorProto]],
    path_to_checkpoint: str | os.PathLike[str],
    nominal_checkpoint: bool = False,
) -> None:
    """Writes (trainable, frozen) parameters as a checkpoint, from 1800 MiB on with a second file; nominal: names and types alone."""
    trainable, frozen = ({tensor.name: numpy_helper.to_array(tensor) for tensor in tensors} for tensors in parameters)
    path = place_of(path_to_checkpoint, SUFFIX)
    nominal = {path.name: dump_offline(trainable, frozen, nominal=True)} if nominal_checkpoint else None
    write_files(path.parent, nominal or offline_files(path.name, trainable, frozen), label=path.name)


def load_checkpoint_to_model(path_to_checkpoint: str | os.PathLike[str], model: onnx.ModelProto) -> None:
    """Gives the model's initializers the checkpoint's values, by name, in the initializers' own types; others stay.

    A float16 model has been trained in float32. Raises InvalidInputError for a nominal checkpoint.
    """
    checkpoint = load_file(path_to_checkpoint)
    if checkpoint.is_nominal:
        raise InvalidInputError(f"{os.fspath(path_to_checkpoint)} is a nominal checkpoint; it holds no values.")
    values = {**checkpoint.trainable, **checkpoint.frozen}
    for tensor in model.graph.initializer:
        if tensor.name in values:
            dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensor.CopyFrom(numpy_helper.from_array(values[tensor.name].astype(dtype, copy=False), tensor.name))
