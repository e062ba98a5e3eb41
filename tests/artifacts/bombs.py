"""Small models that would fill any memory, or run for hours, if they were carried out as they stand; run as a program, under limits.

Prints what came of each: the name of the error, or "built". SIGALRM ends what takes too long.
"""

from __future__ import annotations

import json
import signal
import sys
import time

import numpy as np
import onnx
from onnx import TensorProto, helper

from artifacts_tool import LossType, OptimType
from artifacts_tool.generate import build
from artifacts_tool.onnx_io import read
from pagetrain.errors import PagetrainError

from .hostile_models import W, info, model

BOMBS = {}
HUGE = 1 << 40
SECONDS = 60  # for one model; the slowest took 4 on a busy machine


def bomb(make):
    BOMBS[make.__name__] = make
    return make


def node(op_type, inputs, outputs, **attributes):
    return helper.make_node(op_type, inputs.split(), outputs.split(), op_type.lower(), **attributes)


def beside(nodes, *arrays):
    """The good model, with nodes beside it that the loss does not need."""
    return model(nodes, [("w", W), *arrays])


def on_path(nodes, *arrays, shape, weight=W, opset=17):
    """v -> nodes -> y, where v = z * s and z has the given shape: so the gradient comes back through the nodes."""
    given = [info("z", shape), info("y", None)]
    tensors = [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in (("w", weight), *arrays)]
    graph = helper.make_graph([node("Mul", "z w", "v"), *nodes], "g", given[:1], given[1:], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


ONE = np.ones((), np.float32)


@bomb
def constant_of_shape():
    return beside([node("ConstantOfShape", "n", "a")], ("n", np.array([HUGE, HUGE])))


@bomb
def a_hundred_large_constants():
    return beside([node("ConstantOfShape", "n", f"a{i}") for i in range(100)], ("n", np.array([1 << 25])))


@bomb
def sums_of_a_large_constant():
    nodes = [node("ConstantOfShape", "n", "a"), *(node("ReduceSum", "a", f"s{i}", keepdims=0) for i in range(10_000))]
    return beside(nodes, ("n", np.array([1 << 25])))


@bomb
def expand():
    return beside([node("Expand", "o n", "a")], ("o", ONE), ("n", np.array([HUGE])))


@bomb
def tile():
    return beside([node("Tile", "o n", "a")], ("o", np.ones(1, np.float32)), ("n", np.array([HUGE])))


@bomb
def tiles_of_tiles():
    nodes = [node("Tile", f"t{i} n", f"t{i + 1}") for i in range(40)]
    return beside(nodes, ("t0", np.ones(2, np.float32)), ("n", np.array([2])))


@bomb
def squares_by_concat():
    nodes = [node("Concat", f"t{i} t{i}", f"t{i + 1}", axis=0) for i in range(60)]
    return beside(nodes, ("t0", np.ones(2, np.float32)))


@bomb
def an_outer_product():
    return beside([node("MatMul", "t r", "a")], ("t", np.ones((1 << 16, 1), np.float32)), ("r", np.ones((1, 1 << 16), np.float32)))


@bomb
def a_long_range():
    return beside([node("Range", "a b c", "d")], ("a", np.array(0)), ("b", np.array(HUGE)), ("c", np.array(1)))


@bomb
def a_range_without_end():
    values = [(name, np.array(value, np.float32)) for name, value in (("a", 0), ("b", np.inf), ("c", 1e-30))]
    return beside([node("Range", "a b c", "d")], *values)


@bomb
def a_range_of_no_number():
    values = [(name, np.array(value, np.float32)) for name, value in (("a", 0), ("b", np.nan), ("c", 1))]
    return beside([node("Range", "a b c", "d")], *values)


@bomb
def pad():
    return beside([node("Pad", "o n", "a")], ("o", np.ones(1, np.float32)), ("n", np.array([HUGE, HUGE])))


@bomb
def resize():
    inputs = [("o", np.ones((1, 1), np.float32)), ("n", np.array([HUGE, HUGE]))]
    return beside([helper.make_node("Resize", ["o", "", "", "n"], ["a"])], *inputs)


@bomb
def one_hot():
    return beside([node("OneHot", "i d v", "a")], ("i", np.array([1])), ("d", np.array(HUGE)), ("v", np.array([0, 1])))


@bomb
def a_padded_pool_of_constants():
    return beside([node("MaxPool", "o", "a", kernel_shape=[1], pads=[0, HUGE])], ("o", np.ones((1, 1, 1), np.float32)))


@bomb
def a_transposed_convolution_of_constants():
    weights = ("k", np.ones((1, 1, 2), np.float32))
    return beside([node("ConvTranspose", "o k", "a", strides=[HUGE])], ("o", np.ones((1, 1, 2), np.float32)), weights)


@bomb
def a_huge_kernel():
    pool = node("AveragePool", "v", "y", kernel_shape=[1 << 30, 1 << 30], pads=[1 << 29] * 4)
    return on_path([pool], shape=[1, 1, 4, 4], weight=np.ones((1, 1, 4, 4), np.float32))


@bomb
def a_huge_picture():
    pool = node("AveragePool", "v", "y", kernel_shape=[2, 2], auto_pad="SAME_UPPER")
    return on_path([pool], shape=[1, 1, HUGE, HUGE], weight=np.ones((1, 1, 1, 1), np.float32))


@bomb
def a_huge_neighbourhood():
    return on_path([node("LRN", "v", "y", size=HUGE)], shape=[1, 2, 3, 3], weight=np.ones((1, 2, 1, 1), np.float32))


@bomb
def huge_blocks():
    shuffle = node("DepthToSpace", "v", "y", blocksize=1 << 20, mode="CRD")
    return on_path([shuffle], shape=[1, HUGE, 3, 3], weight=np.ones((1, 1, 1, 1), np.float32))


@bomb
def a_long_sequence():
    arrays = [("k", np.ones((1, 3, 3), np.float32)), ("r", np.ones((1, 3, 3), np.float32))]
    rnn = helper.make_node("RNN", ["v", "k", "r"], ["y"], hidden_size=3)
    return on_path([rnn], *arrays, shape=[HUGE, 1, 3], weight=np.ones(3, np.float32))


@bomb
def many_long_sequences():
    arrays = [("k", np.ones((1, 3, 3), np.float32)), ("r", np.ones((1, 3, 3), np.float32))]
    nodes = []
    for i in range(50):
        nodes.append(helper.make_node("RNN", [f"v{i}" if i else "v", "k", "r"], [f"o{i}"], hidden_size=3))
        nodes.append(node("Squeeze", f"o{i} one", f"v{i + 1}"))
    nodes.append(node("Neg", "v50", "y"))
    return on_path(nodes, *arrays, ("one", np.array([1])), shape=[4000, 1, 3], weight=np.ones(3, np.float32))


@bomb
def many_branches():
    bodies = [helper.make_graph([node(op, "x", "t")], op, [], [info("t", None)]) for op in ("Neg", "Abs")]
    nodes = [helper.make_node("If", ["c"], [f"r{i}"], then_branch=bodies[0], else_branch=bodies[1]) for i in range(1000)]
    return model(nodes, [("w", W)], inputs=[info("c", [], TensorProto.BOOL)])


@bomb
def a_huge_attribute():
    return beside([node("Transpose", "w", "a", perm=list(range(1_000_000)))])


@bomb
def a_huge_input():
    return on_path([node("MatMul", "v k", "y")], ("k", np.ones((1, 2), np.float32)), shape=[HUGE, HUGE, 1], weight=np.ones(1, np.float32))


@bomb
def a_huge_softmax():
    return on_path([node("Softmax", "v", "s", axis=0), node("ReduceMean", "s", "y")], shape=[HUGE, 2], weight=np.ones(2, np.float32))


def out_of_time(number, frame):
    raise TimeoutError


def main():
    signal.signal(signal.SIGALRM, out_of_time)
    outcome = {}
    for name, make in BOMBS.items():
        data = make().SerializeToString()
        start = time.monotonic()
        signal.alarm(SECONDS)
        try:
            build(read(data), ["w"], [], LossType.MSELoss, OptimType.AdamW)
            outcome[name] = "built"
        except PagetrainError as error:
            outcome[name] = type(error).__name__
            if "-v" in sys.argv:
                print(name, error, file=sys.stderr)
        except BaseException as error:  # its name is the result
            outcome[name] = f"not ours: {type(error).__name__} {error}"
        signal.alarm(0)
        if "-v" in sys.argv:
            print(name, outcome[name][:100], round(time.monotonic() - start, 2), file=sys.stderr)
    print(json.dumps(outcome))


if __name__ == "__main__":
    main()
