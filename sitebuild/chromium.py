"""A Chromium for the tests: the system's, else Playwright's own, else Debian's package."""

import os
import shutil
import subprocess
from pathlib import Path

from sitebuild import commands, paths
from sitebuild.errors import CommandError, NetworkError, SetupError
from sitebuild.report import Report

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = ("/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")

ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    *(("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()),
)


def system_browser() -> str | None:
    """The path of an installed Chromium or Chrome, or None."""
    found = (shutil.which(name) for name in (*_NAMES, *_MAC))
    return next((path for path in found if path and _starts(path)), None)


def prepare(report: Report) -> None:
    """Makes sure that there is a Chromium. Raises SetupError when there is no way to get one."""
    if system_browser() or playwrights_own():
        return
    report.line("no Chromium found: installing Playwright's (about 170 MB)")
    try:
        commands.run("chromium", [paths.VENV_PYTHON, "-m", "playwright", "install", "chromium"], env=environment())
    except (CommandError, NetworkError) as error:
        report.line(f"that failed ({error})")
        _install_package(report)


def playwrights_own() -> Path | None:
    """The Chromium that `playwright install` put under .cache/browsers, or None. Playwright marks a whole one by a file."""
    return next(iter(paths.BROWSERS.glob("chromium-*/INSTALLATION_COMPLETE")), None)


def environment() -> dict[str, str]:
    """Where Playwright keeps and finds its own browsers."""
    return {"PLAYWRIGHT_BROWSERS_PATH": str(paths.BROWSERS)}


def _install_package(report: Report) -> None:
    if shutil.which("apt-get") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise SetupError(
            "no Chromium was found and none could be installed: install the package chromium (or Google Chrome) and run it again"
        )
    report.line("installing Debian's package chromium")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    commands.run("chromium", ["apt-get", "-q", "update"], env=quiet)
    commands.run("chromium", ["apt-get", "-q", "-y", "install", "--no-install-recommends", "chromium"], env=quiet)
    if system_browser() is None:
        raise SetupError("the package chromium was installed, but its browser does not start: try `chromium --version`")


def _starts(path: str) -> bool:
    """Ubuntu's chromium-browser may be a stub that only names a snap, so being there is not enough."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
