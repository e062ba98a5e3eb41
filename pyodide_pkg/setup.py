"""Leaves out of the wheel what only readers of the repository look for, as it travels to pages: comments, and of what is not public the
docstrings and the types of functions' arguments.

They are a quarter of its size. Empty lines stand in their place, so that the lines that tracebacks name are those of the sources.
"""

import ast
import io
import tokenize
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

# What callers use, and help() and type checkers are asked about: their public parts keep docstrings and types, all others lose them.
PUBLIC = [
    "__init__",
    "api.__init__",
    "api.checkpoint_state",
    "api.gradients",
    "api.inference_session",
    "api.loss_options",
    "api.module",
    "api.node_arg",
    "api.optimizer",
    "api.optimizer_state",
    "api.parameter",
    "api.properties",
    "api.scheduler",
    "backend",
    "compat.__init__",
    "errors",
    "fit_settings",
    "metrics",
    "personalizer",
    "progress",
]
READ_TYPES = ("kernels.", "batch_norm_folding", "clip_gradient")  # of kernels: they say of what kind an attribute may be


class WithoutInnerWords(build_py):
    """Copies modules into the wheel."""

    def build_module(self, module, module_file, package):
        """As setuptools does, and shorter where nobody outside calls what is in it."""
        copied = super().build_module(module, module_file, package)
        inner = ".".join([*package.split("."), module][1:])
        path = Path(copied[0])
        source = without_comments(path.read_text(encoding="utf-8"))
        source = without_docstrings(source, is_public=inner in PUBLIC)
        if inner not in PUBLIC and not inner.startswith(READ_TYPES):
            source = without_types(source)
        path.write_text(source, encoding="utf-8", newline="\n")
        return copied


def without_comments(source):
    """The same code on the same lines."""
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(lines)


def without_docstrings(source, *, is_public):
    """The same code on the same lines. is_public: only those of what has an underscore before its name go."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "name", None) or ""
        if is_public and (not name.startswith("_") or name.endswith("__")):
            continue
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            lines[text.lineno - 1 : text.end_lineno] = [""] * (text.end_lineno - text.lineno + 1)
            if len(node.body) == 1:
                lines[text.lineno - 1] = " " * text.col_offset + "..."
    return "\n".join(lines)


def without_types(source):
    """The same code on the same lines, but what is written on one line of the types of a function's arguments and result."""
    lines = source.encode().split(b"\n")
    for row, start, end in sorted(types_in(ast.parse(source), lines), reverse=True):
        lines[row] = lines[row][:start] + lines[row][end:]
    return b"\n".join(lines).decode()


def types_in(tree, lines):
    """(line, first byte, end) of each: from the end of the argument's name, or the arrow, on."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        for one in arguments:
            if one is not None and one.annotation is not None and one.lineno == one.annotation.end_lineno:
                yield one.lineno - 1, one.col_offset + len(one.arg.encode()), one.annotation.end_col_offset
        if node.returns is not None and node.returns.lineno == node.returns.end_lineno:
            row = node.returns.lineno - 1
            yield row, len(lines[row][: lines[row].rindex(b"->", 0, node.returns.col_offset)].rstrip()), node.returns.end_col_offset


setup(cmdclass={"build_py": WithoutInnerWords})
