"""Bytes of real models, changed: flipped, cut out, put in, copied from elsewhere."""

from __future__ import annotations

from artifacts_tool import LossType, OptimType
from artifacts_tool.check import Request, check
from artifacts_tool.forward import lift_constants
from artifacts_tool.generate import build, files_of
from artifacts_tool.inspection import inspect
from artifacts_tool.layers import matching
from artifacts_tool.onnx_io import read


def mutated(data, edits):
    """edits: (kind, place, length or value, bytes to put in); places count in thousandths of the file."""
    for kind, place, number, more in edits:
        at = place * len(data) // 1000
        match kind:
            case "flip":
                data = data[:at] + bytes([data[at] ^ (number % 255 + 1)]) + data[at + 1 :] if data else data
            case "set":
                data = data[:at] + bytes([number % 256]) + data[at + 1 :]
            case "cut":
                data = data[:at] + data[at + number :]
            case "insert":
                data = data[:at] + more + data[at:]
            case "repeat":
                data = data[: at + number] + data[at:]
    return data


def use(data):
    """Everything that takes a model: inspect, check, generate with all files."""
    model = read(data)
    inspect(model)
    check(model, Request(("last:1",), loss=LossType.MSELoss))
    model = lift_constants(model)
    artifacts = build(model, matching(model.graph, ["last:1"]), [], LossType.MSELoss, OptimType.AdamW)
    files_of(artifacts, ort_format=True, nominal_checkpoint=True)
