"""Module.describe: the memory of a step, known before it runs."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import Module
from tests.api.golden import TRACES, Golden
from tests.memory_measured import peak_of

# Of each row, so that arrays outweigh what is always there: numpy's buffers of 8192 elements, and some KB of Python's own objects.
COPIES = 1024


def _described_and_measured(golden: Golden, module: Module, *, from_cut: bool) -> tuple[int, int]:
    feeds = {name: np.concatenate([array] * COPIES) for name, array in golden.feeds(0).items()}
    data = module.input_names()[0]
    description = module.describe(len(feeds[data]))
    step = description.from_kept if from_cut else description.step
    assert step is not None
    if from_cut:
        feeds |= module.run_prefix({data: feeds.pop(data)})
    return step.peak, peak_of(lambda: module.train_step(feeds))


@pytest.mark.parametrize("name", TRACES)
def test_the_peak_of_a_step_is_right_within_20_percent(name: str) -> None:
    """On ONNX Runtime's own graphs, with fused ops, for all that Python and numpy allocate."""
    golden = Golden(name)
    expected, measured = _described_and_measured(golden, golden.trainer()[0], from_cut=False)
    assert abs(expected - measured) <= 0.2 * measured


def test_so_is_the_peak_of_a_step_on_kept_values() -> None:
    """The part behind the frozen prefix, alone."""
    golden = Golden("dwconv_relu6_gap")
    expected, measured = _described_and_measured(golden, golden.trainer()[0], from_cut=True)
    assert abs(expected - measured) <= 0.2 * measured


def test_a_nominal_state_is_described_as_well() -> None:
    """Shapes come from the graph: the page can tell the memory before it fetches the weights."""
    golden = Golden("cnn_bn_pool_ce")
    nominal, full = (golden.trainer(checkpoint)[0].describe(16) for checkpoint in ("nominal_checkpoint", "checkpoint"))
    assert str(nominal) == str(full)


def test_the_text_names_what_one_asks_for() -> None:
    """Rows, parameters, inputs, ops, the peak and its place, the largest values."""
    golden = Golden("mlp_ce_adamw_frozen")
    module, _ = golden.trainer()
    description = module.describe(1000)
    parameters = [parameter.data for _, parameter in module.state.parameters]
    assert description.parameter_bytes == sum(array.nbytes for array in parameters)
    lines = str(description).splitlines()
    assert lines[0] == "Training step on 1000 rows"
    assert lines[1].startswith(f"parameters {len(parameters)}, ")
    assert "input      input float32 (1000, 6)" in lines
    assert any(line.startswith("peak ") and description.step.memory.step.label in line for line in lines)
    assert all(name in str(description) for name in description.step.largest)
    assert sum(description.step.ops.values()) == description.step.steps


def test_open_sizes_can_be_told() -> None:
    """A size by the symbol's name, or all sizes of an input; else the text shows what is open."""
    golden = Golden("mlp_ce_adamw_frozen")
    module, _ = golden.trainer()
    data, labels = module.input_names()
    told = module.describe(shapes={data: (40, 6)}).step
    assert told.peak == module.describe(40).step.peak == module.describe(7, sizes={"batch": 40}).step.peak
    assert told.inputs == {data: "float32 (40, 6)", labels: "int64 (40,)"}


def test_what_is_kept_of_each_row_has_its_size() -> None:
    """Bytes of one row of the values at the cut, as run_prefix gives them; nothing where no prefix is frozen."""
    golden = Golden("dwconv_relu6_gap")
    module, _ = golden.trainer()
    data = module.input_names()[0]
    kept = module.run_prefix({data: golden.feeds(0)[data]})
    assert module.describe(3).kept == {name: array[0].nbytes for name, array in kept.items()} != {}
    assert Golden("mlp_ce_adamw_frozen").trainer()[0].describe().kept == {}
