"""What can go wrong in set-up, each as one sentence a person can act on."""

import errno


class SetupError(Exception):
    """A set-up that cannot go on: what happened, where, what to do. Printed as one line, exit status 1."""


class NetworkError(SetupError):
    """Nothing could be fetched: not connected, blocked, or the other side is down."""


class HashMismatchError(SetupError):
    """A downloaded file is not the pinned one."""

    def __init__(self, name: str, expected: str, got: str) -> None:
        super().__init__(
            f"{name} is not the pinned file: expected hash {expected}, got {got}; "
            "it was not used; try again, and if that stays, do not trust this network or mirror"
        )


class CommandError(SetupError):
    """A program that set-up runs (pip, npm, node, the artifact tool) failed."""


def disk_full(where: str) -> SetupError:
    return SetupError(f"no space left on the disk ({where}): free about 1 GB and run it again, it goes on where it stopped")


def from_os_error(error: OSError) -> SetupError:
    """The sentence for an error of the operating system: disk full has its own."""
    where = error.filename or "writing under .cache"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(str(where))
    return SetupError(f"{where}: {error.strerror or error}")
