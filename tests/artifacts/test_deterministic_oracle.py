"""The same model and the same options give the same bytes, whatever order this process keeps its sets in."""

import json

import pytest

from .conftest import DATA
from .memory import run

pytestmark = pytest.mark.oracle

GENERATE = """
import hashlib, json, sys, tempfile
from pathlib import Path
from artifacts_tool.cli import main
found = {{}}
for name in {models!r}:
    for trainable in ("last:1", "last:2"):
        with tempfile.TemporaryDirectory() as folder:
            sys.stdout = sys.stderr
            code = main(["generate", name, "--trainable", trainable, "--out", folder])
            sys.stdout = sys.__stdout__
            found[f"{{name}} {{trainable}}"] = [code, *(
                (path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in sorted(Path(folder).iterdir())
            )]
print(json.dumps(found))
"""
MODELS = [str(DATA / "golden" / name / "base.onnx") for name in ("attention_block", "cnn_bn_pool_ce", "dwconv_relu6_gap", "mlp_mse_sgd")]
MODELS += [str(DATA / "models" / f"{name}.onnx") for name in ("gru_ts15", "if_o16", "localfuncs_o18", "mbv3_ts17")]


def test_the_hash_seed_of_the_process_does_not_matter():
    """Three processes, all files."""
    made = [run(GENERATE.format(models=MODELS), PYTHONHASHSEED=seed) for seed in ("0", "1", "4294967295")]
    assert [one.returncode for one in made] == [0, 0, 0], made[0].stderr
    first, *others = (json.loads(one.stdout) for one in made)
    assert all(entry[0] == 0 and len(entry) == 9 for entry in first.values())
    assert all(other == first for other in others)
