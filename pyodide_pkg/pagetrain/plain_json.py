"""JSON from files that anyone may have written: small and flat, or refused.

Python's parser recurses, and in WebAssembly deep nesting is not an error that can be caught: it ends the interpreter.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_CHARACTERS = 8 << 20
MAX_DEPTH = 32

# Never goes back: a text whose end is missing is taken whole, not tried again from each quotation mark in it.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def loads(text: str | bytes) -> Any:
    """The value in `text`. Raises ValueError for what is not JSON in UTF-8, longer than MAX_CHARACTERS or nested deeper than MAX_DEPTH."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{len(text)} characters, at most {MAX_CHARACTERS} are read")
    source = text.decode("utf-8") if isinstance(text, bytes) else text
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(source):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return json.loads(source)
