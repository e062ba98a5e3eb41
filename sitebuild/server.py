"""The server: GET and HEAD of the files in the build's list, with types, policy, ETags and compressed variants."""

import ipaddress
import os
import shutil
import socket
import socketserver
import sys
from collections.abc import Callable, Mapping
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from sitebuild import files, negotiation, page_files, policy
from sitebuild.catalog import Entry, Representation

Observer = Callable[[str, str, Message], None]  # method, target as sent, request headers


class SiteServer(ThreadingHTTPServer):
    """Serves `catalog` on host:port; bound at once, listening after server_activate().

    plain: like a bare static host, sends nothing but type and length, and no variants. observe: called for every request.
    """

    daemon_threads = True
    request_queue_size = 128  # a page with many modules opens many connections at once
    allow_reuse_address = os.name != "nt"  # on Windows it would let two servers share the port

    def __init__(self, catalog: Mapping[str, Entry], host: str, port: int, *, plain: bool = False, observe: Observer | None = None) -> None:
        self.catalog = catalog
        self.plain = plain
        self.observe = observe
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        self.address_family = family
        self.allowed_hosts = {host, "localhost", "127.0.0.1", "::1"} if is_loopback(str(address[0])) else None
        super().__init__((host, port), SiteHandler, bind_and_activate=False)
        try:
            self.server_bind()
        except BaseException:
            self.server_close()
            raise

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's own looks the host's name up, which can take seconds

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        host = str(self.server_address[0])
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no event; anything else is one line, and the server goes on."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            print(f"request failed: {type(error).__name__}: {error}", file=sys.stderr)


class SiteHandler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: SiteServer
    protocol_version = "HTTP/1.1"
    timeout = 60.0  # seconds a connection may stay silent
    disable_nagle_algorithm = True  # headers and body are written apart; waiting for an acknowledgement costs 40 ms

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _refuse_method(self) -> None:
        self._observe()
        self._error(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"})

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _refuse_method  # noqa: N815  (http.server's names)

    def _answer(self, with_body: bool) -> None:
        self._observe()
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # a body is not read, so what follows cannot be told from it
        if not self._host_is_ours():
            self._error(HTTPStatus.MISDIRECTED_REQUEST)
            return
        entry = self.server.catalog.get(self._path())
        if entry is None:
            self._error(HTTPStatus.NOT_FOUND)
            return
        identity = entry.representations[0]
        chosen = identity if self.server.plain else negotiation.choose(self.headers.get("Accept-Encoding"), entry.representations)
        if not self.server.plain and negotiation.is_fresh(self.headers.get("If-None-Match"), chosen.etag):
            self._head(HTTPStatus.NOT_MODIFIED, self._about(entry, chosen))
        else:
            self._send(entry, chosen, with_body)

    def _send(self, entry: Entry, chosen: Representation, with_body: bool) -> None:
        try:
            stream = chosen.path.open("rb")
        except OSError:
            self._error(HTTPStatus.SERVICE_UNAVAILABLE)  # the site was built anew under a running server
            return
        with stream:
            if os.fstat(stream.fileno()).st_size != chosen.bytes:
                self._error(HTTPStatus.SERVICE_UNAVAILABLE)
                return
            headers = {"Content-Type": entry.mime_type, "Content-Length": str(chosen.bytes)}
            self._head(HTTPStatus.OK, headers | ({} if self.server.plain else self._about(entry, chosen)))
            if with_body:
                shutil.copyfileobj(stream, self.wfile, files.CHUNK)

    def _about(self, entry: Entry, chosen: Representation) -> dict[str, str]:
        headers = {"ETag": chosen.etag}
        if entry.representations[0].path.name != page_files.SERVICE_WORKER:
            headers["Cache-Control"] = "no-cache"
        if entry.representations[0].path.suffix == ".whl":
            headers |= policy.FOR_WHEELS
        if len(entry.representations) > 1:
            headers["Vary"] = "Accept-Encoding"
        if chosen.encoding != "identity":
            headers["Content-Encoding"] = chosen.encoding
        return headers

    def _error(self, status: HTTPStatus, headers: Mapping[str, str] | None = None) -> None:
        """An answer of one line. The connection ends: what the client sent besides was not read."""
        body = f"{status.value} {status.phrase}\n".encode()
        about = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(len(body)), "Connection": "close"}
        self._head(status, about | dict(headers or {}))
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses: requests it cannot read, methods it does not know."""
        self.close_connection = True
        self._error(HTTPStatus(code))

    def _head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def end_headers(self) -> None:
        if not self.server.plain:
            for name, value in self._policy().items():
                self.send_header(name, value)
        super().end_headers()

    def _policy(self) -> dict[str, str]:
        """A worker's policy is that of its own script. What could not be read as a request has no path."""
        of_script = getattr(self, "path", "") == f"/{page_files.SERVICE_WORKER}"
        return {**policy.HEADERS, **(policy.FOR_SERVICE_WORKER if of_script else {})}

    def _path(self) -> str:
        """The path asked for, decoded; it is only ever looked up, so it cannot lead anywhere."""
        try:
            return unquote(urlsplit(self.path).path, errors="strict")
        except ValueError:
            return ""

    def _host_is_ours(self) -> bool:
        """On loopback only names of this machine are answered, so that no other site's name can be pointed at this server."""
        if self.server.allowed_hosts is None:
            return True
        try:
            return urlsplit("//" + self.headers.get("Host", "")).hostname in self.server.allowed_hosts
        except ValueError:
            return False

    def _observe(self) -> None:
        if self.server.observe:
            self.server.observe(self.command, self.path, self.headers)

    def version_string(self) -> str:
        return "pagetrain"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (http.server's name)
        """Requests are not printed."""


def is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address.split("%")[0]).is_loopback
