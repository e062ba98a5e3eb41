"""The JavaScript that the page shows, on a page of somebody else's: no policy, onnxruntime-web from npm, the saved model beside it."""

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from sitebuild import paths
from tests.browser.hosting import entry_of, entry_of_file
from tests.serving import serving

ORT = paths.NODE_MODULES / "onnxruntime-web" / "dist"
ORT_FILES = ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm")
HTML = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>host</title><link rel="icon" href="data:,">
<script type="importmap">{"imports": {"onnxruntime-web": "./ort/ort.wasm.min.mjs"}}</script></head><body></body></html>"""


@contextmanager
def running(browser: Browser, folder: Path, code: str, model: Path) -> Iterator[Page]:
    """A page that has the code's `predict` as window.predict; the code loads the model by its file's name."""
    entries = {f"/ort/{name}": entry_of_file(ORT / name) for name in ORT_FILES}
    entries["/"] = entry_of(folder / "host.html", HTML.encode())
    entries["/predict.js"] = entry_of(folder / "predict.js", code.encode(), "text/javascript; charset=utf-8")
    entries[f"/{model.name}"] = entry_of_file(model)
    with serving(entries, plain=True) as server:
        page = browser.new_page()
        try:
            page.goto(server.url)
            page.evaluate("async () => { window.predict = (await import(new URL('predict.js', document.baseURI))).predict; }")
            yield page
        finally:
            page.close()


def predictions(page: Page, photos: Sequence[Path]) -> list[dict[str, Any]]:
    """What predict answers, for each photo: {"best", "answers": {label: probability}}."""
    packed = [base64.b64encode(photo.read_bytes()).decode() for photo in photos]
    found = page.evaluate(
        """async (packed) => {
             const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
             const answers = [];
             for (const text of packed) answers.push(await predict(new Blob([bytes(text)])));
             return answers;
           }""",
        packed,
    )
    return [{"best": one["best"], "answers": {answer["label"]: answer["probability"] for answer in one["answers"]}} for one in found]
