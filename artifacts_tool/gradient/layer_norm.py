"""Gradients of normalizations over the last axes."""

from __future__ import annotations

from pagetrain.errors import InvalidInputError
from pagetrain.graph import MS_DOMAIN, ElementType, TensorType

from .expression import calculate
from .normalization import back, inverse_root
from .reduce import sum_to
from .registry import NEWER_THAN_ORT, gradient
from .scope import Scope

EPSILON = 1e-5
IN_ONNX_SINCE = 17


@gradient("LayerNormalization", reads={1: "mean", 2: "inv_std_dev"}, differs="generation fails unless the node has B and all three outputs")
def layer_normalization(s: Scope) -> None:
    """dX, dScale, dB by LayerNormalizationGrad. Gradients by way of the outputs Mean and InvStdDev are refused."""
    _refuse_second_outputs(s)
    if s.node.since_version < IN_ONNX_SINCE:  # unknown to type inference
        s.emitted.types |= dict.fromkeys(s.node.outputs[1:], _statistics_type(s))
    outputs = [s.GI(0) or s.helper("dX", s.types.get(s.I(0)))]
    outputs += [s.GI(index) or s.helper(name, s.types.get(s.I(1))) for index, name in ((1, "dScale"), (2, "dB"))]
    s.emit("LayerNormalizationGrad", [s.GO(0), s.I(0), s.I(1), s.O(1), s.O(2)], outputs, domain=MS_DOMAIN, copied=s.node.attributes)


@gradient("RMSNormalization", differs=NEWER_THAN_ORT)
@gradient("SimplifiedLayerNormalization")
def rms_normalization(s: Scope) -> None:
    """With n = X inv, inv = 1 / sqrt(mean(X^2) + epsilon), g = dY scale: dX = inv (g - n mean(g n)), dscale = sum dY n."""
    _refuse_second_outputs(s)
    axis = s.attribute("axis", -1)
    axes = (-1,) if axis == -1 else tuple(range(axis % len(s.shape(s.I(0))), len(s.shape(s.I(0)))))
    inverse = inverse_root(s, s.I(0), axes, s.attribute("epsilon", EPSILON))
    normal = calculate(s, "Mul", [s.I(0), inverse], "normal")
    if s.GI(0):
        g = calculate(s, "Mul", [s.GO(0), s.I(1)], "g")
        back(s, g, normal, inverse, axes, s.GI(0), has_mean=False)
    if s.GI(1):
        sum_to(s, calculate(s, "Mul", [s.GO(0), normal], "dY_normal"), s.shape_if_known(s.I(0)), s.I(1), s.GI(1), "dscale")


def _statistics_type(s: Scope) -> TensorType:
    shape = s.shape(s.I(0))
    axis = s.attribute("axis", -1) % len(shape)
    return TensorType(ElementType.FLOAT, (*shape[:axis], *[1] * (len(shape) - axis)))


def _refuse_second_outputs(s: Scope) -> None:
    if any(s.output_gradients[1:]):
        raise InvalidInputError(f"The loss depends on the statistics that {s.node.label} returns; there is no gradient by them.")
