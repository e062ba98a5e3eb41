"""Cases of artifacts_tool/gradient/scan.py."""

import numpy as np

from pagetrain.graph import Attribute, AttributeType, Graph, Node, Tensor, ValueInfo
from tests.graphs import node

from ..projection import Case


def body(nodes, inputs, outputs, **constants):
    """Without types: those of its inputs follow from the node's."""
    values = [tuple(ValueInfo(name, None) for name in names.split()) for names in (inputs, outputs)]
    return Graph("body", tuple(nodes), *values, tuple(Tensor(name, data) for name, data in constants.items()))


def case(note, body, states, scanned, captured=(), wanted=None, symbolic=None, opset=17, seen=(), **attributes):
    """states, scanned, captured: shapes. All are differentiated by unless `wanted` says which."""
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=shape) for shape in (*states, *scanned, *captured)]
    wanted = tuple(range(len(inputs))) if wanted is None else wanted
    attributes = {"body": body, "num_scan_inputs": len(scanned), **attributes}
    places = tuple(range(len(states) + len(scanned), len(inputs)))
    made = {"outputs": len(body.outputs), "symbolic": symbolic or {}, "note": note, "opset": opset, "captured": places, "seen": seen}
    return Case("Scan", inputs, wanted, attributes, **made)


SUMS = body([node("Add", "before x", "after"), node("Identity", "after", "y")], "before x", "after y")
# h' = sin(x W + h R + b), y = h'^2: the scan output comes first in the projection.
CELL_NODES = [
    node("MatMul", "x x2", "xW"),
    node("MatMul", "h x3", "hR"),
    node("Add", "xW hR", "sum"),
    node("Add", "sum x4", "biased"),
    node("Sin", "biased", "h_next"),
]
CELL = body([*CELL_NODES, node("Mul", "h_next h_next", "y")], "h x", "h_next y")
CELL_SHAPES = ([(3, 2)], [(5, 3, 4)], [(4, 2), (2, 2), (2,)])
# A map: without states y0 is the scan output.
MAP = body([node("Sin", "x", "t"), node("MatMul", "t x2", "p"), node("Mul", "p z", "y"), node("Sub", "p z", "w")], "x z", "y w")
MAP_SHAPES = ([], [(2, 5, 3), (4, 2, 5)], [(3, 4)])


def walked(note, **attributes):
    return case(note, MAP_WALKED, [], [(2, 5, 3), (2, 4, 5)], [(3, 4)], scan_input_axes=(1, -1), **attributes)


MAP_WALKED = body(MAP.nodes, "x z", "y w")


# Each row of a matrix is scanned, in a Scan over matrices.
def inner_scan():
    inner = body([node("Mul", "v x2", "p"), node("Add", "s p", "q"), node("Sin", "q", "t")], "s v", "t")
    attributes = {"body": Attribute(AttributeType.GRAPH, inner), "num_scan_inputs": Attribute(AttributeType.INT, 1)}
    return Node("Scan", ("a", "m"), ("b",), "inner", attributes=attributes, since_version=16)


NESTED = body([inner_scan(), node("Identity", "b", "y")], "a m", "b y")

CASES = [
    case("sums", SUMS, [(2,)], [(4, 2)]),
    case("cell", CELL, *CELL_SHAPES),
    case("cell_symbolic", CELL, *CELL_SHAPES, symbolic={0: ("N", 2), 1: ("T", "N", 4)}),
    case("cell_unnamed", CELL, *CELL_SHAPES, symbolic={0: (None, 2), 1: (None, None, 4)}),
    case("cell_reverse", CELL, *CELL_SHAPES, scan_input_directions=(1,), scan_output_directions=(1,)),
    *(case(f"cell_of_{place}", CELL, *CELL_SHAPES, wanted=(place,)) for place in range(5)),
    case("cell_opset9", CELL, *CELL_SHAPES, opset=9),
    case("cell_opset12", CELL, *CELL_SHAPES, opset=12),
    case("cell_seen_twice", CELL, *CELL_SHAPES, symbolic={0: ("N", 2), 1: ("T", "N", 4)}, seen=(0, 1)),
    case("cell_seen_by_its_rows", CELL, *CELL_SHAPES, seen=(1,), scan_output_directions=(1,), scan_output_axes=(1,)),
    walked("axes"),
    walked("axes_reverse", scan_input_directions=(1, 0), scan_output_directions=(0, 1), scan_output_axes=(2, -2)),
    case("nested", NESTED, [(3,)], [(2, 4, 3)], [(3,)]),
    # The state at the end is what is seen; y0 of all these is it.
    case("state_passed_on", body([node("Identity", "s", "t"), node("Mul", "x x", "y")], "s x", "t y"), [(2,)], [(3, 2)], wanted=(0,)),
    case("state_replaced", body([node("Mul", "x x", "t")], "s x", "t"), [(2,)], [(3, 2)]),
    case("state_not_carried", body([node("Sin", "x", "t"), node("Mul", "s x", "y")], "s x", "t y"), [(2,)], [(3, 2)]),
    case(
        "matrix_used_twice",
        body([node("MatMul", "s x2", "p"), node("MatMul", "p x2", "q"), node("Add", "q x", "t")], "s x", "t"),
        [(2, 2)],
        [(3, 2, 2)],
        [(2, 2)],
    ),
    case(
        "matrix_used_otherwise",
        body([node("MatMul", "s x2", "p"), node("Add", "p x2", "q"), node("Add", "q x", "t")], "s x", "t"),
        [(2, 2)],
        [(3, 2, 2)],
        [(2, 2)],
    ),
    case("swapped", body([node("Add", "a x", "c"), node("Sin", "b", "d")], "a b x", "d c"), [(2,), (2,)], [(3, 2)]),
    case("constant", body([node("Mul", "s k", "p"), node("Add", "p x", "t")], "s x", "t", k=np.array([0.5, -2])), [(2,)], [(3, 2)]),
    case(
        "state_read_for_a_row",
        body([node("Sin", "x", "t"), node("Mul", "s x", "y")], "s x", "t y"),
        [(2,)],
        [(3, 2)],
        seen=(0, 1),
    ),
    # The rows of A in A B lie in the scan input as they are walked, or not, or in a scan output.
    case("rows_of_an_input", body([node("MatMul", "x x1", "y")], "x", "y"), [], [(4, 3, 2)], [(2, 5)]),
    case(
        "rows_of_a_walked_input",
        body([node("MatMul", "x x1", "y")], "x", "y"),
        [],
        [(3, 4, 2)],
        [(2, 5)],
        scan_input_axes=(1,),
        scan_input_directions=(1,),
    ),
    case(
        "rows_of_an_output",
        body([node("Sin", "x", "y"), node("MatMul", "y x2", "p"), node("Add", "s p", "t")], "s x", "t y"),
        [(3, 5)],
        [(4, 3, 2)],
        [(2, 5)],
        seen=(0, 1),
    ),
    Case(
        "Scan",
        [np.array([0.5, 2.0]), np.array(1), np.random.default_rng(1).normal(size=(3, 2))],
        (0, 2),
        {
            "body": body(
                [node("Add", "n one", "m"), node("CastLike", "m x", "f", since=15), node("Mul", "f x", "p"), node("Add", "s p", "t")],
                "s n x",
                "t m",
                one=np.array(1),
            ),
            "num_scan_inputs": 1,
        },
        outputs=2,
        note="counter",
    ),
]
