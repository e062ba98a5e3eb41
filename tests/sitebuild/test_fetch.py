"""sitebuild.fetch: a download is whole and the expected one, or it is not there."""

import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitebuild.errors import HashMismatchError, NetworkError
from sitebuild.fetch import fetch

CONTENT = b"wheel " * 50_000


class Origin(http.server.BaseHTTPRequestHandler):
    """/whole sends everything, /broken breaks off half way, /silent never answers, anything else does not exist."""

    release = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/silent":
            self.release.wait(10)
            return
        self.send_response(200 if self.path in ("/whole", "/broken") else 404)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        if self.path in ("/whole", "/broken"):
            self.wfile.write(CONTENT if self.path == "/whole" else CONTENT[: len(CONTENT) // 2])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing is printed."""


@pytest.fixture
def origin() -> Iterator[str]:
    Origin.release.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        Origin.release.set()
        server.shutdown()
        thread.join()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_whole_file_with_the_right_hash_is_kept(origin: str, tmp_path: Path) -> None:
    """The file holds exactly the bytes that were sent, and nothing else is left in the folder."""
    fetch(origin + "whole", tmp_path / "a.whl", sha256(CONTENT), timeout=5)
    assert (tmp_path / "a.whl").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["a.whl"]


def test_a_wrong_hash_names_file_expected_and_got(origin: str, tmp_path: Path) -> None:
    """One sentence with all three, and no file."""
    with pytest.raises(HashMismatchError, match=rf"^a\.whl .*{'0' * 64}.*{sha256(CONTENT)}"):
        fetch(origin + "whole", tmp_path / "a.whl", "0" * 64, timeout=5)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind, reason", [("broken", "300000 bytes"), ("missing", "404"), ("silent", "cannot be reached")])
def test_what_does_not_arrive_is_a_network_error(origin: str, tmp_path: Path, kind: str, reason: str) -> None:
    """A connection that breaks, an answer that is an error, and a server that says nothing leave no file and what was there before."""
    (tmp_path / "a.whl").write_bytes(b"before")
    with pytest.raises(NetworkError, match=reason):
        fetch(origin + kind, tmp_path / "a.whl", sha256(CONTENT), timeout=0.5)
    assert (tmp_path / "a.whl").read_bytes() == b"before"
    assert len(list(tmp_path.iterdir())) == 1


def test_nobody_listening_is_a_network_error(tmp_path: Path) -> None:
    """The sentence names the host."""
    with pytest.raises(NetworkError, match=r"127\.0\.0\.1:9 cannot be reached"):
        fetch("http://127.0.0.1:9/a.whl", tmp_path / "a.whl", "0" * 64, timeout=5)
