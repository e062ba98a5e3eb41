"""tests.side_by_side: parts of the suite run at once, and are told apart; nothing that failed is passed over, and nothing runs on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitebuild import paths
from tests import side_by_side

ROOT = Path(__file__).parents[2]
MEETS = """
import pathlib, time
def test_meets_the_other():
    pathlib.Path("{mine}").touch()
    while not pathlib.Path("{other}").exists():
        time.sleep(0.01)
"""
FAILS = """
def test_that_fails():
    assert "apples" == "pears"
"""
HANGS = """
import pathlib, time, pytest
@pytest.fixture
def held():
    yield
    pathlib.Path("let-go").touch()
def test_without_end(held):
    pathlib.Path("hanging").touch()
    time.sleep(600)
"""


QUICK = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is taken for the project's."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "LOGS", tmp_path / "logs")
    return tmp_path


def test_a_round_is_at_once_and_the_next_comes_after(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two that wait for each other both end; all passed is status 0; each has its lines, its end and its log."""
    (tree / "test_a.py").write_text(MEETS.format(mine="a", other="b"))
    (tree / "test_b.py").write_text(MEETS.format(mine="b", other="a"))
    (tree / "test_c.py").write_text("import pathlib\ndef test_is_last(): assert pathlib.Path('a').exists()")
    rounds = [{"one": ["test_a.py"], "two": ["test_b.py"]}, {"three": ["test_c.py"]}]
    assert side_by_side.run(QUICK, rounds) == 0
    said = capsys.readouterr().out
    for name, file in {"one": "test_a.py", "two": "test_b.py", "three": "test_c.py"}.items():
        assert f"{name:<8} {file} ." in said
        assert f"\n{name} (all it printed: logs/tests-{name}.log)\n=" in said
        assert "1 passed" in (tree / f"logs/tests-{name}.log").read_text()
    assert said.count("1 passed") == 3


def test_failures_stand_whole_at_the_end(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The status is that of the part that failed, whatever passed after it; its failures are not between lines of others."""
    (tree / "test_a.py").write_text(FAILS)
    (tree / "test_b.py").write_text("def test_passes(): pass")
    assert side_by_side.run(QUICK, [{"one": ["test_a.py"], "two": ["test_b.py"]}, {"three": ["test_b.py"]}]) == 1
    one, _, rest = capsys.readouterr().out.partition("\none (all it printed")[2].partition("\ntwo (all it printed")
    assert "assert 'apples' == 'pears'" in one
    assert "FAILED test_a.py::test_that_fails" in one
    assert "1 passed" in rest


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("signs", [signal.SIGINT, signal.SIGTERM])
def test_stopped_they_all_end(tree: Path, signs: signal.Signals) -> None:
    """As by Ctrl-C: the parts clean up behind them, and the next round does not begin."""
    (tree / "test_a.py").write_text(HANGS)
    (tree / "test_b.py").write_text("import pathlib\ndef test_is_last(): pathlib.Path('begun').touch()")
    script = f"""
import os, sys
from pathlib import Path
from sitebuild import cli, paths
from sitebuild.report import Report
from tests import side_by_side
paths.ROOT, paths.LOGS = Path({str(tree)!r}), Path({str(tree / "logs")!r})
sys.exit(cli.in_one_line(Report(), lambda: side_by_side.run(os.environ, [{{"one": ["test_a.py"]}}, {{"two": ["test_b.py"]}}])))
"""
    variables = {**QUICK, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", script], cwd=tree, env=variables, stdout=subprocess.PIPE, text=True) as running:
        while not (tree / "hanging").exists() and running.poll() is None:
            time.sleep(0.05)
        running.send_signal(signs)
        said = running.communicate(timeout=60)[0]
    assert running.returncode == 130
    assert said.splitlines()[-1].startswith("stopped")
    assert (tree / "let-go").exists()
    assert not (tree / "begun").exists()


def test_the_parts_are_the_suite() -> None:
    """Every test is in one part: the expressions are read by pytest itself, for each way a test can be marked."""
    expressions = [arguments[1] for parts in side_by_side.ROUNDS for arguments in parts.values()]
    from _pytest.mark.expression import Expression

    for marks in ((), ("browser",), ("alone",), ("browser", "alone"), ("node",), ("oracle",)):
        chosen = [one for one in expressions if Expression.compile(one).evaluate(lambda name, **_: name in marks)]  # noqa: B023
        assert len(chosen) == 1, marks
