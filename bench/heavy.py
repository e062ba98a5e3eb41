"""Heavy work: how long the page's main thread is kept, at most, while it does the largest things that a person asks for.

One page, one after another: a photo of 12 megapixels; a zip of class folders of such photos; training; looking at it; the check of the file
to take; training of the last block; the page opened again with all that it kept.
"""

import re
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from PIL import Image, ImageFilter
from playwright.sync_api import Page, sync_playwright

from bench import results
from bench.browser import launched
from bench.growth import NETWORK, WATCH, served
from tests.browser.studio import Studio

CLASSES = ("glass", "metal", "paper", "trash")
SIZE = (4032, 3024)  # 12 megapixels


def run(quick: bool) -> dict[str, Any]:
    """The job of python -m bench: a zip of 200 MB and the real network; quick: of 10, and the tiny one."""
    network, size = ("tiny", 10_000_000) if quick else (NETWORK, 200_000_000)
    with tempfile.TemporaryDirectory() as folder, served(network) as url, sync_playwright() as playwright, launched(playwright) as browser:
        studio = Studio(browser.new_context(locale="en-US"), SimpleNamespace(url=url, requests=[]))
        rows = list(measure(studio, Path(folder), size))
        return {**results.about("heavy"), "browser": f"Chromium {browser.version}", "network": network, "rows": rows}


def table(result: Mapping[str, Any]) -> str:
    """The result as a Markdown table."""
    head = "| | takes, s | longest task, ms (0: none over 50) | tasks over 50 ms | latest timer, ms |\n|---|---|---|---|---|"
    return "\n".join([head, *map(_line, result["rows"])])


def _line(row: Mapping[str, Any]) -> str:
    tasks = row["long_tasks"]
    return f"| {row['what']} | {row['seconds']:.1f} | {max(tasks, default=0):.0f} | {len(tasks)} | {row['latest_timer']:.0f} |"


def measure(studio: Studio, folder: Path, size: int) -> Iterator[dict[str, Any]]:
    """A row for each piece of work; `size` of the zip in bytes."""
    one, archive = folder / "one.jpg", folder / "photos.zip"
    one.write_bytes(_photo(0, folder))
    count = _write_zip(archive, folder, size)
    page = studio.page
    page.add_init_script(WATCH)
    studio.open().wait_ready(offline=False)
    yield _timed(page, "a photo of 12 megapixels", lambda: _add(studio, one, 1))
    large = f"a zip of {archive.stat().st_size / 1e6:.0f} MB, {count} photos of 12 megapixels"
    yield _timed(page, large, lambda: _add(studio, archive, count))
    yield _timed(page, "training", lambda: _train(studio))
    yield _timed(page, "looking at it", lambda: studio.go("Look"))
    yield _timed(page, "checking the file to take", lambda: _take(studio))
    studio.go("Train")
    page.get_by_text("Advanced", exact=True).click()
    if (choice := page.get_by_label("What learns")).is_visible():  # the tiny network has one way only
        choice.select_option("last-block")
        yield _timed(page, "training the last block", lambda: _train(studio))
    page.wait_for_function("() => inside.state.keeping.phase === 'saved' && inside.state.keeping.left === 0", timeout=60_000)
    began = time.perf_counter()
    studio.open().wait_ready(offline=False)
    page.wait_for_function("count => inside.state.pictures.size === count", arg=count + 1)
    yield _row(page, "opening it again", time.perf_counter() - began)


def _timed(page: Page, what: str, work: Callable[[], Any]) -> dict[str, Any]:
    page.evaluate("() => { watched.tasks = []; watched.late = 0; }")
    began = time.perf_counter()
    work()
    return _row(page, what, time.perf_counter() - began)


def _row(page: Page, what: str, seconds: float) -> dict[str, Any]:
    page.wait_for_timeout(1000)  # what the work leaves behind
    watched = page.evaluate("watched")
    tasks = [duration for _, duration in watched["tasks"]]
    return {"what": what, "seconds": seconds, "long_tasks": tasks, "latest_timer": watched["late"]}


def _add(studio: Studio, path: Path, pictures: int) -> None:
    studio.drop(path)
    studio.page.wait_for_timeout(200)
    ended = "count => inside.state.listings.size === 0 && inside.state.drops[0]?.total === count && inside.state.drops[0].took !== null"
    studio.page.wait_for_function(ended, arg=pictures, timeout=600_000)


def _train(studio: Studio) -> None:
    if not studio.page.title().startswith("Train"):
        studio.go("Train")
    page = studio.page
    page.get_by_role("button", name=re.compile("^Train( with these)?$")).last.click()
    page.wait_for_function("() => inside.state.training.phase === 'running'", timeout=60_000)
    page.wait_for_function("() => inside.state.training.phase === 'done'", timeout=600_000)


def _take(studio: Studio) -> None:
    studio.go("Take")
    studio.page.wait_for_function("() => ['same', 'differs'].includes(inside.state.take.check?.phase)", timeout=300_000)


def _photo(seed: int, folder: Path) -> bytes:
    """A JPEG of smooth noise, of about 3 MB, as cameras make them."""
    coarse = np.random.default_rng(seed).integers(0, 256, (95, 126, 3), np.uint8)
    picture = Image.fromarray(coarse).resize(SIZE, Image.Resampling.BICUBIC)
    grain = Image.effect_noise(SIZE, 24).filter(ImageFilter.GaussianBlur(0.6))
    path = folder / "photo.jpg"
    Image.blend(picture, Image.merge("RGB", (grain,) * 3), 0.25).save(path, quality=90)
    return path.read_bytes()


def _write_zip(path: Path, folder: Path, size: int) -> int:
    """How many photos it took."""
    count = 0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        while path.stat().st_size < size:
            count += 1
            archive.writestr(f"{CLASSES[count % len(CLASSES)]}/{count}.jpg", _photo(count, folder))
    return count
