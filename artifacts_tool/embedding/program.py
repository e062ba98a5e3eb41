"""embedding.json: the program of a model's frozen part, made of a recorded run and checked by running it on another picture."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isinf
from typing import Any

import numpy as np

from pagetrain import backend, executor, preprocess
from pagetrain.graph import Graph, Tensor
from pagetrain.manifest import Manifest
from pagetrain.plan import Plan, bind
from pagetrain_accelerator.ops import offers

from .layout import lay_out
from .meanings import MEANINGS
from .recording import Buffer, Call, NotRecordable, Pointer, Recording
from .replay import replayed

FORMAT, VERSION = "pagetrain-embedding", 1
_RECORDING = "recording"  # the backend's name while a plan is bound to it
_MOST_CONSTANTS = 1 << 16  # bytes of what no parameter is; more would be weights a second time
_SAME = 1e-4  # of the largest: numpy's products may round otherwise where arrays lie at other addresses


def embedding_program(manifest: Manifest, graph: Graph, cut: Sequence[str], parameters: Mapping[str, np.ndarray], file: bytes) -> bytes:
    """The program that makes the values `cut` of `graph` from one picture, as a file; features come out as Personalizer packs them.

    parameters: the frozen ones, as they are used; file: parameters.bin. Raises NotRecordable where Python has to do it.
    """
    if manifest.input in cut:
        raise NotRecordable("nothing is frozen in it")
    library = Recording(computes=False)
    plan = _bound(graph, cut, parameters, library)
    packing = len(library.calls)
    pixels, calls, outputs = _recorded(manifest, plan, cut, library)
    setup = _with_loads(library.calls[:packing], calls, manifest, parameters, file)
    memory = lay_out(setup, calls, pixels.buffer, [pointer.buffer for pointer, _, _ in outputs])
    document = {
        "format": FORMAT,
        "version": VERSION,
        "memory": memory,
        **dict(zip(("width", "height"), preprocess.crop_of(manifest.steps), strict=True)),
        "pixels": _address(pixels),
        "outputs": [{"address": _address(pointer), "shape": shape, "strides": strides} for pointer, shape, strides in outputs],
        "setup": [_plain(call) for call in setup],
        "picture": [_plain(call) for call in calls],
    }
    _check(document, manifest, _bound(graph, cut, parameters, Recording()), cut, file)
    return (json.dumps(document, separators=(",", ":")) + "\n").encode()


def _bound(graph: Graph, cut: Sequence[str], parameters: Mapping[str, np.ndarray], library: Recording) -> Plan:
    """As StepGraph binds its prefix, on the recording library."""
    filled = tuple(Tensor(name, values) for name, values in parameters.items())
    before = backend.name()
    backend.register(_RECORDING, offers(library))
    try:
        backend.use(_RECORDING)
        return bind(replace(graph, initializers=(*graph.initializers, *filled)), tuple(cut))
    finally:
        backend.use(before)


def _recorded(
    manifest: Manifest, plan: Plan, cut: Sequence[str], library: Recording
) -> tuple[Pointer, list[Call], list[tuple[Pointer, list[int], list[int]]]]:
    """The picture's bytes, the calls for a picture, and of each value of the cut: where it is, its shape, its strides in floats."""
    begin = len(library.calls)
    seen = np.zeros((*preprocess.crop_of(manifest.steps)[::-1], 3), np.uint8)
    results = executor.run(plan, {manifest.input: _normalized(manifest, seen, library)})
    outputs = []
    for name in cut:
        value = results[name]
        pointer = library.made(value) if isinstance(value, np.ndarray) and value.dtype == np.float32 else None
        if pointer is None:
            raise NotRecordable(f"{name!r}, the end of the frozen part, is made by an op that numpy runs")
        outputs.append((pointer, list(value.shape[1:]), [stride // 4 for stride in value.strides[1:]]))
    pixels = library.given(seen)
    pixels.buffer.content = None  # another picture each time
    return pixels, library.calls[begin:], outputs


def _normalized(manifest: Manifest, seen: np.ndarray, library: Recording) -> np.ndarray:
    """What preprocess.tensor makes of it, as a view of channels-last memory."""
    step = next(step for step in manifest.steps if step["op"] == "normalize")
    tensor = np.empty((1, *seen.shape), np.float32)
    library.call("normalize", seen, np.float32(step["mean"]), np.float32(step["std"]), tensor, seen.shape[0] * seen.shape[1], 3)
    return tensor.transpose(0, 3, 1, 2) if manifest.steps[-1]["order"] == "NCHW" else tensor


def _with_loads(
    packing: Sequence[Call], picture: Sequence[Call], manifest: Manifest, parameters: Mapping[str, np.ndarray], file: bytes
) -> list[Call]:
    """The packing, each buffer that it or a picture reads being filled just before it is first needed."""
    stored = {parameters[one.name].tobytes(): one for one in manifest.parameters if one.name in parameters}
    setup: list[Call] = []
    seen: set[Buffer] = set()
    constants = 0

    def load(call: Call) -> None:
        nonlocal constants
        for buffer in call.read:
            if buffer.content is None or buffer in seen:
                continue
            seen.add(buffer)
            one = stored.get(buffer.content.tobytes())
            if one is None:
                constants += buffer.bytes
                setup.append(_constant(buffer))
            elif one.stored == "float32":
                setup.append(Call("file", (Pointer(buffer, 0), one.offset, one.bytes), (0,)))
            elif one.stored == "float16":
                halves = Pointer(Buffer(one.bytes), 0)
                setup.append(Call("file", (halves, one.offset, one.bytes), (0,)))
                setup.append(Call("widen_half", (halves, Pointer(buffer, 0), one.bytes // 2), MEANINGS["widen_half"].writes))
            else:
                raise NotRecordable(f"{one.name!r} is stored as {one.stored}, which only Python reads")

    for call in packing:
        load(call)
        setup.append(call)
    for call in picture:
        load(call)
    if constants > _MOST_CONSTANTS:
        raise NotRecordable(f"{constants} bytes of constants are no parameters, such as filters that a normalization was folded into")
    return setup


def _constant(buffer: Buffer) -> Call:
    assert buffer.content is not None
    return Call("constant", (Pointer(buffer, 0), base64.b64encode(buffer.content.tobytes()).decode()), (0,))


def _plain(call: Call) -> list[Any]:
    """As it stands in the file: a pointer of a C call is [address]; a loading names its address first."""
    if call.name in ("file", "constant"):
        return [call.name, _address(call.arguments[0]), *call.arguments[1:]]
    return [call.name, *(_plain_value(value) for value in call.arguments)]


def _plain_value(value: Any) -> Any:
    if isinstance(value, Pointer):
        return [_address(value)]
    if isinstance(value, float | np.floating):
        return ("inf" if value > 0 else "-inf") if isinf(value) else float(value)
    return value if value is None else int(value)


def _address(pointer: Pointer) -> int:
    return pointer.buffer.address + pointer.offset


def _check(document: Mapping[str, Any], manifest: Manifest, plan: Plan, cut: Sequence[str], file: bytes) -> None:
    """Whether the program, alone, makes of another picture what the plan makes. If not, something beside the calls had a hand in it."""
    width, height = document["width"], document["height"]
    seen = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
    results = executor.run(plan, {manifest.input: _normalized(manifest, seen, Recording())})
    expected = np.concatenate([results[name].reshape(-1) for name in cut])
    found = replayed(document, file, seen)
    if not np.abs(found - expected).max() <= _SAME * np.abs(expected).max():  # NaN is not the same
        raise NotRecordable("its run reads values that no C function has made")
