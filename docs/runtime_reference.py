"""The generated parts of docs/pagetrain.md: the classes, functions and errors of the trainer, from their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pagetrain
from docs.blocks import code, table
from docs.docstrings import signature_of, text_of
from pagetrain import compat, errors
from pagetrain.api import node_arg, optimizer_state, parameter, properties

# Not made by callers, but handed to them.
PARTS = (
    parameter.Parameter,
    parameter.Parameters,
    properties.Properties,
    optimizer_state.OptimizerState,
    node_arg.NodeArg,
)


def classes() -> str:
    """Each public class: what it promises, how it is made, and its members."""
    named = [item for item in _public() if inspect.isclass(item)]
    made = [_class(item, signature_of(item.__init__)) for item in named]
    return "\n\n".join([*made, *(_class(item, "") for item in PARTS)])


def functions() -> str:
    """Each public function, and those of compat."""
    found = [item for item in _public() if inspect.isfunction(item)]
    own = [("", item) for item in found] + [("compat.", item) for item in (compat.install, compat.uninstall)]
    return table(["call", "what it does"], [[code(f"{prefix}{item.__name__}{signature_of(item)}"), _text(item)] for prefix, item in own])


def errors_table() -> str:
    """Each error type with the types that it is."""
    found = [item for item in vars(errors).values() if inspect.isclass(item) and item.__module__ == errors.__name__]
    bases = ([base.__name__ for base in item.__bases__ if base is not Exception] for item in found)
    rows = [[code(item.__name__), ", ".join(map(code, names)), _text(item)] for item, names in zip(found, bases, strict=True)]
    return table(["error", "is also", "meaning"], rows)


def _public() -> list[Any]:
    return [getattr(pagetrain, name) for name in pagetrain.__all__]


def _class(item: type, made: str) -> str:
    heading = f"### {item.__name__}" + (f"\n\n{code(f'{item.__name__}{made}')}" if made else "")
    texts = [_text(item), _text(item.__init__) if made and inspect.isfunction(item.__init__) else ""]
    rows = [[code(call), _text(member)] for call, member in _members(item)]
    return "\n\n".join([heading, *filter(None, texts), *([table(["", "what it does"], rows)] if rows else [])])


def _members(item: type) -> Iterator[tuple[str, Any]]:
    """(how it is called, the documented member) of the class and those it is made from, the nearest first."""
    seen: set[str] = set()
    for base in item.__mro__:
        for name, member in vars(base).items() if base.__module__.startswith("pagetrain") else ():
            if name in seen or (name.startswith("_") and name != "__call__"):
                continue
            seen.add(name)
            call = "" if name == "__call__" else f".{name}"
            if isinstance(member, property):
                yield call, member
            elif inspect.isfunction(function := getattr(member, "__func__", member)):
                yield f"{call}{signature_of(function)}", function


def _text(documented: Any) -> str:
    """Angle brackets in texts are no HTML."""
    return text_of(documented).replace("<", "\\<")
