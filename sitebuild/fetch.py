"""Fetching one file by URL: whole and with the expected hash, or not at all."""

import contextlib
import shutil
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from sitebuild import files
from sitebuild.errors import HashMismatchError, NetworkError


def fetch(url: str, target: Path, sha256: str, timeout: float) -> None:
    """target holds the bytes of url, whose sha256 was checked.

    timeout: seconds without a byte, for connecting too. Raises NetworkError, HashMismatchError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with files.half_file(target) as half:
        try:
            with urllib.request.urlopen(url, timeout=timeout) as answer, half.open("wb") as stream:  # noqa: S310  (https, or a test's local server)
                shutil.copyfileobj(answer, stream, files.CHUNK)
                _refuse_short(url, stream.tell(), answer.headers.get("Content-Length"))
        except urllib.error.HTTPError as error:
            with contextlib.closing(error):
                raise NetworkError(f"{url}: the server answered {error.code} {error.reason}") from error
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            reason = getattr(error, "reason", error)
            raise NetworkError(f"{urlsplit(url).netloc} cannot be reached ({getattr(reason, 'strerror', None) or reason})") from error
        require_hash(half, sha256, target.name)


def require_hash(path: Path, sha256: str, name: str) -> None:
    """Raises HashMismatchError when the file at path has another sha256."""
    if (got := files.sha256_of(path)) != sha256:
        raise HashMismatchError(name, sha256, got)


def _refuse_short(url: str, got: int, announced: str | None) -> None:
    if announced is not None and got != int(announced):
        raise NetworkError(f"{url}: the connection broke after {got} of {announced} bytes")
