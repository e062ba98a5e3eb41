"""sitebuild.server: the files of the list, GET and HEAD, and the policy on every answer."""

import gzip
import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from sitebuild import policy
from sitebuild.server import SiteServer
from tests.serving import serving
from tests.sitebuild.small_site import catalog_of

FILES = {
    "index.html": b"<!doctype html>" * 100,
    "app.js": b"export {};" * 100,
    "lib.mjs": b"export {};",
    "core.wasm": b"\0asm",
    "model.onnx": b"\x08\x08",
    "train.ort": b"ORTM",
    "parameters.bin": b"\0" * 100,
    "pure-1-py3-none-any.whl": b"PK",
    "stdlib.zip": b"PK",
    "files.json": b"{}",
    "favicon.svg": b"<svg/>",
    "nominal_checkpoint": b"ODTC",
}
TEXT = "; charset=utf-8"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SimpleNamespace]:
    catalog = catalog_of(tmp_path / "site", FILES)
    (tmp_path / "site/secret.txt").write_text("not in the list")
    with serving({"/": catalog["/index.html"], **catalog}) as server:
        yield server


def ask(server: SimpleNamespace, method: str, target: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    """One request; underscores in header names stand for hyphens."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, target, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def raw(server: SimpleNamespace, data: bytes) -> bytes:
    """All that the server says to these bytes until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "name, mime_type",
    [
        ("index.html", "text/html" + TEXT),
        ("app.js", "text/javascript" + TEXT),
        ("lib.mjs", "text/javascript" + TEXT),
        ("core.wasm", "application/wasm"),
        ("model.onnx", "application/octet-stream"),
        ("train.ort", "application/octet-stream"),
        ("parameters.bin", "application/octet-stream"),
        ("pure-1-py3-none-any.whl", "application/octet-stream"),
        ("stdlib.zip", "application/zip"),
        ("files.json", "application/json" + TEXT),
        ("favicon.svg", "image/svg+xml" + TEXT),
        ("nominal_checkpoint", "application/octet-stream"),
    ],
)
def test_every_file_has_its_type_and_bytes(small: SimpleNamespace, name: str, mime_type: str) -> None:
    """The type that browsers insist on, the length, and exactly the bytes of the file."""
    answer, body = ask(small, "GET", f"/{name}")
    assert (answer.status, answer.headers["Content-Type"], body) == (200, mime_type, FILES[name])
    assert answer.headers["Content-Length"] == str(len(FILES[name]))


def test_wheels_alone_may_be_read_by_other_origins(small: SimpleNamespace) -> None:
    """Whole and not modified; micropip fetches them from anywhere, nothing else is for pages of others."""
    whole, _ = ask(small, "GET", "/pure-1-py3-none-any.whl")
    again, _ = ask(small, "GET", "/pure-1-py3-none-any.whl", If_None_Match=whole.headers["ETag"])
    assert (whole.status, again.status) == (200, 304)
    assert whole.headers["Access-Control-Allow-Origin"] == again.headers["Access-Control-Allow-Origin"] == "*"
    for name in FILES.keys() - {"pure-1-py3-none-any.whl"}:
        assert "Access-Control-Allow-Origin" not in ask(small, "GET", f"/{name}")[0].headers


def test_the_root_is_the_page(small: SimpleNamespace) -> None:
    """/ and /index.html are the same; a query changes nothing."""
    assert ask(small, "GET", "/")[1] == ask(small, "GET", "/index.html?lang=en")[1] == FILES["index.html"]


@pytest.mark.parametrize(
    "target",
    [
        "/secret.txt",
        "/app.js.gz",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/./app.js",
        "/app.js/",
        "//app.js/..",
        "/app.js%00",
        "/APP.JS",
        "/%ff",
        "/runtime",
        "/runtime/",
        "*",
    ],
)
def test_what_is_not_in_the_list_does_not_exist(small: SimpleNamespace, target: str) -> None:
    """Neither files beside the list, nor variants by their own name, nor folders, nor any spelling of a way out."""
    answer, body = ask(small, "GET", target)
    assert (answer.status, body) == (404, b"404 Not Found\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_only_get_and_head(small: SimpleNamespace, method: str) -> None:
    """Other methods are refused, and the answer says which are not."""
    answer, _ = ask(small, method, "/index.html")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("target", ["/", "/app.js", "/nothing"])
def test_head_is_get_without_the_body(small: SimpleNamespace, target: str) -> None:
    """The same status and headers, no body."""
    head, body = ask(small, "HEAD", target, Accept_Encoding="gzip")
    get, _ = ask(small, "GET", target, Accept_Encoding="gzip")
    assert body == b""
    assert head.status == get.status
    assert {**head.headers, "Date": ""} == {**get.headers, "Date": ""}


def test_the_policy_is_on_every_answer(small: SimpleNamespace) -> None:
    """Files, variants, 304, errors of ours and errors of http.server alike."""
    tag = ask(small, "GET", "/app.js")[0].headers["ETag"]
    answers = [
        ask(small, "GET", "/")[0],
        ask(small, "GET", "/app.js", Accept_Encoding="gzip")[0],
        ask(small, "GET", "/app.js", If_None_Match=tag)[0],
        ask(small, "GET", "/nothing")[0],
        ask(small, "POST", "/")[0],
        ask(small, "BREW", "/")[0],
        ask(small, "GET", "/", Host="evil.example")[0],
    ]
    assert [answer.status for answer in answers] == [200, 200, 304, 404, 405, 501, 421]
    for answer in answers:
        assert {name: answer.headers[name] for name in policy.HEADERS} == policy.HEADERS


def test_an_etag_belongs_to_the_bytes_that_are_sent(small: SimpleNamespace) -> None:
    """Identity and gzip have their own strong tags; each answers 304 only for itself, with the tag and Vary and no body."""
    plain, _ = ask(small, "GET", "/app.js")
    packed, body = ask(small, "GET", "/app.js", Accept_Encoding="gzip")
    assert gzip.decompress(body) == FILES["app.js"]
    assert plain.headers["ETag"] != packed.headers["ETag"]
    assert not plain.headers["ETag"].startswith("W/")
    fresh, body = ask(small, "GET", "/app.js", Accept_Encoding="gzip", If_None_Match=f'"other", {packed.headers["ETag"]}')
    assert (fresh.status, fresh.headers["ETag"], fresh.headers["Vary"], body) == (304, packed.headers["ETag"], "Accept-Encoding", b"")
    assert ask(small, "GET", "/app.js", Accept_Encoding="gzip", If_None_Match=plain.headers["ETag"])[0].status == 200


def test_a_changed_file_is_not_sent_under_the_old_tag(tmp_path: Path) -> None:
    """When the site is built anew under a running server, it says so instead of sending what it did not list."""
    catalog = catalog_of(tmp_path, FILES)
    with serving(catalog) as server:
        (tmp_path / "app.js").write_bytes(b"longer" * 1000)
        (tmp_path / "lib.mjs").unlink()
        assert [ask(server, "GET", target)[0].status for target in ("/app.js", "/lib.mjs", "/index.html")] == [503, 503, 200]


def test_a_connection_is_kept(small: SimpleNamespace) -> None:
    """Many requests, 304 and HEAD among them, go over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", small.port, timeout=10)
    used = set()
    for method, tag in (("GET", ""), ("HEAD", ""), ("GET", "*"), ("GET", "")):
        connection.request(method, "/app.js", headers={"If-None-Match": tag})
        connection.getresponse().read()
        used.add(connection.sock)
    connection.close()
    assert len(used) == 1
    assert None not in used


def test_names_of_other_hosts_are_refused_on_loopback(small: SimpleNamespace) -> None:
    """A foreign name that someone points at 127.0.0.1 gets nothing, with or without port; this machine's names do."""
    foreign = ("evil.example", f"evil.example:{small.port}", "localhost.evil.example", "", "[", "127.0.0.1@evil.example")
    ours = ("localhost", f"127.0.0.1:{small.port}", "[::1]:80", "LOCALHOST")
    assert {ask(small, "GET", "/", Host=host)[0].status for host in foreign} == {421}
    assert {ask(small, "GET", "/", Host=host)[0].status for host in ours} == {200}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 26\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
    ],
)
def test_bad_requests_end_their_connection_alone(small: SimpleNamespace, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    """At most one answer, never one to what a body holds; nothing is printed and the next client is served."""
    assert raw(small, data).count(b"HTTP/1.1 ") <= 1
    assert ask(small, "GET", "/")[0].status == 200
    assert capfd.readouterr() == ("", "")


def test_a_client_that_goes_away_is_no_event(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Aborting in the middle of a large file prints nothing, and the server goes on."""
    with serving(catalog_of(tmp_path, {"large.bin": b"\1" * 8_000_000})) as server:
        for _ in range(5):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close with a reset
            connection.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.recv(1000)
            connection.close()
        assert len(ask(server, "GET", "/large.bin")[1]) == 8_000_000
    assert capfd.readouterr() == ("", "")


def test_many_clients_at_once(small: SimpleNamespace) -> None:
    """A slow client does not hold up others."""
    slow = socket.create_connection(("127.0.0.1", small.port), timeout=10)
    slow.sendall(b"GET / HTTP/1.1\r\n")
    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(small, "GET", "/app.js")[0].status)) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    slow.close()
    assert answers == [200] * 30


def test_a_bare_host_sends_types_and_nothing_else(tmp_path: Path) -> None:
    """plain: no policy, no ETag, no variants, whatever the client accepts."""
    with serving(catalog_of(tmp_path, FILES), plain=True) as server:
        answer, body = ask(server, "GET", "/app.js", Accept_Encoding="gzip, br", If_None_Match="*")
    assert body == FILES["app.js"]
    assert set(answer.headers) == {"Server", "Date", "Content-Type", "Content-Length"}


def test_requests_are_observed_as_they_came(small: SimpleNamespace) -> None:
    """What tests count: method and target as sent, refused ones too."""
    ask(small, "GET", "/a?b=c")
    ask(small, "POST", "/")
    assert [(method, target) for method, target, _ in small.requests] == [("GET", "/a?b=c"), ("POST", "/")]


def test_ipv6_loopback_is_served(tmp_path: Path) -> None:
    """--host ::1 works, and its URL is written with brackets."""
    try:
        server = SiteServer(catalog_of(tmp_path, FILES), "::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with server:
        assert server.url == f"http://[::1]:{server.port}/"


def test_the_service_worker_has_a_policy_of_its_own(tmp_path: Path) -> None:
    """It may hand on what its page asks for, and no more. Its copy is good for minutes; about others the server is asked."""
    catalog = catalog_of(tmp_path / "site", {"sw.js": b"// ours" * 100, "app.js": b"export {};" * 100})
    with serving(catalog) as server:
        script, other = (ask(server, "GET", path)[0] for path in ("/sw.js", "/app.js"))
    assert script.headers.get_all("Content-Security-Policy") == ["default-src 'none'; connect-src 'self'"]
    assert script.headers.get_all("Cache-Control") == ["max-age=600"]
    assert other.headers.get_all("Content-Security-Policy") == [policy.CONTENT_SECURITY_POLICY]
    assert other.headers.get_all("Cache-Control") == ["no-cache"]
