"""generate_artifacts: a forward model in; training, eval and optimizer graphs and checkpoints out.

Source: onnxruntime.training.artifacts.generate_artifacts (ORT 1.19), whose parameters and file names these are.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx

from pagetrain.errors import InvalidInputError
from pagetrain.file_set import Content, write_files
from pagetrain.graph import Model, Shape
from pagetrain.ortformat.checkpoint_data import EXTERNAL_FROM

from .assembly import Assembled, assemble
from .custom_ops import check_library, refuse_custom_ops
from .forward import prepare, with_parameters_as_inputs
from .frozen_storage import stored_forms
from .loss import LossType, with_loss
from .naming import Names
from .onnx_files import MOST_BYTES, onnx_files
from .onnx_io import ModelSource, infer_types, read
from .onnxblock import Block, ForwardBlock
from .optimizer import OptimType, optimizer_model
from .ort_writer import ort_pieces
from .parameters import Parameter, names_of
from .storage_cost import cost_text, storage_cost
from .stored_inputs import with_stored_inputs

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes that one file may have. checkpoint: from so many on, in whole MiB, it has a second one."""

    onnx: int = MOST_BYTES
    ort: int = MOST_BYTES
    checkpoint: int = EXTERNAL_FROM


LIMITS = Limits()
OLDEST_OPSET = 7  # the first whose arithmetic broadcasts as numpy does


@dataclass(frozen=True, slots=True)
class Artifacts(Assembled):
    """The three graphs, and the parameters in the order of the training graph's inputs."""

    optimizer_model: Model | None

    def models(self) -> dict[str, Model]:
        """{file stem: model}."""
        found = {"training_model": self.training_model, "eval_model": self.eval_model, "optimizer_model": self.optimizer_model}
        return {stem: model for stem, model in found.items() if model is not None}


def generate_artifacts(
    model: ModelSource,
    requires_grad: Sequence[str] | None = None,
    frozen_params: Sequence[str] | None = None,
    loss: LossType | Block | None = None,
    optimizer: OptimType | ForwardBlock | None = None,
    artifact_directory: str | os.PathLike[str] | None = None,
    prefix: str = "",
    ort_format: bool = False,
    custom_op_library: str | bytes | os.PathLike[str] | None = None,
    additional_output_names: Sequence[str] | None = None,
    nominal_checkpoint: bool = False,
    loss_input_names: Sequence[str] | None = None,
    batch_statistics: bool = False,
    frozen_storage: str = "float32",
    storage_samples: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Writes <prefix>training_model.onnx, eval_model.onnx, checkpoint; if asked, optimizer_model.onnx, nominal_checkpoint and .ort forms.

    model: a ModelProto, its bytes, or its path, with external data beside it.
    requires_grad: initializers that become trainable parameters.
    frozen_params: initializers that become frozen parameters. Those in neither list stay inside the graphs.
    loss: a LossType, or a block of onnxblock that gets the model's outputs; None takes the first output as the loss.
    optimizer: an OptimType, or a block of onnxblock.optim; None writes no optimizer_model.
    artifact_directory: where the files go; made if needed. None is the present folder.
    prefix: stands before each file's name.
    ort_format: write the graphs as .ort, too.
    custom_op_library: not read, as native code cannot be loaded; refused with the names of its ops if the model needs them.
    additional_output_names: values of the model to return beside the loss.
    nominal_checkpoint: write nominal_checkpoint, too: names and types of the parameters without their values.
    loss_input_names: the values that the loss gets in place of the model's outputs; a second one names the labels. An empty list is None.
    batch_statistics: ORT's way with BatchNormalization, by the batch's statistics wherever it stands, with the running ones overwritten
        in every step. By default only those exported in training mode do so, and the others stay as they are. The eval graph goes by
        running statistics always.
    frozen_storage: "float16" or "int8" stores frozen parameters with several axes so, and the checkpoint is a half or a quarter of the
        size; the graphs widen them first. The default is "float32". What it costs is logged.
    storage_samples: {input: batch} to measure that on; by default random numbers.

    Nothing is written when anything is wrong. Raises InvalidInputError for names the model has not, for parameters the loss does not
    depend on, and for what cannot be built; UnsupportedOpError naming all ops without a gradient.
    """
    base = read(model)
    if custom_op_library is not None:
        check_library(custom_op_library)
        refuse_custom_ops(base.graph.nodes, custom_op_library)
    outputs = additional_output_names or ()
    trained, frozen = names_of("requires_grad", requires_grad), names_of("frozen_params", frozen_params)
    scored = loss_input_names or None
    artifacts = build(base, trained, frozen, loss, optimizer, outputs, scored, None, batch_statistics)
    forms = stored_forms(artifacts.parameters, frozen_storage)
    if forms:
        logger.info(cost_text(storage_cost(artifacts, frozen_storage, forms, storage_samples)))
    write(with_stored_inputs(artifacts, forms), Path(artifact_directory or "."), prefix, ort_format, nominal_checkpoint)


def build(
    model: Model,
    requires_grad: Sequence[str],
    frozen_params: Sequence[str],
    loss: LossType | Block | None,
    optimizer: OptimType | ForwardBlock | None,
    additional_output_names: Sequence[str] = (),
    loss_input_names: Sequence[str] | None = None,
    parameter_shapes: Mapping[str, Shape] | None = None,
    batch_statistics: bool = False,
) -> Artifacts:
    """generate_artifacts without files. parameter_shapes: shapes with a symbolic size, for parameters whose values have 0 there."""
    if (opset := model.opset_import.get("", 1)) < OLDEST_OPSET:
        raise InvalidInputError(f"The model has opset {opset}, training needs {OLDEST_OPSET} or newer; export it again.")
    if opset > (newest := onnx.defs.onnx_opset_version()):
        raise InvalidInputError(f"The model has opset {opset}, onnx {onnx.__version__} knows {newest} at most; install a newer onnx.")
    if isinstance(additional_output_names, str):
        raise InvalidInputError(f"additional_output_names must be a list of names, got the text {additional_output_names!r}.")
    names, model, shapes = Names(), prepare(model, {*requires_grad, *frozen_params}), parameter_shapes or {}
    initializers = model.graph.initializers
    opened = tuple(Parameter(tensor, shapes[tensor.name], True) for tensor in initializers if tensor.name in shapes)
    model = infer_types(replace(model, graph=with_parameters_as_inputs(model.graph, opened)))
    grown, outputs = with_loss(model, loss, loss_input_names, names)
    outputs = list(dict.fromkeys([*outputs, *additional_output_names]))
    made = assemble(grown, outputs, requires_grad, frozen_params, initializers, shapes, batch_statistics)
    update = None if optimizer is None else optimizer_model(optimizer, made.tensors(with_large=False), opset, names)
    return Artifacts(made.training_model, made.eval_model, made.parameters, update)


def write(
    artifacts: Artifacts,
    directory: Path,
    prefix: str = "",
    ort_format: bool = False,
    nominal_checkpoint: bool = False,
    limits: Limits = LIMITS,
) -> None:
    """Writes the files of `artifacts` into a folder, made if needed; existing ones are replaced, all or none. Raises what files_of does."""
    write_files(directory, files_of(artifacts, ort_format, nominal_checkpoint, prefix, limits))


def files_of(
    artifacts: Artifacts, ort_format: bool, nominal_checkpoint: bool, prefix: str = "", limits: Limits = LIMITS
) -> dict[str, Content]:
    """{file name: content}: the graphs as .onnx and, if asked, .ort; checkpoint and, if asked, nominal_checkpoint.

    What is beyond the limits has a second file for its weights, <name>.data. Raises InvalidInputError for a .ort file beyond them.
    """
    files: dict[str, Content] = {}
    for stem, model in artifacts.models().items():
        files |= onnx_files(f"{prefix}{stem}.onnx", model, limits.onnx)
        if ort_format:
            files[f"{prefix}{stem}.ort"] = ort_pieces(f"{prefix}{stem}.ort", model, limits.ort)
    files |= artifacts.checkpoint_files(f"{prefix}checkpoint", limits.checkpoint)
    if nominal_checkpoint:
        files[f"{prefix}nominal_checkpoint"] = artifacts.checkpoint(nominal=True)
    return files
