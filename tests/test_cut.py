"""find_cut: where the frozen prefix ends."""

import pytest

from pagetrain.cut import find_cut
from pagetrain.graph import Attribute, AttributeType, Graph, Node
from tests.graphs import graph, node, value

FEEDS = [value("x", "batch", 4), value("labels", "batch"), value("frozen", 4, 4), value("w", 4, 3)]
HEAD = [node("MatMul", "f w", "logits"), node("SoftmaxCrossEntropyLoss", "logits labels", "loss")]


@pytest.mark.parametrize(
    "varying",
    [
        node("BatchNormInternal", "a w w m v", "b m2 v2 s i", domain="com.microsoft", training_mode=1),
        node("Dropout", "a _ on", "b"),
    ],
    ids=["batch_statistics", "dropout"],
)
def test_what_depends_on_the_batch_or_on_chance_is_no_prefix(varying: Node) -> None:
    """Its input is cut, though everything about it is frozen."""
    inputs = [value(name) for name in ("x", "w", "m", "v", "on", "t")]
    whole = graph([node("Neg", "x", "a"), varying, node("Mul", "b t", "y")], inputs, ["y"])
    assert find_cut(whole, ["w", "m", "v", "on"], ["x"]) == ("a",)


def test_cut_is_the_last_value_before_trainable_parameters() -> None:
    """Also when the backward pass reads it again, in another order: that is made again."""
    backward = [node("Transpose", "f", "ft"), node("MatMul", "ft logits", "w_grad")]
    full = graph([node("MatMul", "x frozen", "a"), node("Relu", "a", "f"), *HEAD, *backward], FEEDS, ["loss", "w_grad"])
    assert find_cut(full, ["frozen"], ["x"]) == ("f",)


def test_the_same_in_another_type_is_made_again() -> None:
    """A backward pass in float32 reads a float16 value through a Cast: one of both is kept. A Cast of what is not kept is kept itself."""
    backward = [node("Cast", "f", "wide", to=1), node("MatMul", "wide logits", "w_grad")]
    full = graph([node("MatMul", "x frozen", "a"), node("Relu", "a", "f"), *HEAD, *backward], FEEDS, ["loss", "w_grad"])
    assert find_cut(full, ["frozen"], ["x"]) == ("f",)
    only = graph([node("Relu", "x", "a"), node("Cast", "a", "f", to=1), *HEAD], FEEDS, ["loss"])
    assert find_cut(only, ["frozen"], ["x"]) == ("f",)


def test_trainable_from_the_start_leaves_the_data_themselves() -> None:
    """There is nothing to compute once; the picture is what is kept."""
    assert find_cut(graph([node("MatMul", "x w", "y")], FEEDS, ["y"]), ["frozen"], ["x"]) == ("x",)


def test_labels_belong_to_the_rest() -> None:
    """A value that mixes data and labels cannot be kept per picture; the data it reads are in the cut."""
    mixed = graph([node("Neg", "x", "a"), node("Add", "a labels", "b"), node("MatMul", "b w", "y")], FEEDS, ["y"])
    assert find_cut(mixed, ["frozen"], ["x"]) == ("a",)


def test_frozen_parameters_alone_are_made_again() -> None:
    """What has no row per picture cannot be kept per picture."""
    transposed = graph(
        [node("Neg", "x", "f"), node("Transpose", "frozen", "t"), node("MatMul", "w t", "wt"), node("MatMul", "f wt", "y")], FEEDS, ["y"]
    )
    assert find_cut(transposed, ["frozen"], ["x"]) == ("f",)


def test_shapes_are_made_again() -> None:
    """They speak of the batch: the value whose shape it is is kept instead, and chains of shape values are followed."""
    shaped = graph(
        [node("Neg", "x", "f"), node("Shape", "f", "s"), node("Neg", "s", "t"), node("Relu", "w", "r"), node("Reshape", "r t", "y")],
        FEEDS,
        ["y"],
    )
    assert find_cut(shaped, ["frozen"], ["x"]) == ("f",)


def test_outputs_of_the_prefix_are_kept() -> None:
    """An extra output of the graph that the suffix does not need is in the cut all the same."""
    extra = graph([node("Neg", "x", "early"), node("Relu", "early", "f"), *HEAD], FEEDS, ["loss", "early"])
    assert find_cut(extra, ["frozen"], ["x"]) == ("early", "f")


def test_what_a_body_takes_from_outside_counts() -> None:
    """A trainable weight, or chance, in a sub-graph ends the prefix; frozen ones do not."""
    for inner, expected in (
        (node("MatMul", "v w", "p"), "a"),
        (node("MatMul", "v frozen", "p"), "y"),
        (node("Dropout", "v r on", "p"), "a"),
    ):
        body = Graph("body", (inner,), (value("v", 4),), (value("p", 4),))
        attributes = {"body": Attribute(AttributeType.GRAPH, body), "num_scan_inputs": Attribute(AttributeType.INT, 1)}
        scan = Node("Scan", ("a",), ("y",), attributes=attributes, since_version=16)
        inputs = [*FEEDS, value("r"), value("on")]
        whole = graph([node("Neg", "x", "a"), scan, node("MatMul", "y w", "z")], inputs, ["z"])
        assert find_cut(whole, ["frozen", "r", "on"], ["x"]) == (expected,)


def test_values_with_another_axis_first_are_made_again() -> None:
    """Time first, by name or number, cannot be kept for each example; the value before it can. An unknown size is taken for the batch."""
    nodes = [node("Neg", "x", "a"), node("Transpose", "a", "b"), node("Neg", "b", "c"), node("MatMul", "c w", "y")]
    known = [value("a", "batch", "time", 4), value("b", "time", "batch", 4), value("c", "time", "batch", 4)]
    inputs = [value("x", "batch", "time", 4), value("w", 4, 3)]
    numbers = [value("b", 9, None, 4), value("c", 9, None, 4)]
    unknown = [value("b", "unk__0", None, 4), value("c", None, None, 4)]
    assert find_cut(graph(nodes, inputs, ["y"], value_info=known), [], ["x"]) == ("a",)
    assert find_cut(graph(nodes, inputs, ["y"], value_info=numbers), [], ["x"]) == ("a",)
    assert find_cut(graph(nodes, inputs, ["y"], value_info=unknown), [], ["x"]) == ("c",)
    assert find_cut(graph(nodes, inputs, ["y"]), [], ["x"]) == ("c",)
