"""Cases of kernels/einsum.py."""

from .case import Case, floats

A, B, C = floats(2, 3, 4), floats(2, 4, 5, seed=1), floats(5, 3, seed=2)
EQUATIONS = {
    "batch": ("bij, bjk -> bik", [A, B]),
    "implicit": ("bij,bjk", [A, B]),
    "transpose": ("ijk->kij", [A]),
    "sum": ("ijk->j", [A]),
    "diagonal": ("ii->i", [floats(3, 3)]),
    "outer": ("i,j->ij", [floats(3), floats(4)]),
    "dot": ("i,i->", [floats(3), floats(3, seed=1)]),
    "ellipsis": ("...ij,...jk->...ik", [floats(3, 2, 3, 4), floats(1, 2, 4, 5)]),
    "ellipsis_implicit": ("...ij,jk", [A, floats(4, 2)]),
    "three": ("bij,bjk,ki->b", [A, B, C]),
}

CASES = [Case(name, "Einsum", 12, inputs, {"equation": equation}) for name, (equation, inputs) in EQUATIONS.items()]
