"""The generated parts of docs/artifacts.md: from signatures, docstrings and the command line's own description of itself."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import artifacts_tool
from artifacts_tool import check, inspection, onnxblock, options
from docs.blocks import code, table
from docs.docstrings import signature_of, text_of

_ENTRY = re.compile(r"^(\w+): (.+(?:\n +.+)*)", re.MULTILINE)


def entries_of(docstring: str) -> dict[str, str]:
    """{name: meaning} of the lines "name: meaning" in a docstring; further lines of a meaning are indented."""
    return {name: " ".join(text.split()) for name, text in _ENTRY.findall(inspect.cleandoc(docstring))}


def generate_artifacts() -> str:
    """Every parameter with its type, default and meaning; then what the docstring says beside."""
    function = artifacts_tool.generate_artifacts
    meanings = entries_of(str(function.__doc__))
    parameters = inspect.signature(function).parameters.values()
    rows = [[code(p.name), code(p.annotation), code(_default(p)), meanings[p.name]] for p in parameters]
    first, *_, last = inspect.cleandoc(str(function.__doc__)).split("\n\n")
    return "\n\n".join([first, table(["parameter", "type", "default", "meaning"], rows), " ".join(last.split())])


def other_functions() -> str:
    """What artifacts_tool offers beside generate_artifacts and the classes of onnxblock."""
    names = [name for name in artifacts_tool.__all__ if inspect.isfunction(getattr(artifacts_tool, name)) and name != "generate_artifacts"]
    found = [getattr(artifacts_tool, name) for name in names]
    kinds = [item for item in vars(artifacts_tool.artifacts).values() if isinstance(item, enum.EnumType)]
    lines = [f"- `{kind.__name__}`: {', '.join(code(member.name) for member in kind)}" for kind in kinds]
    return "\n".join([*lines, *(f"- `{function.__name__}{signature_of(function)}`: {text_of(function)}" for function in found)])


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is parameter.empty else repr(parameter.default)


def commands() -> str:
    """Each command with its arguments and options."""
    parser = options.parser()
    (subparsers,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    helps = {action.dest: action.help for action in subparsers._choices_actions}
    return "\n\n".join(_command(name, str(helps[name]), command) for name, command in subparsers.choices.items())


def _command(name: str, purpose: str, parser: argparse.ArgumentParser) -> str:
    rows = [[_flag(action), "required" if action.required else "", _help(action)] for action in options_of(parser)]
    groups = [group for group in parser._action_groups if group.description]
    notes = [f"{', '.join(code(_name(one)) for one in group._group_actions)}: {group.description}." for group in groups]
    return f"### {name}\n\n{purpose[0].upper()}{purpose[1:]}.\n\n{table(['option', '', 'meaning'], rows)}\n\n{chr(10).join(notes)}".rstrip()


def options_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """All but --help, those that stand without a name first."""
    found = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    return sorted(found, key=lambda action: bool(action.option_strings))


def _name(action: argparse.Action) -> str:
    return action.option_strings[-1] if action.option_strings else action.dest


def _flag(action: argparse.Action) -> str:
    value = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else "")
    if not action.option_strings:
        return code(value or action.dest)
    takes = "" if action.nargs == 0 else f" {value or action.dest.upper()}"
    return code(f"{', '.join(action.option_strings)}{takes}")


def _help(action: argparse.Action) -> str:
    stated = action.help or ""
    if action.default not in (None, False, "", [], argparse.SUPPRESS) and "default" not in stated:
        stated = f"{stated} (default: {action.default})".strip()
    return stated


def json_output() -> str:
    """The fields of what check and inspect print with --json."""
    sections = []
    for command, classes in (("check", [check.Report, check.Blocker, check.Weight, check.Cached]), ("inspect", _classes(inspection))):
        for one in classes:
            rows = [[code(field.name), code(field.type)] for field in dataclasses.fields(one)]
            sections.append(f"`{one.__name__}` of `{command} --json`: {text_of(one)}\n\n{table(['field', 'type'], rows)}")
    return "\n\n".join(sections)


def _classes(module: ModuleType) -> list[type]:
    """The module's own dataclasses, the outermost first."""
    return [one for one in reversed(vars(module).values()) if dataclasses.is_dataclass(one) and one.__module__ == module.__name__]  # type: ignore[misc]


def blocks() -> str:
    """The classes of onnxblock: what they are made with, what they are called with, what they build."""
    modules = {
        "onnxblock": onnxblock,
        "onnxblock.blocks": onnxblock.blocks,
        "onnxblock.loss": onnxblock.loss,
        "onnxblock.optim": onnxblock.optim,
    }
    return "\n\n".join(f"### {name}\n\n{_module_table(module)}" for name, module in modules.items())


def _module_table(module: ModuleType) -> str:
    found = [item for item in _public(module) if _home(item) == module.__name__ or module is onnxblock]
    rows = [row for item in found for row in ([code(_made(item)), code(_called(item)), text_of(item)], *_methods(item))]
    return table(["", "call", "what it is"], rows)


def _methods(item: Any) -> Iterator[list[str]]:
    """What else can be called on a block."""
    for name, method in vars(item).items() if inspect.isclass(item) else ():
        if inspect.isfunction(method) and not name.startswith("_") and name != "build":
            yield [code(f"{item.__name__}.{name}{signature_of(method)}"), "", text_of(method)]


def _public(module: ModuleType) -> list[Any]:
    names = [name for name in vars(module) if name in getattr(module, "__all__", [name]) and not name.startswith("_")]
    return [item for item in (vars(module)[name] for name in names) if inspect.isclass(item) or inspect.isfunction(item)]


def _home(item: Any) -> str:
    return str(item.__module__)


def _made(item: Any) -> str:
    return f"{item.__name__}{signature_of(item)}"


def _called(item: Any) -> str:
    return signature_of(item.build) if inspect.isclass(item) and issubclass(item, onnxblock.Block) else ""
