"""A picture on the clipboard and Ctrl+V, as a person does it: into Unsorted, into the class where the focus is, and on Try."""

import base64
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.pictures import class_folder, patterned
from tests.browser.studio import READ_MS, Studio

pytestmark = pytest.mark.browser

# What "Copy image" does in another window. Browsers write the pixels anew, so the bytes are others, and the name is theirs.
COPY = """async (data) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
}"""
COPY_BOTH = """async ([data, text]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const both = { "image/png": new Blob([bytes], { type: "image/png" }), "text/plain": new Blob([text], { type: "text/plain" }) };
  await navigator.clipboard.write([new ClipboardItem(both)]);
}"""
TRUSTED = """() => {
  window.pastes = [];
  document.addEventListener("paste", ({ isTrusted }) => pastes.push(isTrusted), { capture: true });
}"""


@pytest.fixture
def pasting(quick: Studio) -> Iterator[Studio]:
    """A page that may write to the clipboard; at the end each of its pastes was the browser's own."""
    quick.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    quick.page.evaluate(TRUSTED)
    yield quick
    pastes = quick.page.evaluate("pastes")
    assert pastes
    assert all(pastes)


def paste(studio: Studio, picture: bytes) -> None:
    studio.page.evaluate(COPY, base64.b64encode(picture).decode())
    studio.page.keyboard.press("Control+V")


def pixels(studio: Studio, file: str) -> list[list[int]]:
    """RGB of the first and the last pixel of a picture that the page holds."""
    return studio.page.evaluate(
        f"""async () => {{
          const bitmap = await createImageBitmap({file});
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          context.drawImage(bitmap, 0, 0);
          const {{ data }} = context.getImageData(0, 0, bitmap.width, bitmap.height);
          return [[...data.slice(0, 3)], [...data.slice(-4, -1)]];
        }}"""
    )


def test_into_unsorted_and_into_a_class(pasting: Studio) -> None:
    """Pasted anywhere a picture waits in Unsorted; with the focus in a class, on its name or on a picture of it, it is of that class."""
    page = pasting.page
    paste(pasting, patterned("red", 1))
    pasting.wait_read("1 added")
    expect(page.get_by_role("region", name="Unsorted").get_by_role("button", name="Unsorted, picture 1")).to_be_visible()
    assert pasting.class_counts() == {"Class 1": 0, "Class 2": 0}
    pasting.roll("Class 2").get_by_role("textbox", name="Class name").focus()
    paste(pasting, patterned("red", 2))
    expect(pasting.roll("Class 2").get_by_role("button", name="Class 2, picture 1")).to_be_visible(timeout=READ_MS)
    assert pasting.roll("Class 2").get_by_role("textbox", name="Class name").input_value() == "Class 2"
    pasting.roll("Class 2").get_by_role("button", name="Class 2, picture 1").focus()
    paste(pasting, patterned("blue", 3))
    expect(pasting.roll("Class 2").get_by_role("button", name="Class 2, picture 2")).to_be_visible(timeout=READ_MS)
    pasting.wait_read("1 added")
    assert pasting.class_counts() == {"Class 1": 0, "Class 2": 2}
    expect(pasting.report).to_contain_text("Class 2 1")
    assert pixels(pasting, "[...inside.state.pictures.values()].at(-1).file") == corners(patterned("blue", 3))


def test_text_stays_text(pasting: Studio) -> None:
    """Text that is pasted into a class's name is its name, and nothing is taken in."""
    page = pasting.page
    box = pasting.roll("Class 1").get_by_role("textbox", name="Class name")
    page.evaluate("navigator.clipboard.writeText('daisy')")
    box.focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+V")
    expect(box).to_have_value("daisy")
    page.keyboard.press("Enter")
    assert pasting.class_names() == ["daisy", "Class 2"]
    assert page.evaluate("inside.state.drops.length + inside.state.pictures.size") == 0


def test_a_table_s_cells_are_text_where_text_is_written(pasting: Studio) -> None:
    """Tables and text programs copy text with a picture of it: a name gets the text; a class gets the picture where nothing is written."""
    page = pasting.page
    box = pasting.roll("Class 1").get_by_role("textbox", name="Class name")
    box.focus()
    page.keyboard.press("Control+A")
    page.evaluate(COPY_BOTH, [base64.b64encode(patterned("red", 5)).decode(), "daisy"])
    page.keyboard.press("Control+V")
    expect(box).to_have_value("daisy")
    page.keyboard.press("Enter")
    assert page.evaluate("inside.state.drops.length + inside.state.pictures.size") == 0
    pasting.roll("daisy").get_by_role("button", name="Remove daisy").focus()
    page.keyboard.press("Control+V")
    pasting.wait_read("1 added")
    assert pasting.class_counts() == {"daisy": 1, "Class 2": 0}


def test_on_try(pasting: Studio, tmp_path: Path) -> None:
    """On Try it is asked about, and not collected."""
    pasting.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    pasting.wait_read("12 added")
    pasting.train()
    pasting.go("Try")
    paste(pasting, patterned("blue", 40))
    pasting.page.wait_for_function("() => inside.state.tries.results[0]?.answers", timeout=READ_MS)
    assert pixels(pasting, "inside.state.tries.results[0].file") == corners(patterned("blue", 40))
    expect(pasting.page.locator(".big-print img")).to_be_visible()
    assert len(pasting.tried()) == 1
    assert pasting.page.evaluate("inside.state.pictures.size") == 12


def corners(picture: bytes) -> list[list[int]]:
    with Image.open(BytesIO(picture)) as opened:
        return [list(opened.getpixel(at)) for at in ((0, 0), (opened.width - 1, opened.height - 1))]
