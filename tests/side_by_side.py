"""The whole suite in parts: some side by side, each a process of its own with a log, and then what has to be alone."""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence

from sitebuild import paths

# Rounds, one after another, of parts that run at the same time: name -> pytest's arguments. All together are the suite, and nothing twice.
ROUNDS = (
    {"browser": ("-m", "browser and not alone"), "others": ("-m", "not browser and not alone")},
    {"alone": ("-m", "alone")},
)
_END = re.compile(r"=+ (?!test session starts)")  # begins the failures and the sum
_PATIENCE = 20.0  # seconds that an interrupted part has for its fixtures


class Part:
    """A pytest process. Its lines are shown as they come, after its name; what it says at its end is kept for show_end()."""

    def __init__(self, name: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._name = name
        self._end: list[str] = []
        self._log = paths.LOGS / f"tests-{name}.log"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [str(paths.VENV_PYTHON), "-m", "pytest", *arguments],
            cwd=paths.ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, encoding="utf-8", errors="replace",
            start_new_session=True,  # so that Ctrl-C reaches it once, by interrupt()
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines, self._log.open("w", encoding="utf-8") as log:
            for line in lines:
                log.write(line)
                log.flush()
                if self._end or _END.match(line):
                    self._end.append(line)
                elif line.strip():
                    print(f"{self._name:<8} {line}", end="", flush=True)

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        self._process.wait()
        self._reader.join()
        return self._process.returncode

    def interrupt(self) -> None:
        """Asks it to end, and sees to it that it does."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._reader.join()

    def show_end(self) -> None:
        """Failures, if there are, and what became of how many tests."""
        print(f"\n{self._name} (all it printed: {self._log.relative_to(paths.ROOT)})\n", *self._end, sep="", end="", flush=True)


def run(environment: Mapping[str, str], rounds: Iterable[Mapping[str, Sequence[str]]] = ROUNDS) -> int:
    """Runs all parts, shows how each ended, and returns the first status that is not 0."""
    ended: list[Part] = []
    statuses: list[int] = []
    for arguments in rounds:
        parts = [Part(name, some, environment) for name, some in arguments.items()]
        try:
            statuses += [part.wait() for part in parts]
        except KeyboardInterrupt:
            for part in parts:
                part.interrupt()
            raise
        ended += parts
    for part in ended:
        part.show_end()
    return next((status for status in statuses if status), 0)
