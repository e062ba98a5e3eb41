"""The command line: exit codes, text and JSON, one line for what goes wrong."""

import inspect
import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from artifacts_tool import cli, generate_artifacts
from artifacts_tool.cli import main

from .conftest import ROOT
from .small_models import SOFTMAX, model, network

pytestmark = pytest.mark.oracle

COMMANDS = ("check", "generate", "inspect", "zoo")


@pytest.fixture
def saved(tmp_path):
    onnx.save(network([SOFTMAX], [("p", 1, ["N", 3])]), tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


@pytest.fixture
def packages(monkeypatch):
    """Where processes find what they import."""
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'pyodide_pkg'}")


def test_check_says_yes_or_no_by_its_exit_code(saved, capsys):
    """0 when the model is ready, 1 when something is in the way; the verdict comes first."""
    assert main(["check", saved, "--trainable", "last:1"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("ready to train\n")
    for part in ("trains 18 of 102 parameters", "w3 (6, 3)  of MatMul 'third'", "'n' (N, 6): 6 numbers, 24 bytes", "before it"):
        assert part in text
    assert main(["check", saved, "--trainable", "*"]) == 1
    assert capsys.readouterr().out.startswith("2 things in the way:\n  1. BatchNormalization 'norm': 'mean', 'var': statistics")


def test_check_as_json(saved, capsys):
    """One object with the keys that --help names."""
    assert main(["check", saved, "--trainable", "*", "--fix", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["ready"], report["scored"], report["blockers"]) == (True, "logits", [])
    assert main(["check", saved, "--trainable", "*", "--json"]) == 1
    assert set(json.loads(capsys.readouterr().out)["blockers"][0]) == {"node", "op", "why", "fix"}


def test_inspect_prints_text_or_json(saved, capsys):
    """The same facts in both."""
    assert main(["inspect", saved, "--trainable", "last:1"]) == 0
    text = capsys.readouterr().out
    for part in ("last:1 MatMul 'third': w3 (6, 3)", "input 'x': float (N, 4)", "--trainable means 1 weight: w3"):
        assert part in text
    assert main(["inspect", saved, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["opsets"], found["trainable"]) == ({"": 17}, [])


def test_generate_takes_layers_and_finds_the_logits(saved, tmp_path, capsys):
    """last:1, and a note that the loss stands before the Softmax; what trains is printed with the files."""
    assert main(["generate", saved, "--trainable", "last:1", "--out", str(tmp_path / "o")]) == 0
    printed = capsys.readouterr()
    assert "note: 'p' comes out of Softmax 'soft', so CrossEntropyLoss belongs on 'logits'" in printed.err
    assert "w3 (6, 3)  of MatMul 'third'" in printed.out
    made = onnx.load(tmp_path / "o" / "training_model.onnx")
    assert [node.input[0] for node in made.graph.node if node.op_type == "SoftmaxCrossEntropyLoss"] == ["logits"]


def test_generate_as_json(saved, tmp_path, capsys):
    """The report and {"files": {path: bytes}}; notes stay out of it."""
    assert main(["generate", saved, "--trainable", "last:1", "--out", str(tmp_path / "o"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["files"] == {str(path): path.stat().st_size for path in (tmp_path / "o").iterdir()}
    assert found["ready"]


def test_generate_says_everything_that_is_in_the_way(saved, tmp_path, capsys):
    """A line each, no file; with --fix the files and notes."""
    command = ["generate", saved, "--trainable", "*", "--out", str(tmp_path / "o")]
    assert main(command) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("artifacts_tool: ")]
    assert ["'mean', 'var'" in lines[0], "'idle'" in lines[1], len(lines)] == [True, True, 2]
    assert not (tmp_path / "o").exists()
    assert main([*command, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ready"], found["files"], len(found["blockers"])) == (False, {}, 2)
    assert main([*command, "--fix"]) == 0
    assert "note: left out of training: 'mean', 'var'" in capsys.readouterr().err


def test_every_parameter_has_an_option(saved, tmp_path, capsys):
    """Names of files, formats, outputs, the loss's inputs, optimizer, frozen parameters."""
    options = ["--prefix", "a_", "--no-ort-format", "--no-nominal-checkpoint", "--optimizer", "SGD", "--loss", "MSELoss"]
    names = ["--loss-input-names", "logits,wanted", "--additional-output-names", "p,n", "--frozen", "w1"]
    assert main(["generate", saved, "--trainable", "w3", "--out", str(tmp_path / "o"), *options, *names]) == 0
    files = {f"a_{name}" for name in ("training_model.onnx", "eval_model.onnx", "optimizer_model.onnx", "checkpoint")}
    assert {path.name for path in (tmp_path / "o").iterdir()} == files
    made = onnx.load(tmp_path / "o" / "a_eval_model.onnx").graph
    assert [value.name for value in made.input] == ["x", "wanted", "w1", "w3"]
    assert [value.name for value in made.output][1:] == ["logits", "p", "n"]
    optimizer = onnx.load(tmp_path / "o" / "a_optimizer_model.onnx").graph
    assert "SGDOptimizerV2" in [node.op_type for node in optimizer.node]


OPTIONS = {
    "model": "MODEL.onnx",
    "requires_grad": "--trainable",
    "frozen_params": "--frozen",
    "loss": "--loss",
    "optimizer": "--optimizer",
    "artifact_directory": "--out",
    "prefix": "--prefix",
    "ort_format": "--no-ort-format",
    "additional_output_names": "--additional-output-names",
    "nominal_checkpoint": "--no-nominal-checkpoint",
    "loss_input_names": "--loss-input-names",
    "batch_statistics": "--batch-statistics",
    "frozen_storage": "--store-frozen",
    "storage_samples": "--samples",
}


def test_no_parameter_is_without_an_option(capsys):
    """But custom_op_library, which only code that was written for ORT hands over."""
    assert set(inspect.signature(generate_artifacts).parameters) - {"custom_op_library"} == set(OPTIONS)
    with pytest.raises(SystemExit):
        main(["generate", "--help"])
    text = capsys.readouterr().out
    assert [option for option in OPTIONS.values() if f"  {option} " not in text and f"  {option}\n" not in text] == []


@pytest.mark.parametrize(
    "idle,message",
    [
        (["--labels", "a,b"], "--labels has an effect only with --preprocessing"),
        (["--preprocessing", "p.json", "--prefix", "a"], "--prefix has no effect with --preprocessing"),
        (["--preprocessing", "p.json", "--no-ort-format"], "--no-ort-format has no effect with --preprocessing"),
        (["--samples", "s.npz"], "--samples has an effect only with --store-frozen"),
        (["--preprocessing", "p.json", "--optimizer", "SGD"], "CrossEntropyLoss and AdamW, which a page trains with"),
        (["--preprocessing", "p.json", "--loss", "MSELoss"], "CrossEntropyLoss and AdamW, which a page trains with"),
    ],
)
def test_options_without_effect_are_wrong_usage(idle, message, saved, tmp_path, capsys):
    """Rather than silently left."""
    with pytest.raises(SystemExit) as stopped:
        main(["generate", saved, "--trainable", "w3", "--out", str(tmp_path / "o"), *idle])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_no_loss_and_no_optimizer(tmp_path, capsys):
    """For a model that computes its loss itself."""
    node = helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=0)
    loss = helper.make_node("Mul", ["mean", "w"], ["loss"])
    onnx.save(model([node, loss], {"x": ["N", 4]}, [("loss", 1, [1])], {"w": (1,)}), tmp_path / "m.onnx")
    command = ["generate", str(tmp_path / "m.onnx"), "--trainable", "w", "--loss", "none", "--optimizer", "none"]
    assert main([*command, "--out", str(tmp_path / "o")]) == 0
    assert not (tmp_path / "o" / "optimizer_model.onnx").exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_complete(command, capsys):
    """Examples, keys of the JSON, exit codes, and a word on every option."""
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    text = capsys.readouterr().out
    assert stopped.value.code == 0
    for part in (
        "examples:",
        f"artifacts_tool {command} ",
        "keys of --json",
        "exit codes:",
        "--out" if command in ("generate", "zoo") else "MODEL.onnx",
    ):
        assert part in text


@pytest.mark.parametrize("command", ["check", "inspect"])
def test_the_keys_of_the_json_are_those_of_the_help(command, saved, capsys):
    """Every key is documented."""
    main([command, saved, "--trainable", "w3", "--json"])
    keys = json.loads(capsys.readouterr().out)
    with pytest.raises(SystemExit):
        main([command, "--help"])
    documented = capsys.readouterr().out.split("keys of --json")[1].split("exit codes")[0]
    assert [key for key in keys if key not in documented] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "MODEL"],
        ["check", "MODEL", "--trainable", "a,,b"],
        ["generate", "MODEL", "--trainable", "*"],
        ["nothing"],
        [],
        ["zoo", "none"],
    ],
)
def test_wrong_usage_is_code_2(arguments, saved, capsys):
    """One line, from the parser."""
    with pytest.raises(SystemExit) as stopped:
        main([saved if argument == "MODEL" else argument for argument in arguments])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "inspect", "generate"])
def test_a_pattern_that_fits_nothing_is_wrong_usage(command, saved, tmp_path, capsys):
    """Code 2, and what may have been meant."""
    out = ["--out", str(tmp_path / "o")] if command == "generate" else []
    assert main([command, saved, "--trainable", "third", *out]) == 2
    error = capsys.readouterr().err
    assert "--trainable third fits no weight; did you mean 'w3'?" in error
    assert error.count("\n") == 1


def _truncated(data):
    return data[: len(data) // 2]


def _of_text(_data):
    return b"this is no model"


def _cyclic(data):
    made = onnx.load_model_from_string(data)
    made.graph.node[0].input[0] = "logits"
    return made.SerializeToString()


def _without_a_tensor_s_data(data):
    made = onnx.load_model_from_string(data)
    made.graph.initializer[0].raw_data = b"1"
    return made.SerializeToString()


def _huge(data):
    made = onnx.load_model_from_string(data)
    made.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]
    return made.SerializeToString()


def _without_inputs(data):
    made = onnx.load_model_from_string(data)
    del made.graph.node[0].input[:]
    return made.SerializeToString()


def _of_no_opset(data):
    made = onnx.load_model_from_string(data)
    del made.opset_import[:]
    return made.SerializeToString()


def _of_a_far_opset(data):
    made = onnx.load_model_from_string(data)
    made.opset_import[0].version = 1000
    return made.SerializeToString()


def _without_outputs(data):
    made = onnx.load_model_from_string(data)
    del made.graph.output[:]
    return made.SerializeToString()


def _with_an_empty_constant(data):
    made = onnx.load_model_from_string(data)
    made.graph.node.add(op_type="Constant", output=["nothing"])
    return made.SerializeToString()


def _of_a_domain_that_is_not_imported(data):
    made = onnx.load_model_from_string(data)
    made.graph.node[0].domain = "my.ops"
    return made.SerializeToString()


def _declared_otherwise(data):
    made = onnx.load_model_from_string(data)
    made.graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    made.graph.output[0].type.tensor_type.shape.dim.add().dim_value = 5
    return made.SerializeToString()


def _empty(_data):
    return b""


BROKEN = [
    _truncated,
    _of_text,
    _cyclic,
    _without_a_tensor_s_data,
    _huge,
    _without_inputs,
    _of_no_opset,
    _of_a_far_opset,
    _with_an_empty_constant,
    _of_a_domain_that_is_not_imported,
    _declared_otherwise,
]


@pytest.mark.parametrize("command", ["check", "inspect", "generate"])
@pytest.mark.parametrize("broken", [*BROKEN, _without_outputs, _empty])
def test_a_bad_file_is_no_traceback(broken, command, saved, tmp_path, capsys):
    """What goes wrong is said, and nothing is written."""
    (tmp_path / "bad.onnx").write_bytes(broken(Path(saved).read_bytes()))
    out = ["--out", str(tmp_path / "o")] if command == "generate" else []
    code = main([command, str(tmp_path / "bad.onnx"), "--trainable", "w3", *out])
    printed = capsys.readouterr()
    assert code in ((0, 1, 2) if command == "inspect" else (1, 2))
    assert code == 0 or "artifacts_tool: " in printed.err or "in the way" in printed.out
    assert "fault of this tool" not in printed.err
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_missing_file_is_one_line(as_json, tmp_path, capsys):
    """On stderr and, as JSON, on stdout."""
    assert main(["check", str(tmp_path / "no.onnx"), "--trainable", "w", *as_json]) == 1
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert "no.onnx" in printed.err
    assert ("no.onnx" in json.loads(printed.out)["error"]) if as_json else not printed.out


def test_ctrl_c_ends_with_one_line(saved, monkeypatch, capsys):
    """And the shell's code for it."""

    def interrupted(_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "COMMANDS", {"check": interrupted})
    assert main(["check", saved, "--trainable", "w3"]) == 130
    assert capsys.readouterr().err == "artifacts_tool: stopped\n"


@pytest.mark.usefixtures("packages")
def test_it_runs_as_a_module(saved):
    """python -m artifacts_tool, whose exit code is main's."""
    command = [sys.executable, "-m", "artifacts_tool", "check", saved, "--trainable", "idle"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (1, "")


@pytest.mark.usefixtures("packages")
def test_a_reader_that_has_seen_enough_ends_it_quietly(saved):
    """As of `| head -1`."""
    command = f"{sys.executable} -m artifacts_tool inspect {saved} | true"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_progress_is_for_terminals(saved, monkeypatch, capsys):
    """On stderr."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main(["check", saved, "--trainable", "w3"])
    assert capsys.readouterr().err == f"reading {saved} ...\nchecking ...\n"


def test_a_weight_list_may_hold_spaces(saved, capsys):
    """After the commas."""
    assert main(["check", saved, "--trainable", "w3, w2"]) == 0
    assert np.all([name in capsys.readouterr().out for name in ("w2 (6, 6)",)])


@pytest.mark.usefixtures("packages")
def test_a_full_disk_is_one_line(convnet, tmp_path):
    """A limit on the size of files stands for it: exit code 1, and the folder is as it was."""
    command = [sys.executable, "-m", "artifacts_tool", "generate", str(convnet), "--out", str(tmp_path / "o"), "--trainable", "*"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    before = _contents(tmp_path / "o")
    for room in sorted({len(data) for data in before.values()}):
        limit = (resource.RLIMIT_FSIZE, (room - 1, room - 1))
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, check=False, preexec_fn=lambda limit=limit: resource.setrlimit(*limit)
        )
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert _contents(tmp_path / "o") == before


def _contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}
