"""Fenced blocks of Markdown pages, and how those of Python and of the shell are run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# What stands behind the language of a block.
SHOWN = "shown"  # Python that needs what a test has not
DEVICE = "device"  # Python that runs in a page, too
ORT = "ort"  # for the real onnxruntime, on the other side of a comparison
_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fence:
    """One block. words: what stands behind the language; line: of the page."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int


def fences_of(page: Path) -> Iterator[Fence]:
    """All blocks of a page, in order."""
    content = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(content):
        language, *words = found["info"].split() or [""]
        yield Fence(language, tuple(words), found["text"], content.count("\n", 0, found.start()) + 1)


def run_python(fence: Fence, page: Path, names: dict[str, Any]) -> None:
    """Runs the block in a page's namespace; lines of a traceback are the page's."""
    exec(compile("\n" * fence.line + fence.text, str(page), "exec"), names)


def commands_of(fence: Fence) -> Iterator[list[str]]:
    """The words of each command line of a block, without the settings before it."""
    for line in fence.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and re.match(r"[A-Z_]+=", words[0]):
            words.pop(0)
        if words:
            yield words


def assert_alike(printed: str, shown: str, count: int = 0) -> None:
    """The same words; numbers with a point may differ by 0.05, others by count: a training rounds otherwise on another machine."""
    number = re.compile(r"\d+(?:\.\d+)?" if count else r"\d+\.\d+")
    assert number.sub("#", printed).split() == number.sub("#", shown).split()
    for ours, theirs in zip(number.findall(printed), number.findall(shown), strict=True):
        assert abs(float(ours) - float(theirs)) <= (0.05 if "." in theirs else count)
