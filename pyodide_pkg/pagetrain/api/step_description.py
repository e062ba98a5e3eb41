"""ModuleDescription and OptimizerDescription: what a step of either takes, in words for people and in fields for tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..description import Description, size_text


@dataclass(frozen=True, slots=True)
class ParameterSize:
    """One parameter. `nbytes`: None where neither the graph nor the state says its shape yet."""

    nbytes: int | None
    trainable: bool


@dataclass(frozen=True, slots=True)
class ModuleDescription:
    """A training step on `batch` rows. `step`: all of it; `kept`: {value at the end of the frozen prefix: bytes for each row};

    `from_kept`: the step from these values on, None where nothing is frozen before the data inputs.
    """

    batch: int
    parameters: Mapping[str, ParameterSize]
    step: Description
    kept: Mapping[str, int]
    from_kept: Description | None

    @property
    def parameter_bytes(self) -> int:
        """Of all parameters whose shape is known."""
        return sum(size.nbytes or 0 for size in self.parameters.values())

    @property
    def gradient_bytes(self) -> int:
        """Of the gradients that the state keeps: as much as the trainable parameters."""
        return sum(size.nbytes or 0 for size in self.parameters.values() if size.trainable)

    def __str__(self) -> str:
        trainable = sum(size.trainable for size in self.parameters.values())
        lines = [
            f"Training step on {self.batch} rows",
            f"parameters {len(self.parameters)}, {size_text(self.parameter_bytes)}",
            f"trainable  {trainable}, {size_text(self.gradient_bytes)}, and as much for gradients",
            str(self.step),
        ]
        if self.from_kept is not None:
            values = ", ".join(f"{name} ({size_text(size)})" for name, size in self.kept.items())
            lines += ["", f"Step from what is kept of each row, {values}", str(self.from_kept)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class OptimizerDescription:
    """An optimizer step: the `parameters` that it updates, the bytes of all, and the shape of the largest; how many moments as large the

    state keeps for each; the step itself, for the largest parameter, because they are updated one after the other.
    """

    parameters: int
    parameter_bytes: int
    largest: tuple[int, ...]
    moments: int
    step: Description

    @property
    def moment_bytes(self) -> int:
        """Of all moments together."""
        return self.moments * self.parameter_bytes

    def __str__(self) -> str:
        lines = ["Optimizer step", f"trainable  {self.parameters}, {size_text(self.parameter_bytes)}"]
        if self.moments:
            lines.append(f"moments    {self.moments} for each, {size_text(self.moment_bytes)}")
        lines.append(f"ops        {', '.join(f'{count} {op}' for op, count in self.step.ops.items())}")
        lines.append(f"peak       {size_text(self.step.peak)}, for the parameter of shape {self.largest}")
        return "\n".join(lines)
