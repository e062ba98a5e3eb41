"""Python in a process of its own, under limits."""

from __future__ import annotations

import resource
import subprocess
import sys

from .conftest import ROOT

PEAK = """
import re
from pathlib import Path
print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def peak_of(code):
    """The most resident memory that the code had, in bytes."""
    done = run(f"{code}\n{PEAK}")
    assert done.returncode == 0, done.stderr
    return 1024 * int(done.stdout.split()[-1])


def run(code, memory=None, seconds=600, **environment):
    """The finished process. memory: bytes that it may ask for."""
    limit = None if memory is None else lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    variables = {"PYTHONPATH": f"{ROOT}:{ROOT / 'pyodide_pkg'}", "OPENBLAS_NUM_THREADS": "1", **environment}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=seconds, preexec_fn=limit)
