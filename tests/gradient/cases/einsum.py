"""Cases of artifacts_tool/gradient/einsum.py."""

from ..projection import Case
from .values import normal

A, B = normal(2, 3, 4), normal(2, 4, 5)
EQUATIONS = {
    "batch": ("bij, bjk -> bik", [A, B]),
    "implicit": ("bij,bjk", [A, B]),
    "transpose": ("ijk->kij", [A]),
    "sum": ("ijk->j", [A]),
    "outer": ("i,j->ij", [normal(3), normal(4)]),
    "dot": ("i,i->", [normal(3), normal(3)]),
    "own_label": ("bij,bk->bk", [A, normal(2, 5)]),
    "ellipsis": ("...ij,...jk->...ik", [normal(3, 1, 3, 4), normal(1, 2, 4, 5)]),
    "ellipsis_wider": ("...ij,jk", [A, normal(4, 2)]),
    "diagonal": ("ii->i", [normal(3, 3)]),
    "trace": ("ii", [normal(3, 3)]),
    "diagonals": ("iijb,bjj->ib", [normal(3, 3, 4, 2), normal(2, 4, 4)]),
    "thrice": ("iii,i->", [normal(3, 3, 3), normal(3)]),
    "ellipsis_diagonal": ("...ii,...j->...i", [normal(2, 3, 3), normal(2, 4)]),
    "three": ("bij,bjk,ki->b", [A, B, normal(5, 3)]),
}

CASES = [
    *(
        Case("Einsum", inputs, tuple(range(len(inputs))), {"equation": equation}, note=name)
        for name, (equation, inputs) in EQUATIONS.items()
    ),
    Case("Einsum", [A, B], (0, 1), {"equation": "bij,bjk->bik"}, opset=12, symbolic={0: ("N", 3, 4), 1: ("N", 4, 5)}, note="symbolic"),
    Case("Einsum", [A, normal(2, 5)], (0, 1), {"equation": "bij,bk->bk"}, opset=12, note="opset12"),
    Case("Einsum", [normal(2, 3, 3)], (0,), {"equation": "bii->bi"}, symbolic={0: ("N", "M", "M")}, note="symbolic_diagonal"),
]
