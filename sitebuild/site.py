"""The site as one folder of files, and the list of them."""

import json
import shutil
from pathlib import Path
from typing import Any

from sitebuild import example, files, joining, licenses, page_files, paths, pins, preloads, runtime, zip_reader
from sitebuild.report import Report

LIST = "pagetrain-site.json"  # names every other file of the site; a server serves these and no others
WEB = paths.ROOT / "web"
AS_THEY_ARE = ("favicon.svg", "icons/maskable.svg", "manifest.webmanifest")
PAGE, ZIP_READER, STYLE = "page/main.js", "page/zip_reader.js", "style/page.css"
LANGUAGE, TEXTS = "page/language.js", ("page/texts/en.js", "page/texts/de.js")  # of which a visit uses one


def make(output: Path, _report: Report) -> None:
    _write_page(output)
    shutil.copytree(paths.ARTIFACTS, output / "artifacts", copy_function=shutil.copyfile)
    for part in ("runtime", "licenses"):
        (output / part).mkdir()
    runtime.write(output / "runtime", WEB)
    licenses.write(output / "licenses")
    example.write(output / example.ZIP)
    preloads.insert(output / "index.html", output / "artifacts" / pins.BACKBONE)
    page_files.write(output)
    listed = [
        {"path": _name(path, output), "bytes": path.stat().st_size, "sha256": files.sha256_of(path)} for path in files.files_below(output)
    ]
    text = json.dumps({"format": "pagetrain-site", "version": 1, "files": listed}, indent=1)
    (output / LIST).write_text(text, encoding="utf-8", newline="\n")


def _write_page(output: Path) -> None:
    """index.html with one style sheet and one module, its languages, what reads zips, and pagetrain.js, one module too, for other pages."""
    for module in (PAGE, LANGUAGE, *TEXTS, "pagetrain.js"):
        _write(output / module, joining.modules(WEB, module))
    _write(output / ZIP_READER, zip_reader.module())
    index, styles = joining.styles(WEB, (WEB / "index.html").read_text(encoding="utf-8"), STYLE)
    _write(output / "index.html", index)
    _write(output / STYLE, styles)
    _write(output / page_files.SERVICE_WORKER, (WEB / "service_worker/sw.js").read_text(encoding="utf-8"))
    for name in AS_THEY_ARE:
        _write(output / name, (WEB / name).read_text(encoding="utf-8"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def inputs() -> list[Path]:
    here = Path(__file__).parent
    modules = ("example", "joining", "licenses", "mime_types", "page_files", "preloads", "runtime", "worker_script", "zip_reader")
    return [WEB, here / "notices", example.LICENCE, *example.pictures(), *(here / f"{name}.py" for name in modules)]


def read_list(folder: Path) -> list[dict[str, Any]]:
    """The files of the site in folder: path, bytes and sha256 of each."""
    listed: list[dict[str, Any]] = json.loads((folder / LIST).read_bytes())["files"]
    return listed


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
