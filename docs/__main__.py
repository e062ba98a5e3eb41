"""Renews the generated parts of the pages: python -m docs [--check]."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from docs import accuracy_table, op_table, reference, runtime_reference
from docs.blocks import FOLDER, with_block

# page: {block: what makes it}. The block of interchange.md is measured, by bench.interchange.
PAGES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "accuracy.md": {"accuracy": accuracy_table.accuracy, "intervals": accuracy_table.intervals, "copies": accuracy_table.copies},
    "artifacts.md": {
        "generate_artifacts": reference.generate_artifacts,
        "functions": reference.other_functions,
        "commands": reference.commands,
        "json": reference.json_output,
        "onnxblock": reference.blocks,
    },
    "pagetrain.md": {
        "classes": runtime_reference.classes,
        "functions": runtime_reference.functions,
        "errors": runtime_reference.errors_table,
    },
    "ops.md": {"model-ops": op_table.model_ops, "training-ops": op_table.training_ops, "ops-apart": op_table.ops_apart},
}


def renewed(page: str) -> str:
    """The page's text with every generated part made anew."""
    text = (FOLDER / page).read_text(encoding="utf-8")
    for block, make in PAGES[page].items():
        text = with_block(text, block, make())
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the pages; with --check it names those that are out of date and returns 1 if there are any."""
    parser = argparse.ArgumentParser(prog="docs", description="Renews the generated parts of the pages in docs/.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is out of date")
    options = parser.parse_args(arguments)
    texts = {FOLDER / page: renewed(page) for page in PAGES}
    old = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for path in old:
        if options.check:
            print(f"{path.name} is out of date; run python -m docs", file=sys.stderr)
        else:
            path.write_text(texts[path], encoding="utf-8")
    return int(options.check and bool(old))


if __name__ == "__main__":
    sys.exit(main())
