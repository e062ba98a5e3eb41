"""Cases of kernels/dropout.py: what is dropped in training is a matter of chance, see test_dropout.py."""

import numpy as np

from .case import Case, floats, scalar

CASES = [
    Case("evaluation", "Dropout", 7, [floats(2, 3)], {"ratio": 0.25}),
    Case("evaluation", "Dropout", 10, [floats(2, 3)], {"ratio": 0.25}),
    *(Case("evaluation", "Dropout", since, [floats(2, 3), scalar(0.25)], outputs=2) for since in (12, 13)),
    *(Case("off", "Dropout", since, [floats(2, 3), scalar(0.25), np.array(False)], outputs=2) for since in (12, 13)),
    *(Case("nothing", "Dropout", since, [floats(2, 3), scalar(0), np.array(True)], outputs=2) for since in (12, 13)),
]
