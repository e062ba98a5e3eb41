"""custom_op_library: taken where the model needs no op of it, refused by the ops' names where it does."""

import pytest
from onnx import helper

from artifacts_tool import generate_artifacts
from artifacts_tool.loss import LossType
from pagetrain.errors import UnsupportedOpError

from .small_models import model

pytestmark = pytest.mark.oracle


def made(op_type, domain):
    nodes = [helper.make_node(op_type, ["x"], ["h"], name="body", domain=domain), helper.make_node("MatMul", ["h", "w"], ["logits"])]
    return model(nodes, {"x": ["N", 4]}, [("logits", 1, ["N", 3])], {"w": (4, 3)}, domains=[domain] if domain else [])


@pytest.fixture
def library(tmp_path):
    (tmp_path / "ops.so").write_bytes(b"no code")
    return tmp_path / "ops.so"


@pytest.mark.parametrize("op_type,domain", [("Relu", ""), ("Gelu", "com.microsoft")])
def test_a_model_that_needs_none_of_it(library, tmp_path, op_type, domain):
    """Ops of ONNX and of ORT are no custom ops: the artifacts are those without the argument, for any kind of path."""
    base, plain = made(op_type, domain), tmp_path / "plain"
    asked = {"requires_grad": ["w"], "loss": LossType.CrossEntropyLoss}
    generate_artifacts(base, **asked, artifact_directory=plain)
    for number, path in enumerate((library, str(library), str(library).encode())):
        folder = tmp_path / str(number)
        generate_artifacts(base, **asked, artifact_directory=folder, custom_op_library=path)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == {path.name: path.read_bytes() for path in plain.iterdir()}


def test_a_model_that_needs_its_ops(library, tmp_path):
    """Each op is named, with a node and what to do."""
    with pytest.raises(UnsupportedOpError, match=r"my\.ops\.Magic \(node 'body'\).*export the ops as ONNX functions") as refused:
        generate_artifacts(
            made("Magic", "my.ops"), ["w"], loss=LossType.MSELoss, artifact_directory=tmp_path / "o", custom_op_library=library
        )
    assert refused.value.ops == ("my.ops:Magic:1",)
    assert not (tmp_path / "o").exists()
