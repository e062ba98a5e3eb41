"""The only module that any Python 3 must be able to read: it says which one is needed."""

import sys

OLDEST = (3, 11)


def require(program):  # type: ignore[no-untyped-def]
    """Exits with one line and status 1 when this Python is older than OLDEST."""
    if sys.version_info[:2] < OLDEST:
        sys.exit(
            "error: {program} needs Python {0}.{1} or newer, but {python} is Python {2}.{3}: run it with a newer one".format(
                *(OLDEST + tuple(sys.version_info[:2])), program=program, python=sys.executable
            )
        )
