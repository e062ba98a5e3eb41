"""The zip that a project file is: its members stored one after another, none packed, so that a page can refer to them in place.

It may come from anywhere. Names in it are looked up, never written to; what it claims of sizes is held to the bytes that there are.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pagetrain.errors import FormatError, InvalidInputError

Source = str | os.PathLike[str] | bytes
Content = bytes | Callable[[], bytes]

PHOTO = re.compile(r"photos/[0-9]{5}(\.[a-z0-9]{1,8})?", re.ASCII)
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # what a zip can say at the earliest: the same project is the same bytes
_MOST_MEMBERS, _MOST_BYTES = 65_535, 2**32 - 1  # of a zip without ZIP64, which a page need not know
_BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, OverflowError)


class ProjectZip:
    """The members of one project file, read when they are asked for."""

    def __init__(self, source: Source) -> None:
        """source: path or bytes. Raises FormatError for what is no zip, or one whose members are packed, locked, twice there or overlap."""
        self.name = "The project file" if isinstance(source, bytes) else Path(source).name
        self._source = source
        with self._opened() as archive:
            infos = archive.infolist()
        size = len(source) if isinstance(source, bytes) else Path(source).stat().st_size
        self._sizes = {info.filename: info.file_size for info in infos}
        if len(self._sizes) < len(infos):
            raise self.damaged("it holds two members of one name")
        if any(info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1 for info in infos):
            raise FormatError(f"{self.name} was packed anew or locked by another program; take the file as pagetrain saved it.")
        if any(info.file_size != info.compress_size for info in infos) or sum(self._sizes.values()) > size:
            raise self.damaged("its members claim more bytes than it has")

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def size(self, name: str) -> int:
        """Bytes of a member. Raises FormatError if it is not there."""
        if name not in self._sizes:
            raise self.damaged(f"{name!r:.60} is missing")
        return self._sizes[name]

    def read(self, name: str) -> bytes:
        """A member, its checksum compared. Raises FormatError."""
        self.size(name)
        with self._opened() as archive:
            return archive.read(name)

    def damaged(self, what: str) -> FormatError:
        """The error for a file that cannot be what pagetrain saved."""
        return FormatError(f"{self.name} is no whole project file: {what}. Save the project again, or take another copy.")

    @contextmanager
    def _opened(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(io.BytesIO(self._source) if isinstance(self._source, bytes) else self._source) as archive:
                yield archive
        except _BROKEN as error:
            raise self.damaged(str(error) or type(error).__name__) from error


def write(path: str | os.PathLike[str], members: Mapping[str, Content]) -> None:
    """Writes {name: content} to `path`, each content asked for when its turn comes; what fails leaves the file from before.

    Raises OSError; InvalidInputError for more than a zip without ZIP64 holds.
    """
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.part")
    if len(members) > _MOST_MEMBERS:
        raise InvalidInputError(f"{target.name}: {len(members)} files are more than a project file holds; leave photos out.")
    try:
        with unfinished.open("wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name, _FIRST_DAY), content if isinstance(content, bytes) else content())
                if file.tell() > _MOST_BYTES - (1 << 24):
                    raise zipfile.LargeZipFile
        unfinished.replace(target)
    except zipfile.LargeZipFile as error:
        raise InvalidInputError(f"{target.name}: a project file holds up to 4 GB; leave photos out.") from error
    finally:
        unfinished.unlink(missing_ok=True)
