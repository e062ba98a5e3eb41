"""Zips of class folders: dropped, chosen and pasted; each entry that cannot be used is named with its zip."""

import base64
import re
import zipfile
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests import odd_zips
from tests.browser.studio import READ_MS, Studio
from tests.odd_files import photo

pytestmark = pytest.mark.browser

PASTE = """([name, data]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], name, { type: "application/zip" }));
  document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
}"""


def flowers(count: int = 3) -> dict[str, bytes]:
    return {f"{name}/{n}.jpg": photo(100 * k + n) for k, name in enumerate(("rose", "tulip")) for n in range(count)}


def zipped(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def rows(studio: Studio) -> set[tuple[str, str]]:
    """Name and zip of each skipped entry, as a person reads them."""
    terms = studio.report.locator(".is-skipped dt").all()
    return {tuple(term.locator("bdi").all_text_contents()) for term in terms}


def test_ways_in(quick: Studio, tmp_path: Path) -> None:
    """The same zip through the picker, and as a paste: its folders become classes, its pictures are there, prints too, and it trains."""
    data = odd_zips.plain(flowers())
    quick.choose([zipped(tmp_path, "flowers.zip", data)])
    quick.wait_read("6 added")
    assert quick.class_counts() == {"rose": 3, "tulip": 3}
    expect(quick.page.locator(".rolls img")).to_have_count(6, timeout=READ_MS)
    quick.page.evaluate(PASTE, ["flowers.zip", base64.b64encode(data).decode()])
    quick.wait_read("6 were there already")
    quick.train()
    quick.go("Try")
    quick.drop(zipped(tmp_path, "unseen.zip", odd_zips.plain({"a/1.jpg": photo(7), "b/2.jpg": photo(8)})))
    quick.page.wait_for_function(
        "() => inside.state.tries.results.length === 2 && inside.state.tries.results.every(({ answers }) => answers)"
    )
    assert [one["name"] for one in quick.tried()] == ["1.jpg", "2.jpg"]


def test_onto_a_class_and_in_a_folder(quick: Studio, tmp_path: Path) -> None:
    """Dropped onto a class all its pictures are of that class; inside a folder it is a part of the folder."""
    quick.drop(zipped(tmp_path, "flowers.zip", odd_zips.plain(flowers())), onto=quick.rolls.first)
    quick.wait_read("6 added")
    assert quick.class_counts() == {"Class 1": 6, "Class 2": 0}
    (tmp_path / "daisy").mkdir()
    quick.drop(zipped(tmp_path / "daisy", "more.zip", odd_zips.plain({"1.jpg": photo(50), "2.jpg": photo(51)})).parent)
    quick.wait_read("2 added")
    assert quick.class_counts()["more"] == 2


def test_kinds_of_zips(quick: Studio, tmp_path: Path) -> None:
    """Stored without packing; with ZIP64 sizes; with backslashes; with the code page of old zips: all are read."""
    zipped(tmp_path, "stored.zip", odd_zips.plain({"stored/1.jpg": photo(1)}, zipfile.ZIP_STORED))
    zipped(tmp_path, "zip64.zip", odd_zips.zip64("zip64/1.jpg", photo(2)))
    data = photo(3)
    zipped(tmp_path, "windows.zip", odd_zips.by_hand(b"windows\\1.jpg", odd_zips.deflated(data), len(data), zlib.crc32(data)))
    data = photo(4)
    zipped(tmp_path, "old.zip", odd_zips.by_hand("größe/1.jpg".encode("cp437"), odd_zips.deflated(data), len(data), zlib.crc32(data)))
    quick.drop(*sorted(tmp_path.glob("*.zip")))
    quick.wait_read("4 added")
    assert quick.class_counts() == dict.fromkeys(["größe", "stored", "windows", "zip64"], 1)


def test_entries_that_cannot_be_used(quick: Studio, tmp_path: Path) -> None:
    """Larger than it says, with another's checksum, no picture, packed in an unknown way: named, with their zip; others go on."""
    data = photo(5)
    zipped(tmp_path, "liar.zip", odd_zips.lying("liar/bomb.jpg"))
    zipped(tmp_path, "flipped.zip", odd_zips.by_hand(b"flipped/1.jpg", odd_zips.deflated(data), len(data), zlib.crc32(data) ^ 1))
    zipped(tmp_path, "strange.zip", odd_zips.by_hand(b"strange/1.jpg", data, len(data), zlib.crc32(data), method=97))
    zipped(tmp_path, "good.zip", odd_zips.plain({**flowers(), "notes.txt": b"notes", "rose/letter.jpg": b"Dear Sir or Madam"}))
    quick.drop(*sorted(tmp_path.glob("*.zip")))
    quick.wait_read("6 added", "5 skipped")
    assert rows(quick) == {
        ("bomb.jpg", "liar.zip"),
        ("1.jpg", "flipped.zip"),
        ("1.jpg", "strange.zip"),
        ("notes.txt", "good.zip"),
        ("letter.jpg", "good.zip"),
    }
    text = quick.report.inner_text()
    assert text.count("Damaged or cut off.") == 2
    assert text.count("Not a picture.") == 2
    assert "Packed in a way that cannot be read here." in text


def test_hundreds_of_refused_entries(quick: Studio, tmp_path: Path) -> None:
    """Each is named in the end, with its zip, some at a time."""
    letters = {f"letters/{n}.jpg": b"Dear Sir or Madam %d" % n for n in range(260)}
    quick.drop(zipped(tmp_path, "letters.zip", odd_zips.plain({**letters, **flowers()})))
    quick.wait_read("6 added", "260 skipped")
    quick.report.get_by_role("button", name=re.compile("^Show 200 more")).click()
    quick.report.get_by_role("button", name="Show all 260").click()
    expect(quick.report.locator(".is-skipped")).to_have_count(260)
    assert rows(quick) == {(f"{n}.jpg", "letters.zip") for n in range(260)}
