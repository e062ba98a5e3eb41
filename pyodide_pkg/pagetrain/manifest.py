"""manifest.json -> Manifest, checked: what artifacts_tool wrote, what the Personalizer and the page read. Version 1.

A manifest may come from anywhere, so nothing in it is trusted: paths stay inside the folder, shapes and sizes are small enough to be real
and agree with one another. Keys that are not known here are ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import plain_json
from .errors import FormatError
from .names import MANIFEST_FORMAT, MANIFEST_VERSION, NUM_CLASSES
from .preprocess import Step, shape_of, steps_of

MAX_CLASSES = 1000
REQUIRED_FILES = ("training_model", "eval_model", "optimizer_model", "nominal_checkpoint", "parameters", "inference_model")
STORED_BYTES = {"float32": 4, "float16": 2, "int8": 1}

_MAX_BYTES = 2**31 - 1  # what a wasm32 address space could hold at all
_MAX_RANK = 8
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_PATH_PART = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._ -]+\Z")
_NORMAL = re.compile(r"normal:([0-9]{1,9}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?)\Z")
_MOST_DEVIATION = 1e6
_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of the set. path: relative to the manifest, "/" between parts."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Trainable:
    """A parameter that training changes. shape may hold "num_classes"; init: "zeros", "normal:<std>" or "stored"."""

    name: str
    shape: tuple[int | str, ...]
    init: str

    @property
    def class_axis(self) -> int | None:
        """The axis with one entry per class, None for a parameter that does not know the classes."""
        return self.shape.index(NUM_CLASSES) if NUM_CLASSES in self.shape else None


@dataclass(frozen=True, slots=True)
class Stored:
    """A parameter's place in parameters.bin: `bytes` from `offset` on. int8 has its float32 scales (one per row) right behind it."""

    name: str
    stored: str
    shape: tuple[int, ...]
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A checked manifest. num_classes None: the person chooses the classes. preprocessing: the object; steps: its steps."""

    name: str
    title: str
    license: str
    input: str
    input_shape: tuple[int, ...]  # of one picture, without the batch
    logits: str
    labels_input: str
    num_classes: int | None
    labels: tuple[str, ...] | None
    preprocessing: Mapping[str, Any]
    steps: tuple[Step, ...]
    trainable: tuple[Trainable, ...]
    parameters: tuple[Stored, ...]
    fingerprint: str
    files: Mapping[str, FileEntry]

    @property
    def parameter_bytes(self) -> int:
        """Size of parameters.bin."""
        return self.files["parameters"].bytes


def parse(text: str | bytes) -> Manifest:
    """The manifest in `text`.

    Raises: FormatError for anything that is not a sensible manifest of version 1, naming the place.
    """
    try:
        root = plain_json.loads(text)
    except ValueError as error:
        raise FormatError(f"manifest.json is not JSON ({error}).") from error
    return _Reader(root).manifest()


def _fail(where: str, problem: str) -> FormatError:
    return FormatError(f"manifest.json: {where} {problem}.")


def _at(holder: object, key: str, kind: type, where: str) -> Any:
    """holder[key], if it is there and of that kind."""
    if not isinstance(holder, dict):
        raise _fail(where, "is not an object")
    value = holder.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _fail(f"{where}.{key}", f"should be {kind.__name__}, got {value!r:.80}")
    return value


def _text(holder: object, key: str, where: str) -> str:
    value: str = _at(holder, key, str, where)
    if not 0 < len(value) <= _MAX_NAME:
        raise _fail(f"{where}.{key}", f"should have 1 to {_MAX_NAME} characters")
    return value


def _size(holder: object, key: str, where: str) -> int:
    value: int = _at(holder, key, int, where)
    if not 0 <= value <= _MAX_BYTES:
        raise _fail(f"{where}.{key}", f"is {value}, outside 0 to {_MAX_BYTES}")
    return value


def _shape(holder: object, where: str, symbols: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Positive sizes and the given symbols (each at most once), with a product that fits in memory."""
    dims = _at(holder, "shape", list, where)
    numbers = [dim for dim in dims if dim not in symbols]
    if (
        len(dims) > _MAX_RANK
        or len(dims) - len(numbers) > 1
        or not all(isinstance(dim, int) and not isinstance(dim, bool) and dim > 0 for dim in numbers)
    ):
        raise _fail(f"{where}.shape", f"is {dims!r:.80}, expected up to {_MAX_RANK} positive sizes")
    if math.prod(numbers) * 4 > _MAX_BYTES:
        raise _fail(f"{where}.shape", f"{dims!r:.80} is too large to be real")
    return tuple(dims)


def _is_init(text: str) -> bool:
    found = _NORMAL.match(text)
    return text in ("zeros", "stored") or (found is not None and float(found[1]) <= _MOST_DEVIATION)


class _Reader:
    """One pass over a parsed manifest; each method reads one part of it."""

    def __init__(self, root: object) -> None:
        if _at(root, "format", str, "root") != MANIFEST_FORMAT:
            raise _fail("format", f"is not {MANIFEST_FORMAT!r}: this is another kind of file")
        if (version := _at(root, "version", int, "root")) != MANIFEST_VERSION:
            raise _fail("version", f"is {version}, this build reads {MANIFEST_VERSION}; use a newer pagetrain")
        self.root: dict[str, Any] = root  # type: ignore[assignment]  # _at has checked that it is a dict

    def manifest(self) -> Manifest:
        root = self.root
        if _text(root, "task", "root") != "image-classification" or _text(root, "loss", "root") != "cross-entropy":
            raise _fail("task and loss", "are not image-classification with cross-entropy, the only kind this build trains")
        input_name, input_shape = self.input()
        num_classes, labels = self.classes()
        files = self.files()
        return Manifest(
            name=_text(root, "name", "root"),
            title=_text(root, "title", "root"),
            license=_text(root, "license", "root"),
            input=input_name,
            input_shape=input_shape,
            logits=_text(_at(root, "outputs", dict, "root"), "logits", "outputs"),
            labels_input=_text(root, "labels_input", "root"),
            num_classes=num_classes,
            labels=labels,
            preprocessing=_at(root, "preprocessing", dict, "root"),
            steps=self.steps(input_shape),
            trainable=self.trainable(),
            parameters=self.parameters(files["parameters"].bytes),
            fingerprint=_text(root, "fingerprint", "root"),
            files=files,
        )

    def input(self) -> tuple[str, tuple[int, ...]]:
        holder = _at(self.root, "input", dict, "root")
        if _text(holder, "dtype", "input") != "float32":
            raise _fail("input.dtype", "is not float32")
        shape = _shape(holder, "input", ("N",))
        if len(shape) != 4 or shape[0] not in ("N", 1):
            raise _fail("input.shape", f"is {list(shape)}, expected a batch of pictures")
        return _text(holder, "name", "input"), tuple(shape[1:])

    def steps(self, input_shape: tuple[int, ...]) -> tuple[Step, ...]:
        steps = steps_of(_at(self.root, "preprocessing", dict, "root"))
        if (made := shape_of(steps)) != input_shape:
            raise _fail("preprocessing", f"makes {list(made)}, but input.shape asks for {list(input_shape)}")
        return steps

    def classes(self) -> tuple[int | None, tuple[str, ...] | None]:
        count, labels = self.root.get("num_classes"), self.root.get("labels")
        if count is None and labels is None:
            return None, None
        if not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= MAX_CLASSES:
            raise _fail("num_classes", f"is {count!r:.80}, expected null or 2 to {MAX_CLASSES}")
        if labels is not None and not (isinstance(labels, list) and len(labels) == count and all(isinstance(x, str) for x in labels)):
            raise _fail("labels", f"is not a list of {count} names")
        return count, None if labels is None else tuple(labels)

    def files(self) -> dict[str, FileEntry]:
        holder = _at(self.root, "files", dict, "root")
        missing = [key for key in REQUIRED_FILES if key not in holder]
        if missing:
            raise _fail("files", f"lacks {', '.join(missing)}")
        return {key: self.file(holder, key) for key in holder}

    def file(self, holder: dict[str, Any], key: str) -> FileEntry:
        where = f"files.{key:.40}"
        entry = _at(holder, key, dict, "files")
        path, sha256 = _text(entry, "path", where), _text(entry, "sha256", where)
        if not all(_PATH_PART.match(part) for part in path.split("/")):
            raise _fail(f"{where}.path", f"{path!r} does not stay inside the folder")
        if not _SHA256.match(sha256):
            raise _fail(f"{where}.sha256", "is not 64 lower-case hexadecimal digits")
        return FileEntry(path, _size(entry, "bytes", where), sha256)

    def trainable(self) -> tuple[Trainable, ...]:
        found = []
        for index, holder in enumerate(_at(self.root, "trainable", list, "root")):
            where = f"trainable[{index}]"
            init = _text(holder, "init", where)
            if _text(holder, "dtype", where) != "float32" or not _is_init(init):
                raise _fail(where, "needs dtype float32 and init zeros, normal:<std> or stored")
            shape = _shape(holder, where, (NUM_CLASSES,))
            if init == "stored" and NUM_CLASSES in shape:
                raise _fail(where, "cannot be stored: its number of classes is not known yet")
            found.append(Trainable(_text(holder, "name", where), shape, init))
        self.unique("trainable", [one.name for one in found])
        if not found:
            raise _fail("trainable", "is empty: there is nothing to train")
        return tuple(found)

    def parameters(self, total: int) -> tuple[Stored, ...]:
        """Back to back, 4-byte aligned, filling parameters.bin exactly."""
        found, end = [], 0
        for index, holder in enumerate(_at(self.root, "parameters", list, "root")):
            where = f"parameters[{index}]"
            one = self.stored(holder, where)
            if one.offset != -(-end // 4) * 4:
                raise _fail(f"{where}.offset", f"is {one.offset}, expected {-(-end // 4) * 4}, right behind its predecessor")
            end = one.offset + one.bytes
            found.append(one)
        if -(-end // 4) * 4 != -(-total // 4) * 4 or end > total:
            raise _fail("files.parameters.bytes", f"is {total}, but the parameters end at {end}")
        self.unique("parameters", [one.name for one in found])
        return tuple(found)

    def stored(self, holder: object, where: str) -> Stored:
        shape = _shape(holder, where)
        stored = _text(holder, "stored", where)
        if _text(holder, "dtype", where) != "float32" or stored not in STORED_BYTES:
            raise _fail(where, "needs dtype float32, stored as float32, float16 or int8")
        if stored == "int8" and not shape:
            raise _fail(where, "is one number, which has no rows to scale; store it as float32")
        expected = math.prod(shape) * STORED_BYTES[stored] + (4 * shape[0] if stored == "int8" else 0)
        if (size := _size(holder, "bytes", where)) != expected:
            raise _fail(f"{where}.bytes", f"is {size}, but {list(shape)} as {stored} takes {expected}")
        return Stored(_text(holder, "name", where), stored, shape, _size(holder, "offset", where), size)

    @staticmethod
    def unique(where: str, names: list[str]) -> None:
        if len(set(names)) != len(names):
            raise _fail(where, "names one parameter twice")
