"""Ops of native libraries: which of a model's ops are such, and what can be said of them here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import onnx.defs

from pagetrain import kernels
from pagetrain.errors import InvalidInputError, UnsupportedOpError
from pagetrain.graph import MS_DOMAIN, Node

from .op_schemas import MS_OPS

Library = str | bytes | os.PathLike[str]


def is_known(node: Node) -> bool:
    """Whether the op is one of ONNX, one of ORT's own, or one that the trainer runs."""
    if onnx.defs.has(node.op_type, node.domain) or (node.domain == MS_DOMAIN and node.op_type in MS_OPS):
        return True
    return kernels.find(node.domain, node.op_type, node.since_version) is not None


def check_library(library: Library) -> None:
    """Raises InvalidInputError when there is no such file, as ORT does. The file is not read: native code cannot be loaded here."""
    if not Path(os.fsdecode(library)).exists():
        raise InvalidInputError(f"custom_op_library={os.fsdecode(library)!r}: there is no such file; leave it out if the model needs none.")


def refuse_custom_ops(nodes: Iterable[Node], library: Library) -> None:
    """Raises UnsupportedOpError naming the ops that only the library can know; a model that has none does without it."""
    unknown = [node for node in nodes if not is_known(node)]
    if unknown:
        named = ", ".join(dict.fromkeys(f"{node.domain}.{node.op_type} (node {node.called!r})" for node in unknown))
        raise UnsupportedOpError(
            f"The model needs {named} of custom_op_library={os.fsdecode(library)!r}, which is native code and cannot be loaded; "
            "export the ops as ONNX functions, or leave them to what comes before the model.",
            tuple(sorted({kernels.op_id(node.domain, node.op_type, node.since_version) for node in unknown})),
        )
