"""The strings that two sides must agree on: artifact tool and trainer, our files and ONNX Runtime's. Each stands here once.

Source: ORT 1.19 orttraining/training_api (module.cc, optimizer.cc) and the manifest, version 1.
"""

GRADIENT_SUFFIX = "_grad"
ACCUMULATION_BUFFER_SUFFIX = "_grad.accumulation.buffer"
ACCUMULATION_OUTPUT_SUFFIX = "_grad.accumulation.out"
LAZY_RESET_GRAD = "lazy_reset_grad"

LEARNING_RATE = "learning_rate"
STEP = "step"
PARAMETERS = "params"
GRADIENTS = "gradients"
FIRST_ORDER_MOMENTS = "first_order_moments"
SECOND_ORDER_MOMENTS = "second_order_moments"
OPTIMIZER_GROUP = "group0"
MOMENTUM_NAMES = ("momentum0", "momentum1")

NUM_CLASSES = "num_classes"  # the symbolic dimension of a head whose classes the person chooses
LABELS = "labels"
PROBABILITIES = "probabilities"

MANIFEST_FORMAT = "pagetrain-artifacts"
MANIFEST_VERSION = 1
MANIFEST_FILE = "manifest.json"

METADATA_VERSION = "pagetrain.version"
METADATA_LABELS = "pagetrain.labels"
METADATA_PREPROCESSING = "pagetrain.preprocessing"
METADATA_FINGERPRINT = "pagetrain.fingerprint"
METADATA_BASE = "pagetrain.base"
METADATA_LICENSE = "pagetrain.license"
METADATA_NONE_BELOW = "pagetrain.none_below"
METADATA_KIND = "pagetrain.kind"  # of a checkpoint that holds something else than parameters
DELTA = "delta"
METADATA_RECEIPT = "pagetrain.receipt"


def gradient_of(name: str) -> str:
    """The gradient of the loss by value `name`."""
    return f"{name}{GRADIENT_SUFFIX}"


def accumulation_buffer_of(parameter: str) -> str:
    """The training graph's input that gradients of `parameter` are added into."""
    return f"{parameter}{ACCUMULATION_BUFFER_SUFFIX}"


def accumulation_output_of(parameter: str) -> str:
    """The training graph's output that says the buffer of `parameter` was written."""
    return f"{parameter}{ACCUMULATION_OUTPUT_SUFFIX}"


def as_float16(name: str) -> str:
    """In an exported model: the float16 initializer that a Cast widens to the parameter of this name."""
    return f"{name}.float16"
