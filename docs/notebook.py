"""Runs the quick-start notebook and keeps what it prints: python -m docs.notebook."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.blocks import FOLDER

NOTEBOOK = FOLDER / "quickstart.ipynb"


def read() -> dict[str, Any]:
    """The notebook as JSON, nbformat 4."""
    return dict(json.loads(NOTEBOOK.read_text(encoding="utf-8")))


def printed(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Runs the cells of code one by one in one namespace: (cell, what it wrote to standard output)."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for index, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}[{index}]", "exec"), names)  # noqa: S102 - the project's own notebook
            yield cell, output.getvalue()


def kept(cell: dict[str, Any]) -> str:
    """What the notebook shows below a cell."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def main() -> None:
    """Writes the notebook with its output."""
    notebook = read()
    for number, (cell, text) in enumerate(printed(notebook), 1):
        stream = {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
        cell |= {"execution_count": number, "outputs": [stream] if text else []}
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    assert Path.cwd() == FOLDER.parent, "run it in the project's folder"
    main()
