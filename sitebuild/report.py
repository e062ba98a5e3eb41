"""What set-up prints: one aligned line for each stage, with how long and how big."""

import sys
from typing import TextIO

NAME_WIDTH, DOES_WIDTH = 15, 58


class Report:
    """Prints to `stream`. A stage's line is begun when the stage begins and ended when it ends, so one can see what runs."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._line_open = False
        self._up_to_date = 0

    def start(self, position: str, name: str, does: str) -> None:
        self._write(f"{position:>5}  {name:<{NAME_WIDTH}} {does:<{DOES_WIDTH}}")
        self._line_open = True

    def done(self, seconds: float, size: int) -> None:
        if not self._line_open:  # a note stands in between
            self._write(" " * (5 + 2 + NAME_WIDTH + 1 + DOES_WIDTH))
        self._write(f" {seconds:6.1f} s  {megabytes(size):>9}\n")
        self._line_open = False

    def note(self, text: str) -> None:
        """A line of its own below the running stage."""
        self.close_line()
        self._write(f"{'':>5}  {'':<{NAME_WIDTH}} {text}\n")

    def skipped(self) -> None:
        """Counted, and told together by summary()."""
        self._up_to_date += 1

    def summary(self) -> None:
        """One line about all stages that had nothing to do."""
        if self._up_to_date:
            self.line(f"{self._up_to_date} stage{'s' * (self._up_to_date > 1)} up to date")

    def line(self, text: str) -> None:
        self.close_line()
        self._write(text + "\n")

    def close_line(self) -> None:
        if self._line_open:
            self._write("\n")
            self._line_open = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 50_000 else f"{size / 1e3:.1f} KB"
