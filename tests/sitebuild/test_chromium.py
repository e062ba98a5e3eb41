"""sitebuild.chromium: a browser that starts, or every way to get one tried in turn."""

import io
import shutil
from pathlib import Path

import pytest

from sitebuild import chromium, commands, paths
from sitebuild.errors import NetworkError, SetupError
from sitebuild.report import Report


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """The programs of a made-up machine: name -> path. Empty at first."""
    programs: dict[str, str] = {}
    monkeypatch.setattr(shutil, "which", programs.get)
    monkeypatch.setattr(paths, "BROWSERS", tmp_path / "browsers")
    return programs


def program(path: Path, status: int) -> str:
    path.write_text(f"#!/bin/sh\nexit {status}\n")
    path.chmod(0o755)
    return str(path)


def test_a_stub_that_does_not_start_is_no_browser(installed: dict[str, str], tmp_path: Path) -> None:
    """The first that answers to --version is taken."""
    installed["chromium"] = program(tmp_path / "stub", 1)
    assert chromium.system_browser() is None
    installed["google-chrome"] = program(tmp_path / "chrome", 0)
    assert chromium.system_browser() == installed["google-chrome"]


def test_playwrights_own_is_installed_when_there_is_none(
    installed: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Into the project's cache, and not a second time."""
    ran: list[list[str]] = []

    def run(_name: str, command: list[object], **_: object) -> str:
        ran.append([str(word) for word in command[1:]])
        (tmp_path / "browsers/chromium-1").mkdir(parents=True)
        (tmp_path / "browsers/chromium-1/INSTALLATION_COMPLETE").touch()
        return ""

    monkeypatch.setattr(commands, "run", run)
    chromium.prepare(Report(io.StringIO()))
    chromium.prepare(Report(io.StringIO()))
    assert ran == [["-m", "playwright", "install", "chromium"]]


@pytest.mark.parametrize("root", [True, False])
def test_debians_package_is_the_last_way(installed: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: bool) -> None:
    """Only root can install it; others are told what to install."""
    ran: list[str] = []

    def run(_name: str, command: list[object], **_: object) -> str:
        ran.append(" ".join(str(word) for word in command))
        if "playwright" in command:
            raise NetworkError("closed")
        if "install" in command:
            installed["chromium"] = program(tmp_path / "chromium", 0)
        return ""

    installed["apt-get"] = "apt-get"
    monkeypatch.setattr(commands, "run", run)
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0 if root else 1000)
    if root:
        chromium.prepare(Report(io.StringIO()))
        assert [line.split()[0] for line in ran[1:]] == ["apt-get", "apt-get"]
    else:
        with pytest.raises(SetupError, match="install the package chromium"):
            chromium.prepare(Report(io.StringIO()))
