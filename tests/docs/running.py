"""Running a page's blocks one by one, as its reader would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from artifacts_tool import cli
from tests.docs.fences import DEVICE, Fence, commands_of, run_python


def run_block(fence: Fence, page: Path, names: dict[str, Any]) -> None:
    """Python that is not for elsewhere runs in the namespace `names`, commands of artifacts_tool in this process."""
    if fence.language == "python" and fence.words in ((), (DEVICE,)):
        run_python(fence, page, names)
    elif fence.language == "sh":
        for words in commands_of(fence):
            assert words[1:3] == ["-m", "artifacts_tool"], "blocks of other commands have no language"
            assert cli.main(words[3:]) == 0, words
