"""Cases of kernels/reduce.py."""

from .case import Case, floats, int64, integers

X = floats(2, 3, 4, 5)
OLD, NEW = {"ReduceSum": (1, 11), "ReduceMean": (1, 11, 13)}, {"ReduceSum": (13,), "ReduceMean": (18,)}

CASES = [
    *(Case("axes", op, since, [X], {"axes": [0, 2], "keepdims": 0}) for op, versions in OLD.items() for since in versions),
    *(Case("all", op, since, [X]) for op, versions in OLD.items() for since in versions),
    *(Case("negative", op, 11, [X], {"axes": [-1]}) for op in OLD),
    *(Case("axes", op, since, [X, int64(0, 2)], {"keepdims": 0}) for op, versions in NEW.items() for since in versions),
    *(Case("keepdims", op, since, [X, int64(-1, 1)]) for op, versions in NEW.items() for since in versions),
    *(Case("all", op, since, [X], {"keepdims": 0}) for op, versions in NEW.items() for since in versions),
    *(Case("empty_all", op, since, [X, int64()], {"keepdims": 1}) for op, versions in NEW.items() for since in versions),
    *(Case("noop", op, since, [X, int64()], {"noop_with_empty_axes": 1}) for op, versions in NEW.items() for since in versions),
    *(Case("noop_without_axes", op, since, [X], {"noop_with_empty_axes": 1}) for op, versions in NEW.items() for since in versions),
    Case("int64", "ReduceSum", 13, [integers(3, 4, low=-9, high=9), int64(0)]),
]
