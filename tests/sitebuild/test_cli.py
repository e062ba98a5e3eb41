"""serve.py: starts at once when nothing changed, and says in one line what a person has to mend."""

import ast
import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitebuild import cli, setup

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def same_signals() -> Iterator[None]:
    """The command line sets a handler for the whole process."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def serve(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "serve.py", "--no-open", *arguments]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False)


def the_error(finished: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error of a run that ended with status 1."""
    assert finished.returncode == 1, finished.stdout + finished.stderr
    (line,) = finished.stderr.splitlines()
    return line


@pytest.mark.parametrize("file", ["serve.py", "tests/__main__.py", "sitebuild/python_version.py", "sitebuild/__init__.py"])
def test_old_pythons_can_read_what_refuses_them(file: str) -> None:
    """Python 3.7's grammar is enough for the files that run before the version is checked."""
    ast.parse((ROOT / file).read_text(encoding="utf-8"), feature_version=(3, 7))


@pytest.mark.parametrize("start", ["runpy.run_path('serve.py', run_name='__main__')", "runpy.run_module('tests', run_name='__main__')"])
def test_an_old_python_is_named(start: str) -> None:
    """Which version is needed and which one this is."""
    script = f"import runpy, sys; sys.version_info = (3, 8, 10, 'final', 0); {start}"
    finished = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "needs Python 3.11 or newer" in the_error(finished)
    assert "is Python 3.8:" in the_error(finished)


def test_no_npm_is_told_at_once(tmp_path: Path) -> None:
    """On a fresh machine without Node the first line says what to install."""
    for name in ("sitebuild", "requirements"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("serve.py", "package.json", "package-lock.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    finished = serve("--port", "0", cwd=tmp_path, PATH=str(tmp_path))
    assert "npm was not found: install Node.js 18 or newer" in the_error(finished)


def test_a_taken_port_is_told_before_anything_is_made() -> None:
    """Which one, and what to type instead."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        finished = serve("--port", str(port))
    assert finished.stdout == ""
    assert the_error(finished) == f"error: port {port} on 127.0.0.1 is taken: choose another one, for example --port {port + 1}"


@pytest.mark.parametrize("host, words", [("192.0.2.1", "not an address of this machine"), ("no.such.host.invalid", "no such address")])
def test_a_host_that_is_not_ours_is_told(host: str, words: str) -> None:
    """Neither an address of another machine nor a name that does not exist can be served on."""
    assert words in the_error(serve("--host", host))


@pytest.mark.parametrize("port", ["70000", "-1", "http"])
def test_a_port_is_a_number(port: str) -> None:
    """argparse's usage and status 2."""
    finished = serve(f"--port={port}")
    assert finished.returncode == 2
    assert "is not a port" in finished.stderr


@pytest.mark.parametrize(
    "error, line",
    [
        (OSError(errno.ENOSPC, "No space left on device", "a.whl"), "error: no space left on the disk (a.whl): "),
        (PermissionError(errno.EACCES, "Permission denied", ".cache/x"), "error: .cache/x: Permission denied"),
    ],
)
def test_errors_of_the_system_are_one_line(
    error: OSError, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A full disk says what to do; others say which file and why."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(setup, "prepare", fail)
    assert cli.main(["--build", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.startswith(line)


def test_an_interrupted_setup_says_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Ctrl-C ends with the status that shells give it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(setup, "prepare", interrupt)
    assert cli.main(["--build", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().out == "stopped; run it again and it goes on where it was\n"


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_second_start_makes_nothing_again(site: Path, ending: signal.Signals, host: str) -> None:
    """It serves the page, and stops without a traceback. Beyond loopback it says what browsers withhold there."""
    command = [sys.executable, "serve.py", "--no-open", "--port", "0", "--host", host]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            printed = [running.stdout.readline(), running.stdout.readline()]
            port = printed[1].rpartition(":")[2].split("/")[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                page = answer.read()
        finally:
            running.send_signal(ending)  # whatever became of it, nobody waits for it for ever
        assert running.stderr is not None
        rest, errors = running.stdout.read(), running.stderr.read()  # communicate() would pass over what readline has read ahead
        running.wait()
    assert printed[0] == f"{len(setup.FOR_SITE)} stages up to date\n"
    assert page == (site / "index.html").read_bytes()
    assert (running.returncode, errors, rest.splitlines()[-1]) == (0, "", "stopped")
    assert ("not treat as a secure context" in rest) == (host != "127.0.0.1")
