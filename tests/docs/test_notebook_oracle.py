"""The quick-start notebook: it runs, and shows what it prints."""

import pytest

from docs import notebook
from sitebuild import paths
from tests.docs.fences import assert_alike

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def cells():
    """Of the notebook, with what they print now."""
    if not (paths.ARTIFACTS / "efficientnet-lite0").exists():
        pytest.skip("the base model is not made; python -m tests makes it")
    return list(notebook.printed(notebook.read()))


def test_cells_print_what_the_notebook_shows(cells):
    """The same words. Another machine rounds otherwise: two of ten photos may be answered differently, a share may be off by 0.05."""
    for cell, now in cells:
        assert_alike(now, notebook.kept(cell), count=2)


def test_it_is_a_notebook(cells):
    """nbformat 4: cells of text or code, and the counts of a run from top to bottom."""
    made = notebook.read()
    assert made["nbformat"] == 4
    assert {cell["cell_type"] for cell in made["cells"]} == {"markdown", "code"}
    assert [cell["execution_count"] for cell, _ in cells] == list(range(1, len(cells) + 1))
