"""A transformer as exporters write one: sizes from Shape at run time, one product for query, key and value, a mask, a class token."""

import numpy as np
import pytest

from artifacts_tool.generate import build
from artifacts_tool.onnx_io import read
from artifacts_tool.ort_writer import to_ort
from pagetrain.ortformat.model import load

from .projection import STEP, run

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx

WIDTH, WORDS, CLASSES = 8, 11, 3
SHAPES = {
    "embedding": (WORDS, WIDTH),
    "positions": (1, 6, WIDTH),
    "token": (1, 1, WIDTH),
    "qkv_weight": (WIDTH, 3 * WIDTH),
    "qkv_bias": (3 * WIDTH,),
    "out_weight": (WIDTH, WIDTH),
    "gain": (WIDTH,),
    "shift": (WIDTH,),
    "head_weight": (CLASSES, WIDTH),
    "head_bias": (CLASSES,),
}
TEXT = """
<ir_version: 8, opset_import: ["" : 17]>
transformer (int64[N, T] words, bool[N, T] padding, int64[N] labels) => (FLOAT loss) {
    zero = Constant <value = int64 {0}> ()
    one = Constant <value = int64 {1}> ()
    zeros = Constant <value = int64[1] {0}> ()
    ones = Constant <value = int64[1] {1}> ()
    three = Constant <value = int64[1] {3}> ()
    width = Constant <value = int64[1] {8}> ()
    heads = Constant <value = int64[1] {2}> ()
    depth = Constant <value = int64[1] {4}> ()
    mask_pads = Constant <value = int64[4] {0, 1, 0, 0}> ()
    mask_axes = Constant <value = int64[2] {1, 2}> ()
    root = Constant <value = FLOAT {2.0}> ()
    far = Constant <value = FLOAT {-1e4}> ()
    power = Constant <value = FLOAT {2.0}> ()
    epsilon = Constant <value = FLOAT {1e-5}> ()

    embedded = Gather (embedding, words)
    shape = Shape (embedded)
    batch = Gather (shape, zero)
    batches = Unsqueeze (batch, zeros)
    token_shape = Concat <axis = 0> (batches, ones, width)
    tokens = Expand (token, token_shape)
    sequence = Concat <axis = 1> (tokens, embedded)
    long = Shape (sequence)
    length = Gather (long, one)
    lengths = Unsqueeze (length, zeros)
    places = Slice (positions, zeros, lengths, ones)
    x = Add (sequence, places)

    projected = MatMul (x, qkv_weight)
    biased = Add (projected, qkv_bias)
    split_shape = Concat <axis = 0> (batches, lengths, three, heads, depth)
    parted = Reshape (biased, split_shape)
    turned = Transpose <perm = [2, 0, 3, 1, 4]> (parted)
    q_part, k_part, v_part = Split <axis = 0> (turned)
    q = Squeeze (q_part, zeros)
    k = Squeeze (k_part, zeros)
    v = Squeeze (v_part, zeros)
    k_turned = Transpose <perm = [0, 1, 3, 2]> (k)
    scores = MatMul (q, k_turned)
    scaled = Div (scores, root)
    padding_numbers = Cast <to = 7> (padding)
    unpadded = Pad <mode = "constant"> (padding_numbers, mask_pads)
    mask_numbers = Unsqueeze (unpadded, mask_axes)
    mask = Cast <to = 9> (mask_numbers)
    masked = Where (mask, far, scaled)
    weights = Softmax <axis = -1> (masked)
    mixed = MatMul (weights, v)
    mixed_turned = Transpose <perm = [0, 2, 1, 3]> (mixed)
    flat_shape = Concat <axis = 0> (batches, lengths, width)
    mixed_flat = Reshape (mixed_turned, flat_shape)
    attended = MatMul (mixed_flat, out_weight)
    y = Add (x, attended)

    mean = ReduceMean <axes = [-1]> (y)
    centred = Sub (y, mean)
    squares = Pow (centred, power)
    variance = ReduceMean <axes = [-1]> (squares)
    safe = Add (variance, epsilon)
    deviation = Sqrt (safe)
    normal = Div (centred, deviation)
    gained = Mul (normal, gain)
    z = Add (gained, shift)
    first = Gather <axis = 1> (z, zero)
    logits = Gemm <transB = 1> (first, head_weight, head_bias)
    loss, log_prob = SoftmaxCrossEntropyLoss (logits, labels)
}
"""


def artifacts_of(element):
    """The training artifacts of the model with float or double weights, and the weights."""
    import onnx.numpy_helper
    import onnx.parser

    model = onnx.parser.parse_model(TEXT.replace("FLOAT", element))
    rng = np.random.default_rng(3)
    dtype = np.float32 if element == "float" else np.float64
    weights = {name: (rng.normal(size=shape) * 0.5).astype(dtype) for name, shape in SHAPES.items()}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(value, name) for name, value in weights.items())
    return build(read(model), list(weights), [], None, None), weights


def batch(size=3, length=4):
    """Words, which of them are padding, and labels."""
    rng = np.random.default_rng(size)
    padding = np.arange(length) >= rng.integers(1, length + 1, size)[:, None]
    return {"words": rng.integers(0, WORDS, (size, length)), "padding": padding, "labels": rng.integers(0, CLASSES, size)}


def test_the_gradient_of_every_parameter_is_the_slope_of_the_loss():
    """In double, along a random direction per parameter; words that occur twice, masked scores and stretched tokens included."""
    artifacts, weights = artifacts_of("double")
    graph, feeds = artifacts.training_model.graph, {**batch(), **weights}
    gradients = run(graph, feeds, [f"{name}_grad" for name in weights])
    for name, value in weights.items():
        direction = np.random.default_rng(1).normal(size=value.shape)
        ahead, behind = (run(graph, {**feeds, name: value + sign * STEP * direction}, ["loss"])["loss"] for sign in (1, -1))
        found = np.vdot(gradients[f"{name}_grad"], direction)
        # As for single rules, with the rounding of a deeper graph.
        np.testing.assert_allclose(found, (ahead - behind) / (2 * STEP), rtol=1e-6, atol=1e-8, err_msg=name)


def test_the_files_hold_the_whole_model():
    """As .ort every value has a type and every op a schema; another batch and length run with the same graph, alike in both forms."""
    artifacts, weights = artifacts_of("float")
    read_again = load(to_ort(artifacts.training_model))
    names = ["loss", *(f"{name}_grad" for name in weights)]
    for feeds in ({**batch(), **weights}, {**batch(2, 5), **weights}):
        first, second = (run(model.graph, feeds, names) for model in (artifacts.training_model, read_again))
        for name in names:
            np.testing.assert_array_equal(first[name], second[name])
