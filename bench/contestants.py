"""Who takes part: pagetrain as it comes and held back, and the others, each in its best documented configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.served import OTHERS, OURS


@dataclass(frozen=True)
class Contestant:
    """name: in tables. script: of bench/web. threads: for those who can be told. options: what the script gets besides."""

    name: str
    script: str
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def page(self) -> str:
        return OURS if self.script == "ours" else OTHERS


def _by_threads(name: str, script: str, **options: Any) -> tuple[Contestant, Contestant]:
    return Contestant(name, script, 1, options), Contestant(f"{name}, 2 threads", script, 2, options)


PAGETRAIN = Contestant("pagetrain", "ours")
LOADED_FIRST = Contestant("pagetrain, pictures added after loading", "ours", options={"loadedFirst": True})
ONE_WORKER = Contestant("pagetrain, one embedding worker", "ours", options={"cores": 1})
NUMPY = Contestant("pagetrain, numpy kernels", "ours", options={"backend": "numpy", "loadedFirst": True})
ORT_TRAINING = _by_threads("onnxruntime-web 1.19.2 training", "ort_train")
ORT = _by_threads("onnxruntime-web 1.30 + head in JavaScript", "ort_infer")
TFJS = _by_threads("TensorFlow.js 4.22 wasm", "tfjs", backend="wasm")
STOCK = Contestant("stock Pyodide with numpy", "stock")
