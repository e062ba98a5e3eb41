"""The step Take where the file does not answer like the page, where the check is stopped, and where it cannot be made."""

import json
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from playwright.sync_api import expect

from tests.browser.looks import look
from tests.browser.pictures import class_folder
from tests.browser.studio import Studio

pytestmark = pytest.mark.browser

# The page's trainer hands out the file with other bytes from `at` on, until `mend()`.
TAMPER = """
([at, values]) => inside.trainer((pt) => {
  const real = pt.exportModel;
  pt.exportModel = async (options) => {
    const bytes = new Uint8Array(await (await real.call(pt, options)).arrayBuffer());
    bytes.set(values, at);
    return new Blob([bytes]);
  };
  window.mend = () => { pt.exportModel = real; };
})
"""
# The trainer answers about one picture after another only when the test says so.
SLOW = """
() => inside.trainer((pt) => {
  const real = pt.checkExported;
  const gate = new Promise((resolve) => { window.open_gate = resolve; });
  const slow = (one) => ({ ...one, file: () => gate.then(one.file) });
  pt.checkExported = (file, pictures, options) => real.call(pt, file, pictures.map(slow), options);
  window.mend = () => { pt.checkExported = real; };
})
"""


@pytest.fixture
def trained(quick: Studio, tmp_path: Path) -> Studio:
    """Two classes, one of them under its own name, learnt."""
    quick.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    quick.wait_read("12 added")
    quick.go("Train")
    quick.train()
    return quick


def bias_at(studio: Studio) -> int:
    """Where the head's bias of the second class lies in the exported file."""
    model = "inside.trainer(async (pt) => [...new Uint8Array(await (await pt.exportModel()).arrayBuffer())])"
    data = bytes(studio.page.evaluate(model))
    bias = next(onnx.numpy_helper.to_array(one) for one in onnx.load_from_string(data).graph.initializer if one.dims == [2])
    assert data.count(bias.tobytes()) == 1
    return data.index(bias.tobytes()) + bias.itemsize


def test_a_file_that_answers_otherwise_is_held_back(trained: Studio, tmp_path: Path) -> None:
    """It is not offered: the page says how many differ and shows them; it can be made again, reported, and saved all the same."""
    page = trained.page
    page.evaluate(TAMPER, [bias_at(trained), list(np.float32(1000).tobytes())])  # it says the second class of everything
    trained.go("Take")
    expect(page.get_by_role("heading", name="We hold the file back")).to_be_visible()
    receipt = page.get_by_role("region", name="Receipt")
    differing = page.get_by_role("list", name="Pictures that get another answer").get_by_role("listitem")
    expect(differing.nth(5)).to_be_visible()  # of 12: at least those of the other class
    count = differing.count()
    expect(receipt.locator(".receipt__claim")).to_have_text(f"{count}\u00a0answers differ")
    assert receipt.locator(".receipt__big").inner_text() == f"{12 - count}/12"
    assert receipt.locator("dt").all_inner_texts() == ["Largest difference", "File", "Checked"]
    expect(page.get_by_role("button", name="Save the model")).to_have_count(0)
    expect(page.get_by_role("region", name="Python code")).to_have_count(0)
    look(page, "take-differs")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy details").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    details = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert (details["pictures"], details["same"], len(details["differing"])) == (12, 12 - count, count)
    assert "png" not in json.dumps(details)
    held = trained.save("Save it anyway")
    held.save_as(tmp_path / "held.onnx")
    assert not [one for one in onnx.load(str(tmp_path / "held.onnx")).metadata_props if one.key == "pagetrain.receipt"]
    page.evaluate("mend()")
    page.get_by_role("button", name="Make it again").click()
    expect(receipt.locator(".receipt__claim")).to_have_text("same answers as here")
    expect(page.get_by_role("button", name="Save the model")).to_be_enabled()


def test_a_damaged_file_is_not_offered(trained: Studio) -> None:
    """What cannot be opened again is said, with details; nothing is saved until it can."""
    page = trained.page
    page.evaluate(TAMPER, [0, [255] * 64])
    with trained.complaining("not an ONNX model"):
        trained.go("Take")
        expect(page.get_by_role("heading", name="The model could not be checked.")).to_be_visible()
    expect(page.get_by_role("button", name="Save the model")).to_have_count(0)
    look(page, "take-failed")
    page.evaluate("mend()")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".receipt__claim")).to_have_text("same answers as here")


def test_the_check_can_be_stopped_and_gives_way(trained: Studio) -> None:
    """Progress is shown; stopped, the file is called unchecked; on another step the trainer is free, and it is checked on return."""
    page = trained.page
    page.evaluate(SLOW)
    trained.go("Take")
    claim = page.locator(".receipt__claim")
    expect(claim).to_have_text("being asked")
    expect(page.get_by_text("Being asked: 0 of 12")).to_be_visible()
    expect(page.get_by_role("button", name="Save the model")).to_be_disabled()
    look(page, "take-checking")
    page.get_by_role("button", name="Stop the check").click()
    page.evaluate("open_gate()")
    expect(claim).to_have_text("not checked")
    expect(page.get_by_role("button", name="Save it unchecked")).to_be_visible()
    page.evaluate("mend()")
    page.evaluate(SLOW)
    page.get_by_role("button", name="Check it").click()
    expect(claim).to_have_text("being asked")
    trained.go("Try")
    page.evaluate("open_gate()")
    page.evaluate("mend()")
    assert page.evaluate("() => inside.state.take.check") is None
    assert page.evaluate("() => inside.trainer((pt) => pt.labels.length)") == 2
    trained.go("Take")
    expect(claim).to_have_text("same answers as here")


def test_another_name_or_value_makes_another_file(trained: Studio) -> None:
    """What is written into the file is checked anew after it changed: a class's name, and the value of "none of these"."""
    page = trained.page
    trained.go("Take")
    row = page.locator(".receipt__hash")
    first = row.get_attribute("title")
    trained.go("Collect")
    page.get_by_role("textbox", name="Class name").first.fill("scarlet")
    page.get_by_role("textbox", name="Class name").first.press("Enter")
    trained.go("Take")
    expect(row).not_to_have_attribute("title", re.compile(f"^{first}$"))
    expect(page.locator(".receipt__claim")).to_have_text("same answers as here")
    page.get_by_role("tab", name="Python").focus()
    page.keyboard.press("ArrowRight")
    code = page.get_by_role("region", name="JavaScript code")
    expect(code).to_contain_text("scarlet")
    expect(page.get_by_role("tab", name="JavaScript")).to_be_focused()
