"""Names of generated values and nodes: onnx::<token>::<number>, as ORT's onnxblock writes them."""

from __future__ import annotations

from itertools import count


class Names:
    """Gives each name once. The numbers start at 1 for every generation, so the same call gives the same names."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new(self, token: str) -> str:
        """onnx::<token>::<next number>."""
        return f"onnx::{token}::{next(self._numbers)}"
