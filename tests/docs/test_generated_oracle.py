"""The generated parts of the pages are what the source says today."""

import inspect

import pytest

from artifacts_tool import generate_artifacts
from docs.__main__ import PAGES, main, renewed
from docs.blocks import FOLDER, blocks_of, table, with_block
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
    for page in PAGES:
        (tmp_path / page).write_text((FOLDER / page).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("docs.__main__.FOLDER", tmp_path)
    assert main(["--check"]) == 0
    old = with_block((tmp_path / "ops.md").read_text(encoding="utf-8"), "training-ops", "None.")
    (tmp_path / "ops.md").write_text(old, encoding="utf-8")
    assert main(["--check"]) == 1
    assert "ops.md is out of date" in capsys.readouterr().err
    assert (tmp_path / "ops.md").read_text(encoding="utf-8") == old
    assert (main([]), main(["--check"])) == (0, 0)


def test_every_parameter_of_generate_artifacts_is_explained():
    """In its docstring, one entry for each, none for what is no parameter."""
    assert list(entries_of(str(generate_artifacts.__doc__))) == list(inspect.signature(generate_artifacts).parameters)


def test_bars_do_not_break_tables():
    """A cell with a bar stays one cell."""
    assert table(["a"], [["x | y"]]).splitlines()[-1] == "| x \\| y |"
