"""Sets everything up and runs the tests: python -m tests [pytest arguments]. Without arguments it runs all, in parts side by side."""

import os
import subprocess
import sys

from sitebuild import python_version


def main(arguments):
    """Runs pytest in the project's environment, or several of it, and returns its exit status."""
    from sitebuild import chromium, cli, paths, setup
    from sitebuild.report import Report
    from tests import side_by_side

    report = Report()

    def work():
        setup.prepare(setup.FOR_TESTS, report)
        chromium.prepare(report)
        environment = dict(os.environ, **chromium.environment())
        if not arguments:
            return side_by_side.run(environment)
        return subprocess.call([str(paths.VENV_PYTHON), "-m", "pytest", *arguments], cwd=str(paths.ROOT), env=environment)

    return cli.in_one_line(report, work)


if __name__ == "__main__":
    python_version.require("python -m tests")
    sys.exit(main(sys.argv[1:]))
