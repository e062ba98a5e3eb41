"""aliases(): the modules of onnxruntime by name, made of pagetrain's classes."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .. import api, kernels
from ..api.inference_session import PROVIDER, ModelMetadata
from ..api.node_arg import NodeArg
from ..api.parameter import Parameters
from ..api.properties import Properties
from .options import ExecutionMode, GraphOptimizationLevel, RunOptions, SessionOptions
from .ort_value import OrtValue
from .with_ort_values import InferenceSession, Module

ROOT = "onnxruntime"
VERSION = "1.19.2+pagetrain"  # the version whose API this is
_OFFLINE = ("artifacts", "onnxblock")


def aliases() -> dict[str, ModuleType]:
    """{name: module}, each an attribute of the one above it."""
    training: dict[str, Any] = {"CheckpointState": api.CheckpointState, "LinearLRScheduler": api.LinearLRScheduler}
    training |= {"Module": Module, "Optimizer": api.Optimizer}
    parts: dict[str, dict[str, Any]] = {
        "checkpoint_state": {"CheckpointState": api.CheckpointState, "Parameter": api.Parameter}
        | {"Parameters": Parameters, "Properties": Properties},
        "lr_scheduler": {"LinearLRScheduler": api.LinearLRScheduler},
        "module": {"Module": Module},
        "optimizer": {"Optimizer": api.Optimizer},
    }
    made = {
        ROOT: _module(ROOT, _inference()),
        f"{ROOT}.training": _module(f"{ROOT}.training", {}),
        f"{ROOT}.training.api": _module(f"{ROOT}.training.api", training),
        **{f"{ROOT}.training.api.{name}": _module(f"{ROOT}.training.api.{name}", content) for name, content in parts.items()},
        **_offline(),
    }
    for name, module in made.items():
        above, _, last = name.rpartition(".")
        if above in made:
            setattr(made[above], last, module)
    return made


def _module(name: str, content: dict[str, Any]) -> ModuleType:
    module = ModuleType(name, f"pagetrain under the name {name}.")
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    module.__dict__.update(content, __all__=[one for one in content if not one.startswith("_")])
    return module


def _inference() -> dict[str, Any]:
    return {
        "__version__": VERSION,
        "ExecutionMode": ExecutionMode,
        "GraphOptimizationLevel": GraphOptimizationLevel,
        "InferenceSession": InferenceSession,
        "ModelMetadata": ModelMetadata,
        "NodeArg": NodeArg,
        "OrtValue": OrtValue,
        "RunOptions": RunOptions,
        "SessionOptions": SessionOptions,
        "get_all_providers": lambda: [PROVIDER],
        "get_available_providers": lambda: [PROVIDER],
        "get_device": lambda: "CPU",
        "get_version_string": lambda: VERSION,
        "set_default_logger_severity": lambda severity: None,
        "set_default_logger_verbosity": lambda verbosity: None,
        "set_seed": kernels.set_seed,
    }


def _offline() -> dict[str, ModuleType]:
    """artifacts_tool's modules, if it is there; their parts too, so that none is imported a second time under another name."""
    try:
        for name in _OFFLINE:
            import_module(f"artifacts_tool.{name}")
    except ImportError:
        return {}
    prefixes = tuple(f"artifacts_tool.{name}" for name in _OFFLINE)
    mine = {name: module for name, module in sys.modules.items() if name in prefixes or name.startswith(f"{prefixes[1]}.")}
    return {f"{ROOT}.training.{name.partition('.')[2]}": module for name, module in sorted(mine.items())}
