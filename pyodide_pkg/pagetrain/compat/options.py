"""Options of onnxruntime that code sets: taken, and of no effect, for there is one thread, one device and no log."""

from __future__ import annotations

import enum

from ..errors import InvalidInputError


class GraphOptimizationLevel(enum.IntEnum):
    """onnxruntime's numbers."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """onnxruntime's numbers."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class SessionOptions:
    """Any attribute can be set; those that code reads have onnxruntime's defaults."""

    enable_cpu_mem_arena = enable_mem_pattern = enable_mem_reuse = True
    enable_profiling = use_deterministic_compute = False
    execution_mode = ExecutionMode.ORT_SEQUENTIAL
    graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    inter_op_num_threads = intra_op_num_threads = 0
    log_severity_level, log_verbosity_level, logid = -1, 0, ""
    optimized_model_filepath = ""

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps the entry."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """The entry. Raises KeyError."""
        return self._entries[key]

    def add_free_dimension_override_by_name(self, dim_name: str, dim_value: int) -> None:
        """Nothing: shapes are known when arrays come in."""

    def add_free_dimension_override_by_denotation(self, dim_denotation: str, dim_value: int) -> None:
        """Nothing, as above."""

    def register_custom_ops_library(self, path: str) -> None:
        """Raises InvalidInputError: native code cannot be loaded."""
        raise InvalidInputError(f"The library {path!r} of custom ops is native code, which cannot run here; take its ops out of the model.")


class RunOptions:
    """Any attribute can be set."""

    log_severity_level, log_verbosity_level, logid = -1, 0, ""
    only_execute_path_to_fetches = terminate = False
    training_mode = True

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keeps the entry."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """The entry. Raises KeyError."""
        return self._entries[key]
