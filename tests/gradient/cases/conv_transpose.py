"""Cases of artifacts_tool/gradient/conv_transpose.py."""

from tests.cases.conv_transpose import GEOMETRIES

from ..projection import Case
from .values import normal


def cases():
    for name, (x_shape, w_shape, attributes) in GEOMETRIES.items():
        inputs = [normal(*x_shape), normal(*w_shape), normal(w_shape[1] * attributes.get("group", 1))]
        yield Case("ConvTranspose", inputs, (0, 1, 2), attributes, note=name)
        yield Case("ConvTranspose", inputs[:2], (0, 1), attributes, note=f"{name}_without_B")
    longer = {"dilations": [2, 3], "output_padding": [1, 2]}  # as much as a stride or more: no convolution leads back
    yield Case("ConvTranspose", [normal(1, 3, 4, 5), normal(3, 2, 3, 2), normal(2)], (0, 1, 2), longer, note="output_padding_of_a_stride")
    for wanted in ((0,), (1,), (2,), (0, 2)):
        yield Case("ConvTranspose", inputs, wanted, attributes, note="some")


CASES = [*cases()]
