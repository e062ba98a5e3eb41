"""The step Take on real photos: the receipt, both models, and the code that the page shows for each, run as it stands."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from tests.browser import ort_web
from tests.browser.conftest import TRASH, FirstRun
from tests.browser.looks import look
from tests.browser.test_page_first_run import class_of, difference

pytestmark = pytest.mark.browser

CHECK_MS = 60_000  # 60 photos take 3 to 10 s
PHOTOS = sorted(TRASH.glob("test/*/*.jpg"))

# Largest difference of a probability between the page and the file elsewhere, by input. "tensor" in Python: the same pixels, float32 in
# another order; the export's promise. "picture": a pixel in thousands is one gray level beside Pillow's, 7e-5 measured.
SAME = {"tensor": 1e-4, "picture": 2e-3}
# In JavaScript the browser decodes, with a JPEG decoder and colours of its own. Measured in Chromium 156: 1e-4; others may lie further off.
SAME_IN_BROWSER = 2e-3


@dataclass(frozen=True)
class Taken:
    """One of the two models as saved, what the page then said, and the code beside it."""

    path: Path
    receipt: dict[str, str]
    big: str
    claim: str
    foot: str
    sha256: str
    code: dict[str, str]


def wait_checked(run: FirstRun) -> None:
    expect(run.studio.page.locator(".receipt__claim")).to_have_text("same answers as here", timeout=CHECK_MS)


def taken(run: FirstRun, choice: str, folder: Path) -> Taken:
    studio, page = run.studio, run.studio.page
    studio.go("Take")
    page.get_by_role("radio", name=re.compile(choice)).check()
    wait_checked(run)
    download = studio.save("Save the model")
    path = folder / download.suggested_filename
    download.save_as(path)
    page.get_by_role("button", name="Back to the files").click()
    receipt = page.get_by_role("region", name="Receipt")
    code = {}
    for language in ("Python", "JavaScript"):
        page.get_by_role("tab", name=language).click()
        code[language] = page.get_by_role("region", name=f"{language} code").inner_text()
    return Taken(
        path,
        dict(zip(receipt.locator("dt").all_inner_texts(), receipt.locator("dd").all_inner_texts(), strict=True)),
        receipt.locator(".receipt__big").inner_text(),
        receipt.locator(".receipt__claim").inner_text(),
        receipt.locator(".receipt__foot").inner_text(),
        receipt.locator(".receipt__hash").get_attribute("title"),
        code,
    )


@pytest.fixture(scope="module")
def models(first_run: FirstRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Taken]]:
    """Both, saved one after the other; the page is left as it was."""
    folder = tmp_path_factory.mktemp("both")
    return {"picture": taken(first_run, "Any picture", folder), "tensor": taken(first_run, "A prepared picture", folder)}


@pytest.mark.parametrize("kind", ["tensor", "picture"])
def test_receipt(models: dict[str, Taken], kind: str) -> None:
    """What the sheet says is true of the saved file: its hash, its size, that it is the file that was asked, its receipt behind."""
    one = models[kind]
    data = one.path.read_bytes()
    right, asked = map(int, one.big.split("/"))
    assert right == asked >= 60
    assert one.claim == "same answers as here"
    assert one.receipt["File"] == one.path.name
    assert one.receipt["Size"] == f"{len(data) / 1e6:.1f}\u00a0MB"
    assert one.receipt["Classes"] == "6"
    assert one.receipt["Picture in"] == {"tensor": "224 x 224, RGB", "picture": "any size, RGB"}[kind]
    assert hashlib.sha256(data).hexdigest() == one.sha256
    inside = {entry.key: entry.value for entry in onnx.load_from_string(data).metadata_props}
    receipt = json.loads(inside["pagetrain.receipt"])
    assert hashlib.sha256(data[: receipt["bytes"]]).hexdigest() == receipt["sha256"]
    assert (receipt["pictures"], receipt["same"], receipt["tolerance"]) == (asked, right, SAME[kind])
    assert float(one.receipt["Largest difference"]) == pytest.approx(receipt["largest_difference"], rel=0.5)
    assert receipt["largest_difference"] <= SAME[kind]


def test_the_model_that_takes_pictures(first_run: FirstRun, models: dict[str, Taken], capsys: pytest.CaptureFixture[str]) -> None:
    """onnxruntime, given the photo's pixels as they are: the page's probabilities for every photo, and a valid model."""
    onnx.checker.check_model(onnx.load(str(models["picture"].path)), full_check=True)
    session = onnxruntime.InferenceSession(str(models["picture"].path), providers=["CPUExecutionProvider"])
    labels = json.loads(session.get_modelmeta().custom_metadata_map["pagetrain.labels"])
    tried = {one["name"]: one["answers"] for one in first_run.studio.tried()}
    differences = []
    for photo in PHOTOS:
        (probabilities,) = session.run(["probabilities"], {"image": np.asarray(Image.open(photo).convert("RGB"))})
        differences.append(difference(tried[photo.name], dict(zip(labels, map(float, probabilities[0]), strict=True))))
    with capsys.disabled():
        print(f"\n  model that takes pictures against the page, {len(differences)} photos: largest difference {max(differences):.1e}")
    assert max(differences) < SAME["picture"]


@pytest.mark.parametrize("kind", ["tensor", "picture"])
def test_the_python_that_the_page_shows(first_run: FirstRun, models: dict[str, Taken], tmp_path: Path, kind: str) -> None:
    """Run as it stands beside the saved model, it prints the page's answers, and "none of these" where Try says so."""
    one = models[kind]
    assert f'InferenceSession("{one.path.name}")' in one.code["Python"]
    shutil.copyfile(one.path, tmp_path / one.path.name)
    none_below = first_run.studio.page.evaluate("inside.trainer((pt) => pt.noneBelow)")
    tried = {result["name"]: result["answers"] for result in first_run.studio.tried()}
    sure = max(tried, key=lambda name: max(tried[name].values()))
    unsure = min(tried, key=lambda name: max(tried[name].values()))
    for photo in (sure, unsure):
        shutil.copyfile(TRASH / "test" / class_of(photo) / photo, tmp_path / "photo.jpg")
        ran = subprocess.run([sys.executable, "-c", one.code["Python"]], cwd=tmp_path, capture_output=True, text=True, check=True)
        lines = ran.stdout.splitlines()
        says_none = max(tried[photo].values()) < none_below
        assert (lines[0] == "none of these") is says_none
        printed = {label: float(share.rstrip("%")) / 100 for share, label in (line.split() for line in lines[says_none:])}
        assert printed == pytest.approx(tried[photo], abs=0.0005 + SAME[kind])  # three digits are printed


@pytest.mark.parametrize("kind", ["tensor", "picture"])
def test_the_javascript_that_the_page_shows(
    first_run: FirstRun, models: dict[str, Taken], browser: Browser, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run as it stands by onnxruntime-web in this browser, it gives the page's probabilities, and "none of these" where Try says so."""
    tried = {one["name"]: one["answers"] for one in first_run.studio.tried()}
    none_below = first_run.studio.page.evaluate("inside.trainer((pt) => pt.noneBelow)")
    with ort_web.running(browser, tmp_path, models[kind].code["JavaScript"], models[kind].path) as page:
        found = ort_web.predictions(page, PHOTOS)
    differences = [difference(tried[photo.name], one["answers"]) for photo, one in zip(PHOTOS, found, strict=True)]
    with capsys.disabled():
        print(
            f"\n  onnxruntime-web, {kind}, {len(found)} photos: largest difference {max(differences):.1e}, mean {np.mean(differences):.1e}"
        )
    assert max(differences) < SAME_IN_BROWSER
    for photo, one in zip(PHOTOS, found, strict=True):
        answers = tried[photo.name]
        best = max(answers, key=answers.get)
        if abs(answers[best] - none_below) > SAME_IN_BROWSER:
            assert (one["best"] == "none of these") is (answers[best] < none_below)
    assert {one["best"] == "none of these" for one in found} == {True, False}  # both happen among these photos


def test_how_it_looks(first_run: FirstRun, models: dict[str, Taken]) -> None:
    """With the other model chosen, and with the code in JavaScript."""
    page = first_run.studio.page
    page.get_by_role("radio", name=re.compile("Any picture")).check()
    wait_checked(first_run)
    page.get_by_role("tab", name="JavaScript").click()
    look(page, "take-any-size")
    page.get_by_role("tab", name="Python").click()
    page.get_by_role("radio", name=re.compile("A prepared picture")).check()
    wait_checked(first_run)
