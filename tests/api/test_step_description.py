"""Module.describe and Optimizer.describe: the memory of a step, known before it runs."""

from __future__ import annotations

import numpy as np
import pytest

from pagetrain import Module, Optimizer, backend
from pagetrain.errors import InvalidInputError
from pagetrain.graph import ElementType, SequenceType, TensorType, ValueInfo
from tests.api.golden import TRACES, Golden
from tests.graphs import graph, model, node
from tests.memory_measured import peak_of

pytestmark = pytest.mark.usefixtures("on_numpy")

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


@pytest.mark.parametrize("batch", [0, -1])
def test_a_step_has_rows(batch: int) -> None:
    """At least one."""
    with pytest.raises(InvalidInputError, match="at least 1"):
        Golden("mlp_ce_adamw_frozen").trainer()[0].describe(batch)


def test_what_is_kept_of_each_row_has_its_size() -> None:
    """Bytes of one row of the values at the cut, as run_prefix gives them; nothing where no prefix is frozen."""
    golden = Golden("dwconv_relu6_gap")
    module, _ = golden.trainer()
    data = module.input_names()[0]
    kept = module.run_prefix({data: golden.feeds(0)[data]})
    assert module.describe(3).kept == {name: array[0].nbytes for name, array in kept.items()} != {}
    assert Golden("mlp_ce_adamw_frozen").trainer()[0].describe().kept == {}


MS = "com.microsoft"
WITH_MOMENTS = "learning_rate step params gradients first_order_moments second_order_moments"
LISTS = {"sgd": ["params", "gradients"], "clipped": ["params", "gradients"]}
RULES = {
    "adamw": [node("AdamWOptimizer", WITH_MOMENTS, "updated", 1, MS)],
    "hugging_face": [node("AdamWOptimizer", WITH_MOMENTS, "updated", 1, MS, adam_mode=1)],
    "sgd": [node("SGDOptimizerV2", "learning_rate params gradients", "updated", 1, MS)],
    "clipped": [
        node("InplaceClipGradNorm", "gradients", "clipped", 1, MS, max_norm=0.5),
        node("SGDOptimizerV2", "learning_rate params clipped", "updated", 1, MS),
    ],
}


def _optimizer(rule: str) -> Optimizer:
    """Over a state whose largest parameter outweighs numpy's buffers and Python's objects, with gradients."""
    golden = Golden("mlp_ce_adamw_frozen")
    module, _ = golden.trainer()
    name = golden.meta["requires_grad"][0]
    module.state.replace_parameter(name, np.full((700, 500), 0.1, np.float32))
    for one in module.state.trainable_names:
        gradient = module.state.parameters[one].grad
        assert gradient is not None
        gradient[...] = 0.1
    floats = SequenceType(TensorType(ElementType.FLOAT))
    lists = LISTS.get(rule, ["params", "gradients", "first_order_moments", "second_order_moments"])
    numbers = [("learning_rate", ElementType.FLOAT), ("step", ElementType.INT64)]
    inputs = [ValueInfo(name, TensorType(element, (1,))) for name, element in numbers] + [ValueInfo(name, floats) for name in lists]
    return Optimizer(model(graph(RULES[rule], inputs, ["updated"])), module)


@pytest.mark.parametrize("rule", RULES)
def test_the_peak_of_an_optimizer_step_is_right_within_20_percent(rule: str) -> None:
    """The largest parameter's, because they are updated one after the other; next to nothing where a backend updates in one pass."""
    optimizer = _optimizer(rule)
    expected, measured = optimizer.describe().step.peak, peak_of(optimizer.step)
    assert abs(expected - measured) <= 0.2 * measured + 4096  # Python's own objects: under 2 KB, for parameters of 1.4 MB


def test_the_text_of_an_optimizer_step() -> None:
    """Parameters, what is kept of them, and the step; its peak is that of the backend that runs it."""
    optimizer = _optimizer("adamw")
    arrays = [optimizer.state.parameters[name].data for name in optimizer.state.trainable_names]
    described = optimizer.describe()
    optimizer.step()
    moments = [moment for kept in optimizer.state.optimizer.momentums.values() for moment in kept.values()]
    assert described.moment_bytes == sum(moment.nbytes for moment in moments)
    assert described.parameter_bytes == sum(array.nbytes for array in arrays)
    assert str(described).splitlines() == [
        "Optimizer step",
        f"trainable  {len(arrays)}, 1.4 MB",
        "moments    2 for each, 2.8 MB",
        "ops        1 AdamWOptimizer",
        f"peak       {'1.4 MB' if backend.name() == 'numpy' else '0 B'}, for the parameter of shape (700, 500)",
    ]
