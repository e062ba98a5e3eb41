"""serve.py's command line."""

import argparse
import errno
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from sitebuild import catalog, paths, setup, static_folder, visit
from sitebuild.errors import SetupError, from_os_error
from sitebuild.report import Report, megabytes
from sitebuild.server import SiteServer, is_loopback

INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Runs serve.py and returns its exit status."""
    options = _parser().parse_args(arguments)
    report = Report()
    return in_one_line(report, lambda: _build(options.build, report) if options.build else _serve(options, report))


def in_one_line(report: Report, work: Callable[[], int]) -> int:
    """Runs work and returns its status; what a person can mend is told in one line, without a traceback."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return work()
    except SetupError as error:
        message = str(error)
    except OSError as error:
        message = str(from_os_error(error))
    except KeyboardInterrupt:
        report.line("stopped; run it again and it goes on where it was")
        return INTERRUPTED
    report.close_line()
    print(f"error: {message}", file=sys.stderr)
    return 1


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="serve.py", description="Prepares everything (the first time only) and serves the page.")
    parser.add_argument("--port", type=_port, default=8000, help="port to serve on (8000)")
    parser.add_argument("--host", default="127.0.0.1", help="address to serve on (127.0.0.1: this machine only)")
    parser.add_argument("--build", type=Path, metavar="DIR", help="write the site as a folder for any static host, and exit")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    return parser


def _port(text: str) -> int:
    if not text.isdigit() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 0 (any free one) to 65535")
    return int(text)


def _build(folder: Path, report: Report) -> int:
    folder = folder.expanduser().absolute()
    static_folder.refuse_foreign(folder)
    setup.prepare(setup.FOR_SITE, report)
    size = static_folder.write(folder)
    for line in visit.lines(visit.sizes(paths.SITE, paths.VARIANTS)):
        report.line(line)
    report.line(f"wrote {folder} ({megabytes(size)}): any static host can serve it, from any path")
    return 0


def _serve(options: argparse.Namespace, report: Report) -> int:
    with bind(options.host, options.port) as server:  # before set-up, which may take a minute: a taken port is told at once
        setup.prepare(setup.FOR_SITE, report)
        server.catalog = catalog.load(paths.SITE, paths.VARIANTS)
        _listen(server)
        report.line(f"serving {server.url} (Ctrl-C stops)")
        if not is_loopback(str(server.server_address[0])):
            report.line(
                "note: other machines reach this over plain http, which browsers do not treat as a secure context: "
                "no service worker, no origin-private files, no camera and no crypto.subtle there"
            )
        if not options.no_open and _has_desktop():
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            report.line("stopped")
    return 0


def bind(host: str, port: int) -> SiteServer:
    """A server that holds its port and has nothing to serve yet. Raises SetupError when it cannot have it."""
    try:
        return SiteServer({}, host, port)
    except socket.gaierror:
        raise SetupError(f"--host {host}: no such address; 127.0.0.1 is this machine, 0.0.0.0 all its addresses") from None
    except OSError as error:
        raise _cannot_listen(error, host, port) from None


def _listen(server: SiteServer) -> None:
    try:
        server.server_activate()
    except OSError as error:
        raise _cannot_listen(error, str(server.server_address[0]), server.port) from None


def _cannot_listen(error: OSError, host: str, port: int) -> SetupError:
    if error.errno == errno.EADDRINUSE:
        return SetupError(f"port {port} on {host} is taken: choose another one, for example --port {port + 1 if port < 65535 else 8000}")
    if error.errno in (errno.EACCES, errno.EPERM):
        return SetupError(f"port {port} is not allowed for this user: choose one from 1024 on, for example --port 8000")
    if error.errno == errno.EADDRNOTAVAIL:
        return SetupError(f"--host {host} is not an address of this machine; 127.0.0.1 is, and 0.0.0.0 means all of them")
    return SetupError(f"cannot serve on {host} port {port}: {error.strerror}")


def _has_desktop() -> bool:
    """Whether a browser window can open; without one, webbrowser may start a text browser in this very terminal."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
