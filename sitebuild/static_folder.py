"""--build DIR: the same site as a folder for any static host."""

import shutil
from pathlib import Path

from sitebuild import files, paths, site, variants
from sitebuild.errors import SetupError


def write(folder: Path) -> int:
    """Writes the site and its compressed variants to folder; returns its size. Raises SetupError for a folder that holds anything else."""
    refuse_foreign(folder)
    index = variants.read_index(paths.VARIANTS)
    with files.half_folder(folder) as half:
        shutil.copytree(paths.SITE, half, dirs_exist_ok=True, copy_function=shutil.copyfile)
        for entry in site.read_list(paths.SITE):
            for variant in variants.of(entry["sha256"], index, paths.VARIANTS):
                shutil.copyfile(variant.path, half / (entry["path"] + variants.SUFFIXES[variant.encoding]))
    return files.size_of(folder)


def refuse_foreign(folder: Path) -> None:
    """Raises SetupError unless folder is new, empty, or holds nothing but an earlier build."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise SetupError(f"--build {folder}: that is a file; name a folder")
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    foreign = sorted(present - _built(folder))
    if foreign:
        raise SetupError(f"--build {folder}: the folder holds {foreign[0]}, which no build made; name an empty folder or another one")


def _built(folder: Path) -> set[str]:
    try:
        names = {entry["path"] for entry in site.read_list(folder)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {site.LIST, *names, *(name + suffix for name in names | {site.LIST} for suffix in variants.SUFFIXES.values())}
