"""The columns of docs/interchange.md that need the real trainer: on our artifacts and on its own."""

import pytest

from artifacts_tool.generate import write
from bench.interchange import TOLERANCE, cell, columns
from tests.api.golden import TRACES
from tests.artifacts.conftest import Golden

pytestmark = pytest.mark.ort_training


@pytest.mark.parametrize("name", TRACES)
def test_the_real_trainer_trains_on_our_artifacts_as_on_its_own(ort_python, tmp_path, name):
    """Losses, gradients and parameters of every step equal those that were recorded, from .onnx and from .ort."""
    golden = Golden(name)
    write(golden.build(), tmp_path, ort_format=True)
    for column in columns(ort_python)[2:]:
        assert cell(golden, tmp_path, column) <= TOLERANCE, column.title
