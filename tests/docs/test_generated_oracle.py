"""The generated parts of the pages are what the source says today."""

import inspect
import re

import pytest

from artifacts_tool import generate_artifacts
from docs.__main__ import PAGES, main, renewed
from docs.blocks import FOLDER, blocks_of, table
from docs.reference import entries_of

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("doc", PAGES)
def test_pages_are_up_to_date(doc):
    """Made anew they are the same, byte for byte; if this fails, run `python -m docs`."""
    assert renewed(doc) == (FOLDER / doc).read_text(encoding="utf-8")


@pytest.mark.parametrize("doc", PAGES)
def test_every_generated_block_is_made(doc):
    """No block is left that nothing renews."""
    assert set(blocks_of((FOLDER / doc).read_text(encoding="utf-8"))) == set(PAGES[doc])


def test_check_names_what_is_out_of_date(tmp_path, monkeypatch, capsys):
    """--check changes nothing and fails; without it the page is renewed, and then --check is content."""
    page, old = tmp_path / "page.md", "Above.\n<!-- generated: part, by hand -->\nOld.\n<!-- end -->\nBelow.\n"
    page.write_text(old, encoding="utf-8")
    monkeypatch.setattr("docs.__main__.FOLDER", tmp_path)
    monkeypatch.setattr("docs.__main__.PAGES", {"page.md": {"part": lambda: "New."}})
    assert main(["--check"]) == 1
    assert "page.md is out of date" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == old
    assert (main([]), main(["--check"])) == (0, 0)
    assert page.read_text(encoding="utf-8") == old.replace("Old.", "New.")


def test_every_parameter_of_generate_artifacts_is_explained():
    """In its docstring, one entry for each, none for what is no parameter."""
    assert list(entries_of(str(generate_artifacts.__doc__))) == list(inspect.signature(generate_artifacts).parameters)


def test_bars_do_not_break_tables():
    """A cell with a bar stays one cell."""
    assert table(["a"], [["x | y"]]).splitlines()[-1] == "| x \\| y |"


def test_every_way_to_a_gradient_is_explained():
    """Each word of the table's column stands in the list above it, and the list has no other."""
    text = (FOLDER / "ops.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in blocks_of(text)["model-ops"].splitlines() if line.startswith("| ")][2:]
    assert {cells[2].split(",")[0] for cells in rows} == {
        found.split(",")[0] for found in re.findall(r'^  - "([^"]+)":', text, re.MULTILINE)
    }
