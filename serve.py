"""Prepares everything and serves the page: python serve.py [--port N] [--host H] [--build DIR] [--no-open]."""

import sys

from sitebuild import python_version

if __name__ == "__main__":
    python_version.require("serve.py")  # type: ignore[no-untyped-call]
    from sitebuild import cli

    sys.exit(cli.main(sys.argv[1:]))
