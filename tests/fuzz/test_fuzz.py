"""A short run of the fuzzer with a fixed seed; python -m tests.fuzz makes long ones."""

from __future__ import annotations

import tracemalloc

import pytest

from .targets import targets
from .trial import input_of, outcome_of

COUNTS = {"model": 500, "checkpoint": 500, "manifest": 300, "onnx": 400, "graph": 500}
# What reading and binding may take at most: so many times the size of the file, and so many bytes besides. Measured over 3000 inputs of
# each kind: up to 28 times the size, of files of a kilobyte and more; up to 19 kB of smaller ones. Twice that, as Python versions differ.
MEMORY = (60, 50_000)


@pytest.mark.parametrize("kind", COUNTS)
def test_mutated_inputs_end_in_results_or_in_our_errors(kind: str) -> None:
    """And not all in the one, nor all in the other: then the changes would be too small, or too large, to tell anything."""
    outcomes = [outcome_of(targets()[kind], input_of(targets()[kind], kind, 0, number)) for number in range(COUNTS[kind])]
    assert [outcome.fault for outcome in outcomes if outcome.fault] == []
    refused = sum(outcome.word.startswith("refused") for outcome in outcomes)
    assert 0 < refused < len(outcomes)


@pytest.mark.parametrize("kind", ["model", "checkpoint", "onnx"])
def test_no_input_takes_much_more_memory_than_it_has_bytes(kind: str) -> None:
    """The peak of what Python and numpy allocate, kernels and the fuzzer's own files apart."""
    target = targets()[kind]
    outcome_of(target, input_of(target, kind, 1, 0))  # what is made once is made
    tracemalloc.start()
    try:
        for number in range(300):
            data = input_of(target, kind, 1, number)
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            outcome_of(target, data)
            assert tracemalloc.get_traced_memory()[1] - before <= MEMORY[0] * len(data) + MEMORY[1], f"input {number}"
    finally:
        tracemalloc.stop()
