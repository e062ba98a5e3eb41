"""The quick-start notebook: it runs, and shows what it prints."""

import re

import pytest

from docs import notebook
from sitebuild import paths

pytestmark = pytest.mark.oracle

NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def cells():
    """Of the notebook, with what they print now."""
    if not (paths.ARTIFACTS / "efficientnet-lite0").exists():
        pytest.skip("the base model is not made; python -m tests makes it")
    return list(notebook.printed(notebook.read()))


def test_cells_print_what_the_notebook_shows(cells):
    """The same words. Another machine rounds otherwise: two of ten photos may be answered differently, a share may be off by 0.05."""
    for cell, now in cells:
        shown = notebook.kept(cell)
        assert NUMBER.sub("#", now).split() == NUMBER.sub("#", shown).split()
        for ours, theirs in zip(NUMBER.findall(now), NUMBER.findall(shown), strict=True):
            assert abs(float(ours) - float(theirs)) <= (0.05 if "." in theirs else 2)


def test_it_is_a_notebook(cells):
    """nbformat 4: cells of text or code, and the counts of a run from top to bottom."""
    made = notebook.read()
    assert made["nbformat"] == 4
    assert {cell["cell_type"] for cell in made["cells"]} == {"markdown", "code"}
    assert [cell["execution_count"] for cell, _ in cells] == list(range(1, len(cells) + 1))
