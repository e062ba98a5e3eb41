"""The page before Python is there, and when something on the way did not arrive."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import TRASH
from tests.browser.studio import START_MS, Opener

pytestmark = pytest.mark.browser


def test_usable_before_python(new_studio: Opener) -> None:
    """With the runtime held back, classes are named, added and removed, photos dropped and shown; all is read once Python comes."""
    studio = new_studio()
    held: list[Route] = []
    holding = [True]
    studio.page.route("**/runtime/**", lambda route: held.append(route) if holding else route.continue_())
    studio.open()
    first = studio.page.get_by_role("textbox", name="Class name").first
    first.fill("Glass")
    first.press("Enter")
    studio.page.get_by_role("button", name="Add a class").click()
    studio.page.keyboard.type("Paper")
    studio.page.keyboard.press("Enter")
    studio.page.get_by_role("button", name="Remove Class 2").click()
    assert studio.class_counts() == {"Glass": 0, "Paper": 0}
    studio.drop(TRASH / "train/glass/glass-01.jpg", onto=studio.roll("Glass"))
    studio.drop(TRASH / "train/paper/paper-01.jpg", onto=studio.roll("Paper"))
    expect(studio.page.locator(".rolls img")).to_have_count(2)
    expect(studio.report).to_contain_text("1 waiting")
    expect(studio.next_words).to_contain_text("Waits for the trainer to load.")
    assert studio.page.get_by_role("region", name="Getting ready").is_visible()
    holding.clear()
    for route in held:
        route.continue_()
    studio.wait_ready()
    studio.wait_read("1 added")
    assert studio.class_counts() == {"Glass": 1, "Paper": 1}
    studio.train()


def test_dropped_as_soon_as_there_is_something_to_see(new_studio: Opener, server: SimpleNamespace) -> None:
    """A folder dropped at the first paint is taken, shown and in line; nothing of the trainer's was asked for before that was possible."""
    studio = new_studio(server)
    held: list[Route] = []
    holding = [True]
    studio.page.route("**/runtime/**", lambda route: held.append(route) if holding else route.continue_())
    studio.page.goto(server.url, wait_until="commit")
    studio.page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    studio.drop(TRASH / "train/glass")
    expect(studio.roll("glass")).to_be_visible()
    expect(studio.page.locator(".rolls img").first).to_be_visible()
    assert studio.class_counts() == {"glass": 12}
    expect(studio.report).to_contain_text("12 waiting")
    usable, *asked = studio.page.evaluate(
        """() => [performance.getEntriesByName("pagetrain-usable"), performance.getEntriesByType("resource").filter(({ name }) =>
             /\\/(runtime|artifacts)\\//.test(name))].flat().map(({ startTime }) => startTime)"""
    )
    assert asked
    assert usable < min(asked)
    holding.clear()
    for route in held:
        route.continue_()
    studio.wait_ready()
    studio.wait_read("12 added")


def test_file_that_does_not_arrive(new_studio: Opener, server: SimpleNamespace) -> None:
    """The page names file and status; "Fetch the rest" asks for the missing file alone, as often as needed; photos dropped before stay."""
    studio = new_studio(server)
    page = studio.page
    packages = "**/runtime/packages.tar"
    page.route(packages, lambda route: route.fulfill(status=503, body="busy"))
    with studio.complaining(r"503", r"could not be loaded"):
        studio.open()
        studio.drop(TRASH / "train/glass", TRASH / "train/paper")
        failure = page.get_by_role("alert").filter(has_text="Status")
        expect(page.get_by_role("heading", name="numpy and Pillow did not arrive.")).to_be_visible(timeout=START_MS)
        expect(failure).to_contain_text("503")
        expect(failure).to_contain_text("packages.tar")
        expect(page.get_by_text("Your photos are safe, and what has arrived is kept.")).to_be_visible()
        expect(studio.roll("paper")).to_be_visible()
        assert studio.class_counts() == {"glass": 12, "paper": 12}
        expect(studio.next_words).to_contain_text("The trainer did not load.")
    page.unroute(packages)
    page.route(packages, lambda route: route.abort())
    with studio.complaining(r"ERR_FAILED", r"could not be loaded"):
        page.get_by_role("button", name="Fetch the rest").click()
        expect(failure).to_contain_text("no answer", timeout=START_MS)
    page.unroute(packages)
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('parameters.bin'))", timeout=START_MS
    )
    before = len(server.requests)
    page.get_by_role("button", name="Fetch the rest").click()
    studio.wait_ready()
    again = {target.rsplit("/", 1)[-1] for _, target, _ in server.requests[before:]}
    assert {name for name in again if not name.endswith(".json")} == {"packages.tar"}
    studio.wait_read("24 added")
