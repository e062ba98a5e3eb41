"""The page in German: chosen by the browser or in the foot, with nothing left in English on the way, and the work kept."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from sitebuild.site import WEB
from tests.browser.dropping import drop
from tests.browser.keeping import wait_saved
from tests.browser.looks import look
from tests.browser.pictures import class_folder
from tests.browser.studio import READ_MS, START_MS, TRAIN_MS, Opener, Studio

pytestmark = pytest.mark.browser

# Every text that can be seen, and those that only a screen reader says. Code stays as it is, and a language has its own name.
TEXTS = """() => {
  const asItIs = "code, pre, script, style, .fault__code, .code, [aria-pressed][lang]";
  const said = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || element.closest(asItIs)) continue;
    for (const { nodeType, data } of element.childNodes) if (nodeType === Node.TEXT_NODE) said.push(data);
    for (const name of ["aria-label", "alt", "placeholder", "title"]) said.push(element.getAttribute(name) ?? "");
  }
  return [document.title, ...said].map((text) => text.trim()).filter(Boolean);
}"""


def words_of(language: str) -> set[str]:
    """The words in a language's file that are no names of the code: keys, and what stands in ${}."""
    source = (WEB / f"page/texts/{language}.js").read_text(encoding="utf-8").replace("\\u00a0", " ")
    source = re.sub(r"(?s:/\*\*.*?\*/)|\$\{[^{}`]*\}|^\s*[\w\"-]+:|^import.*$", " ", source, flags=re.MULTILINE)
    return set(re.findall(r"[^\W\d_]{3,}", source))


ENGLISH = words_of("en") - words_of("de")


def english_in(page: Page) -> list[str]:
    """Texts on the page with a word that only the English file has."""
    return [text for text in page.evaluate(TEXTS) if ENGLISH & set(re.findall(r"[^\W\d_]{3,}", text))]


def language(page: Page, name: str) -> Locator:
    return page.get_by_role("contentinfo").get_by_role("button", name=name, exact=True)


def next_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Weiter").get_by_role("button").last


def test_all_the_way_in_german(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """Begun in English, switched: the same pictures in the same classes; then trained, looked at, tried and taken in German alone."""
    studio = visit().wait_ready(offline=False)
    page = studio.page
    red, blue = class_folder(tmp_path, "rot", "red", 6), class_folder(tmp_path, "blau", "blue", 6)
    studio.drop(red, blue)
    studio.wait_read("12 added")
    assert english_in(page)
    wait_saved(studio, 12)
    language(page, "Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    names = page.get_by_role("textbox", name="Name der Klasse")
    expect(names).to_have_count(2)
    assert sorted(box.input_value() for box in names.all()) == ["blau", "rot"]
    (blue / "brief.jpg").write_bytes(b"Liebe Leute")
    drop(page, [blue], None)
    expect(page.locator("header button").first).to_contain_text("Versiegelt, 0", timeout=START_MS)
    expect(studio.report.locator("summary")).to_contain_text("1 ausgelassen", timeout=READ_MS)
    look(page, "de-collect")
    assert english_in(page) == []
    expect(next_of(page)).to_be_enabled()
    next_of(page).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("richtig", timeout=TRAIN_MS)
    page.get_by_text("Für Fortgeschrittene").click()
    look(page, "de-train")
    assert english_in(page) == []
    for step in ("Ansehen", "Probieren", "Mitnehmen"):
        page.get_by_role("navigation", name="Schritte").get_by_role("link", name=re.compile(f"{step}$")).click()
        expect(page).to_have_title(re.compile(f"^{step} "))
        if step == "Probieren":
            drop(page, [next(red.glob("*.png"))], None)
            expect(page.locator(".answer").first).to_be_visible(timeout=READ_MS)
        if step == "Mitnehmen":
            expect(page.get_by_role("button", name="Modell speichern")).to_be_enabled(timeout=READ_MS)
        look(page, f"de-{step.lower()}")
        assert english_in(page) == []
    page.locator("header button").first.click()
    assert english_in(page) == []


@pytest.mark.parametrize("wishes, spoken", [("de-AT", "de"), ("fr-FR", "en"), ("en-GB", "en")])
def test_the_browser_says_which(new_studio: Opener, wishes: str, spoken: str) -> None:
    """Its first wish that is spoken here. Its texts come first; those of the others later, to be kept."""
    studio = new_studio(locale=wishes)
    page = studio.page
    page.goto(studio.server.url)
    expect(page.get_by_role("contentinfo").get_by_role("button", pressed=True)).to_have_attribute("lang", spoken)
    expect(page.locator("html")).to_have_attribute("lang", spoken)
    assert next(target for _, target, _ in studio.server.requests if "/texts/" in target) == f"/page/texts/{spoken}.js"


def test_what_was_chosen_stays(visit: Callable[[], Studio]) -> None:
    """Also against what an earlier address said, and on the step where the person was; the address alone holds for one visit."""
    page = visit().page
    page.goto(page.url.split("#")[0] + "?lang=de#take")
    expect(page).to_have_title(re.compile("^Mitnehmen"))
    language(page, "English").click()
    expect(page).to_have_title(re.compile("^Take"))
    assert "lang" not in page.url
    page.goto(page.url.split("#")[0] + "?lang=de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.goto(page.url.split("?")[0])
    expect(language(page, "English")).to_have_attribute("aria-pressed", "true")


def test_work_is_not_broken_off_unasked(visit: Callable[[], Studio], tmp_path: Path) -> None:
    """While it trains, the page asks before it is loaded anew; a no changes nothing."""
    studio = visit().wait_ready(offline=False)
    page = studio.page
    studio.drop(class_folder(tmp_path, "red", "red", 6), class_folder(tmp_path, "blue", "blue", 6))
    studio.wait_read("12 added")
    studio.go("Train")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Rounds through all pictures").fill("10000")
    page.get_by_role("button", name="Train with these").click()
    stop = page.get_by_role("button", name="Stop and keep the best")
    expect(stop).to_be_visible()
    language(page, "Deutsch").click()
    page.get_by_role("button", name="Stay here").click()
    expect(stop).to_be_visible()
    stop.click()
    studio.wait_trained()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_languages_by_keyboard(visit: Callable[[], Studio]) -> None:
    """Buttons in a group with a name, each in its own language."""
    page = visit().page
    group = page.get_by_role("group", name="Language")
    assert [(one.inner_text(), one.get_attribute("lang")) for one in group.get_by_role("button").all()] == [
        ("English", "en"),
        ("Deutsch", "de"),
    ]
    language(page, "Deutsch").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Sprache")).to_be_visible()
