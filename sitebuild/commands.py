"""Programs that set-up runs, and the one sentence for each way they fail."""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from sitebuild import lock, paths
from sitebuild.errors import CommandError, HashMismatchError, NetworkError, SetupError, disk_full

_NO_NETWORK = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|NewConnectionError|Max retries exceeded|NameResolutionError"
    r"|Temporary failure in name resolution|Network is unreachable|ConnectTimeout|ReadTimeout|ProxyError"
)
_NO_SPACE = re.compile(r"ENOSPC|No space left on device|EDQUOT|Disk quota exceeded")
_PIP_HASHES = re.compile(r"DO NOT MATCH THE HASHES.*?(\S+) from .*?Expected sha256 (\w+).*?Got\s+(\w+)", re.DOTALL)
_NPM_HASHES = re.compile(r"ntegrity checksum failed when using \w+: wanted (\S+) but got ([\w+/=-]+)")


def run(name: str, command: Iterable[str | Path], *, cwd: Path = paths.ROOT, env: Mapping[str, str] | None = None, text: str = "") -> str:
    """Runs `command` with `text` as its input and returns what it printed; everything it printed is kept in .cache/logs/<name>.log.

    Raises NetworkError, HashMismatchError or CommandError, each with one sentence.
    """
    log = paths.LOGS / f"{name.replace(' ', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [str(word) for word in command]
    with log.open("w+", encoding="utf-8", errors="replace") as stream:
        finished = subprocess.run(
            words, cwd=cwd, env={**os.environ, **(env or {})}, input=text, text=True, stdout=stream, stderr=subprocess.STDOUT,
            pass_fds=lock.inherited() if os.name == "posix" else (), check=False,
        )  # fmt: skip
        stream.seek(0)
        output = stream.read()
    if finished.returncode:
        raise explain(name, Path(words[0]).name, finished.returncode, output, log)
    return output


def explain(name: str, program: str, status: int, output: str, log: Path) -> SetupError:
    """The sentence for a failed command, judged by what it printed."""
    if _NO_SPACE.search(output):
        return disk_full(name)
    if found := _PIP_HASHES.search(output):
        return HashMismatchError(found[1], found[2], found[3])
    if found := _NPM_HASHES.search(output):
        return HashMismatchError("a package of package-lock.json", found[1], found[2])
    if found := _NO_NETWORK.search(output):
        return NetworkError(
            f"{name}: the network cannot be reached ({found[0]}); connect, or check the proxy, and run it again ({_shown(log)})"
        )
    return CommandError(f"{name}: {program} ended with status {status}: {_last_line(output)} (all it printed: {_shown(log)})")


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and "A complete log of this run" not in line]
    return lines[-1][:300] if lines else "it printed nothing"


def _shown(log: Path) -> str:
    return str(log.relative_to(paths.ROOT)) if log.is_relative_to(paths.ROOT) else str(log)
