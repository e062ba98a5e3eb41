"""Sets everything up and measures pagetrain beside the others: python -m bench [--quick] [--help]."""

import os
import subprocess
import sys

from sitebuild import python_version


def main(arguments):
    """Runs bench.run in the project's environment and returns its exit status."""
    from bench import stages
    from sitebuild import chromium, cli, paths, setup
    from sitebuild.report import Report

    report = Report()

    def work():
        setup.prepare(setup.FOR_TESTS, report)
        chromium.prepare(report)
        stages.prepare(report)
        variables = dict(os.environ, **chromium.environment())
        variables["PYTHONPATH"] = os.pathsep.join([str(paths.ROOT), str(paths.ROOT / "pyodide_pkg")])
        command = [str(paths.VENV_PYTHON), "-m", "bench.run", *arguments]
        return subprocess.call(command, cwd=str(paths.ROOT), env=variables)

    return cli.in_one_line(report, work)


if __name__ == "__main__":
    python_version.require("python -m bench")
    sys.exit(main(sys.argv[1:]))
