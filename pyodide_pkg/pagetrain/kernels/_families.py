"""Which op lies in which module, and in which distribution: modules are imported when an op of theirs is looked for.

Most models need few of them. Those of pagetrain_ops may not be there: what trains and runs image classifiers and small networks comes with
pagetrain, the ops that other networks are made of with pagetrain-ops.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module

from .. import distributions
from ..errors import UnsupportedOpError
from ..graph import ML_DOMAIN, MS_DOMAIN, ONNX_DOMAIN
from . import registry
from .registry import Kernel, op_id

_DOMAINS = {"": ONNX_DOMAIN, "ms": MS_DOMAIN, "ml": ML_DOMAIN}
_HERE = {  # module: its ops, behind ms. or ml. where they are not of ONNX's own domain
    "activation": "Clip LogSoftmax Relu Softmax ms.LogSoftmaxGrad ms.LogSoftmaxGrad_13 ms.ReluGrad ms.SoftmaxGrad ms.SoftmaxGrad_13",
    "average_pool": "AveragePool AveragePoolGrad",
    "batch_norm": "BatchNormalization ms.BatchNormInternal ms.BatchNormalizationGrad",
    "broadcast": "ms.BroadcastGradientArgs ms.DivGrad ms.ReduceSumTraining",
    "conv": "Conv ms.ConvGrad ms.FusedConv",
    "creation": "Constant ConstantOfShape NonZero OneHot Range",
    "dropout": "Dropout ms.DropoutGrad",
    "elementwise": """
        Add And Cast CastLike Div Equal Greater GreaterOrEqual Identity IsInf IsNaN Less LessOrEqual Mod Mul Neg Not Or Pow Sub Where
        Xor""",
    "gather": "Compress Gather GatherElements GatherND ms.GatherElementsGrad ms.GatherGrad ms.GatherNDGrad",
    "gelu": "Gelu ms.BiasGelu ms.FastGelu ms.FastGeluGrad ms.Gelu ms.GeluGrad ms.QuickGelu ms.QuickGeluGrad",
    "layer_norm": """
        LayerNormalization RMSNormalization SimplifiedLayerNormalization ms.LayerNormalizationGrad ms.SkipLayerNormalization""",
    "layout": "Expand Flatten Reshape Shape Size Squeeze Transpose Unsqueeze",
    "linear": "Gemm MatMul ms.FusedGemm ms.FusedMatMul",
    "loss": """
        NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss ms.SoftmaxCrossEntropyLossGrad ms.SoftmaxCrossEntropyLossInternal
        ms.SoftmaxCrossEntropyLossInternalGrad""",
    "max_pool": "GlobalMaxPool MaxPool MaxPoolGrad",
    "parts": "Concat Slice Split ms.ConcatTraining ms.SliceGrad ms.SplitTraining",
    "pool": "GlobalAveragePool ms.Scale",
    "rectifier": "Celu Elu HardSigmoid HardSwish LeakyRelu PRelu Selu Shrink ThresholdedRelu ms.LeakyReluGrad",
    "reduce": """
        ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare""",
    "sigmoid": "Mish Sigmoid Softplus Softsign SwiGLU Swish Tanh ms.SigmoidGrad ms.TanhGrad",
    "training": "ms.AdamWOptimizer ms.InPlaceAccumulatorV2 ms.InplaceClipGradNorm ms.SGDOptimizerV2",
    "unary": "Abs Ceil Cos Erf Exp Floor Log Reciprocal Round Sign Sin Sqrt Tan",
    "variadic": "Max Mean Min Sum",
}
_IN_OPS = {  # the same of pagetrain_ops
    "along_axis": "ArgMax ArgMin CumProd CumSum Hardmax",
    "attention": "Attention RotaryEmbedding TensorScatter",
    "bits": "BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor",
    "col2im": "Col2Im MaxUnpool",
    "control_flow": "If Loop",
    "conv_transpose": "ConvTranspose ms.ConvTransposeGrad",
    "deform_conv": "DeformConv",
    "det": "Det",
    "einsum": "Einsum",
    "encoder": "ms.Attention ms.EmbedLayerNormalization ms.SkipSimplifiedLayerNormalization",
    "eye_like": "EyeLike",
    "group_norm": "GroupNormalization InstanceNormalization LRN LpNormalization MeanVarianceNormalization",
    "grid_sample": "AffineGrid GridSample",
    "hyperbolic": "Acos Acosh Asin Asinh Atan Atanh Cosh Sinh",
    "integer_product": "ConvInteger MatMulInteger QLinearConv QLinearMatMul",
    "linear_attention": "CausalConvWithState LinearAttention",
    "lp_pool": "GlobalLpPool LpPool",
    "ml": "ml.ArrayFeatureExtractor ml.Scaler",
    "ngrams": "TfIdfVectorizer",
    "optional": "OptionalGetElement OptionalHasElement",
    "order": "TopK Unique",
    "pad": "CenterCropPad Pad Tile",
    "quantize": "DequantizeLinear DynamicQuantizeLinear QuantizeLinear",
    "quantized": """
        ms.DequantizeLinear ms.DynamicQuantizeMatMul ms.MatMulIntegerToFloat ms.QGemm ms.QLinearAdd ms.QLinearConcat ms.QLinearLeakyRelu
        ms.QLinearMul ms.QLinearSigmoid ms.QLinearSoftmax ms.QLinearWhere ms.QuantizeLinear""",
    "quantized_lstm": "ms.DynamicQuantizeLSTM",
    "quantized_window": "ms.NhwcMaxPool ms.QLinearAveragePool ms.QLinearConv ms.QLinearGlobalAveragePool",
    "random": "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
    "rearrange": "DepthToSpace ReverseSequence SpaceToDepth Trilu ms.Trilu",
    "recurrent": "GRU LSTM RNN",
    "region": "MaxRoiPool NonMaxSuppression RoiAlign",
    "resize": "Resize Upsample",
    "scan": "Scan",
    "scatter": "Scatter ScatterElements ScatterND",
    "signal": "BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT",
}


def find(domain: str, op_type: str, since_version: int) -> Kernel | None:
    """The newest kernel for `since_version` or an earlier one; None when there is none, or none installed.

    Raises StateError where pagetrain-ops is needed, but another version of it is installed.
    """
    package, module = families().get((domain, op_type), ("", ""))
    if package and not _is_lacking(domain, op_type):
        import_module(f"{package}.{module}")
    fitting = [kernel for kernel in registry.versions(domain, op_type) if kernel.since <= since_version]
    return fitting[-1] if fitting else None


def unsupported(ops: Collection[tuple[str, str, int]]) -> UnsupportedOpError:
    """The error for ops without a kernel, each (domain, op_type, since_version): all of them, and which can be installed."""
    nowhere = sorted(op_id(*op) for op in ops if not _is_lacking(*op[:2]))
    elsewhere = sorted(op_id(*op) for op in ops if _is_lacking(*op[:2]))
    said = [f"There is no kernel for these ops (domain:op_type:since_version): {', '.join(nowhere)}."] if nowhere else []
    if elsewhere:
        how = distributions.how_to_install(distributions.OPS)
        said.append(f"These ops lie in pagetrain-ops, which is not installed here: {', '.join(elsewhere)}; {how}.")
    return UnsupportedOpError(" ".join(said), tuple(sorted([*nowhere, *elsewhere])))


def all_kernels() -> Iterator[Kernel]:
    """Every kernel that is installed, by domain, op_type and version."""
    for domain, op_type in families():
        find(domain, op_type, 0)
    return registry.registered()


def _is_lacking(domain: str, op_type: str) -> bool:
    """Whether the op lies in pagetrain-ops, which is not installed."""
    package, _ = families().get((domain, op_type), ("", ""))
    return package == distributions.OPS and distributions.installed(package) is None


@cache
def families() -> dict[tuple[str, str], tuple[str, str]]:
    """{(domain, op_type): (package, module)} of every op, be it installed or not."""
    lines = [(package, *line) for package, ops in ((__package__, _HERE), (distributions.OPS, _IN_OPS)) for line in ops.items()]
    return {_op(name): (package, module) for package, module, names in lines for name in names.split()}


def _op(name: str) -> tuple[str, str]:
    prefix, _, op_type = name.rpartition(".")
    return _DOMAINS[prefix], op_type
