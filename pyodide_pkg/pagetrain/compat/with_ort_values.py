"""Module and InferenceSession with OrtValues going in and out, where onnxruntime has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import api
from .ort_value import OrtValue


class Module(api.Module):
    """api.Module; OrtValues in give OrtValues out, and the buffer of all parameters is one.

    Its other calls take OrtValues as they are, for these are arrays.
    """

    def __call__(self, *user_inputs: Any) -> Any:
        """One step in the present mode. One output -> array, several -> tuple; OrtValues if all inputs are."""
        outputs = super().__call__(*user_inputs)
        if not all(isinstance(one, OrtValue) for one in user_inputs):
            return outputs
        return tuple(map(OrtValue, outputs)) if isinstance(outputs, tuple) else OrtValue(outputs)

    def get_contiguous_parameters(self, trainable_only: bool = False) -> Any:
        """An OrtValue of api.Module's buffer."""
        return OrtValue(super().get_contiguous_parameters(trainable_only))


class InferenceSession(api.InferenceSession):
    """api.InferenceSession, and runs on OrtValues."""

    def run_with_ort_values(
        self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, OrtValue], run_options: object = None
    ) -> list[OrtValue]:
        """run on OrtValues."""
        return [OrtValue(result) for result in self.run(output_names, input_dict_ort_values, run_options)]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """Of the one provider: none."""
        return {name: {} for name in self.get_providers()}
