"""Real models with changed bytes: an error of ours or success, whatever was changed."""

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagetrain.errors import PagetrainError

from .conftest import DATA
from .mutations import mutated, use

pytestmark = pytest.mark.oracle

NAMES = ("golden/mlp_mse_sgd/base", "golden/cnn_bn_pool_ce/base", "golden/attention_block/base", "models/if_o16", "models/localfuncs_o18")
MODELS = [(DATA / f"{name}.onnx").read_bytes() for name in NAMES]
KINDS = ("flip", "set", "cut", "insert", "repeat")
EDIT = st.tuples(st.sampled_from(KINDS), st.integers(0, 999), st.integers(0, 255), st.binary(max_size=8))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.sampled_from(MODELS), st.lists(EDIT, min_size=1, max_size=4))
def test_changed_bytes_are_an_error_of_ours_or_nothing(data, edits):
    """From reading to writing."""
    with contextlib.suppress(PagetrainError):
        use(mutated(data, edits))
