"""The page of training options names them all, with their defaults."""

import dataclasses
import re
from pathlib import Path

from pagetrain.fit_settings import FitOptions, FitSettings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "training.md"


def rows():
    """{option: its default, as the table has it}."""
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_option_has_its_row():
    """And there is none for another name but the schedulers."""
    assert {name for name in rows() if not name.endswith("Scheduler")} == set(FitOptions.__annotations__)


def test_defaults_are_those_of_the_code():
    """Where they do not depend on the pictures."""
    fields = {field.name: field.default for field in dataclasses.fields(FitSettings) if field.default is not dataclasses.MISSING}
    shown = {
        name: "none" if value is None else f'`"{value}"`' if isinstance(value, str) else f"{value:g}" for name, value in fields.items()
    }
    assert {name: rows()[name] for name in shown} == shown
