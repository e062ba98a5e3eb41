"""Thousands of pictures in a zip, photos of 12 megapixels: the page answers meanwhile, and cancel ends it, wherever it is just then."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.many_pictures import class_folders
from tests.browser.studio import READ_MS, Studio

pytestmark = [pytest.mark.browser, pytest.mark.alone]

WATCH = """() => {
  window.watched = { longest: 0, progress: new Set() };
  const longer = (list) => { for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration); };
  new PerformanceObserver(longer).observe({ type: "longtask" });
  const note = ({ target }) => target.getAttribute("role") === "progressbar" && watched.progress.add(target.getAttribute("aria-valuenow"));
  new MutationObserver((changes) => changes.forEach(note)).observe(document.body, { subtree: true, attributeFilter: ["aria-valuenow"] });
}"""


def write_zip(path: Path, files: Iterator[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return path


def large_photos(folder: Path, count: int) -> list[Path]:
    """Photos of 12 megapixels, each another."""
    folder.mkdir()
    for number in range(count):
        picture = Image.linear_gradient("L").rotate(7 * number).resize((4032, 3024)).convert("RGB")
        picture.save(folder / f"{number}.jpg", quality=60)
    return sorted(folder.iterdir())


def test_two_thousand_in_a_zip(quick: Studio, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All are added while the bar moves, and the page is used meanwhile; how long its longest task was is printed."""
    folders = class_folders(tmp_path / "photos", ["glass", "metal"], 1000, whole=0.1)
    files = ((f"{path.parent.name}/{path.name}", path.read_bytes()) for folder in folders for path in sorted(folder.iterdir()))
    archive = write_zip(tmp_path / "many.zip", files)
    quick.page.evaluate(WATCH)
    quick.drop(archive)
    quick.page.get_by_role("button", name="Cancel the rest").wait_for(timeout=READ_MS)
    quick.go("Train")
    quick.go("Collect")
    quick.wait_read("2,000 added")
    assert quick.class_counts() == {"glass": 1000, "metal": 1000}
    assert quick.page.evaluate("watched.progress.size") >= 3
    assert quick.page.evaluate(
        "[...inside.state.pictures.values()].every(({ file }) => !(file instanceof Blob))"
    )  # nothing unpacked is kept
    with capsys.disabled():
        print(f"\n  2,000 pictures through a zip: the longest task took {quick.page.evaluate('watched.longest'):.0f} ms (0: none over 50)")


def test_cancelled_while_a_zip_is_listed(quick: Studio, tmp_path: Path) -> None:
    """Nothing of it is added, and the page goes on: the next drop is read."""
    archive = write_zip(tmp_path / "many.zip", ((f"a/{number}.jpg", b"%d" % number) for number in range(45_000)))
    quick.drop(archive)
    looking = quick.page.get_by_text(re.compile("^Looking through what you dropped"))
    expect(looking).to_be_visible()
    quick.page.get_by_role("button", name="Cancel", exact=True).click()
    expect(looking).to_be_hidden()
    assert quick.page.evaluate("inside.state.pictures.size + inside.state.drops.length") == 0
    quick.drop(*class_folders(tmp_path, ["glass"], 2))
    quick.wait_read("2 added")


@pytest.mark.parametrize("packed", [False, True], ids=["files", "zip"])
def test_cancelled_while_large_photos_are_decoded(quick: Studio, tmp_path: Path, packed: bool) -> None:
    """The account is complete at once, the one under way included; and what was cancelled is really gone: dropped again, it is added."""
    photos = large_photos(tmp_path / "large", 6)
    drop = (
        [write_zip(tmp_path / "large.zip", ((f"large/{path.name}", path.read_bytes()) for path in photos))]
        if packed
        else [tmp_path / "large"]
    )
    quick.drop(*drop)
    quick.page.wait_for_function("() => [...inside.state.pictures.values()].some(({ reading }) => reading === 'reading')")
    quick.page.get_by_role("button", name="Cancel the rest").click()
    quick.wait_read("cancelled")
    assert quick.page.evaluate("inside.state.drops[0].open.size") == 0
    kept = quick.page.evaluate("inside.state.pictures.size")
    added, cancelled = (int(n) for n in re.search(r"(\d+) added.* (\d+) cancelled", quick.report.inner_text(), re.DOTALL).groups())
    assert (added, added + cancelled) == (kept, 6)
    quick.drop(*drop)
    quick.wait_read(f"{6 - kept} added")
    assert quick.class_counts()["large"] == 6
