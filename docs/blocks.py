"""Generated blocks of a page: what stands between two comments that name the block, and Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[\w-]+)\b[^>]*-->\n)(?P<content>.*?)(<!-- end -->)", re.DOTALL)


def blocks_of(page: str) -> dict[str, str]:
    """{name: content} of a page's generated blocks."""
    return {found["name"]: found["content"] for found in _BLOCK.finditer(page)}


def with_block(page: str, name: str, content: str) -> str:
    """The page with new content in the block. Raises KeyError if it has no such block."""
    if name not in blocks_of(page):
        raise KeyError(name)

    def renewed(found: re.Match[str]) -> str:
        return f"{found[1]}{content.strip()}\n{found[4]}" if found["name"] == name else found[0]

    return _BLOCK.sub(renewed, page)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: object) -> str:
    """The text as Markdown code; nothing for no text."""
    return f"`{text}`" if str(text) else ""
