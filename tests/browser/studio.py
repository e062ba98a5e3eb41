"""The page in its own words: what a person does with it and what they read from it."""

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from playwright.sync_api import BrowserContext, ConsoleMessage, Download, Locator, Page, expect

from tests.browser.dropping import drop

# Starting Python takes 3 to 12 s and a picture 0.1 to 0.5 s; three times that where several other things run.
START_MS = 60_000
READ_MS = 90_000
TRAIN_MS = 60_000

KEPT = 60  # tried pictures, unless one drop has more

# The page's own modules: what is on show as full numbers (state), and the trainer behind the page (enqueue).
_INSIDE = """
async () => {
  const { modules } = await import(new URL("page/main.js", document.baseURI));
  const [{ state }, { enqueue }] = [modules["page/state.js"], modules["page/trainer.js"]];
  const fileOf = ({ name, data }) => new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], name);
  const plain = (value) => {
    if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
    if (value instanceof Float32Array) return Array.from(value);
    if (!value || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  };
  const ask = async (method, file) => {
    try {
      return plain(await enqueue((pt) => pt[method](file)));
    } catch ({ kind, code, message }) {
      return { kind, code, message };
    }
  };
  window.inside = { state, fileOf, ask, trainer: enqueue };
}
"""
_VIOLATIONS = """
window.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


class Studio:
    """One opened page, its server, and every complaint of its console."""

    def __init__(self, context: BrowserContext, server: SimpleNamespace) -> None:
        self.server = server
        self.complaints: list[str] = []
        self._at_seal: int | None = None  # requests that had reached the server when the page was ready
        context.add_init_script(_VIOLATIONS)
        self.page: Page = context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        self.page.on("crash", lambda _: self.complaints.append("the page crashed"))
        self.page.on("dialog", self._refuse)
        self.page.on("filechooser", lambda _: None)  # asks for the event from the start: a key press would be faster than asking then

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    @contextmanager
    def complaining(self, *expected: str) -> Iterator[None]:
        """Inside, the console says what matches one of `expected`, each at least once; what else it says stays a complaint."""
        before = len(self.complaints)
        yield
        said = self.complaints[before:]
        for pattern in expected:
            assert any(re.search(pattern, text) for text in said), f"the console did not say {pattern!r}: {said}"
        self.complaints[before:] = [text for text in said if not any(re.search(pattern, text) for pattern in expected)]

    # Opening

    def open(self) -> "Studio":
        """The page is there; Python is not."""
        self._at_seal = None
        self.set_offline(False)
        self.page.goto(self.server.url, wait_until="domcontentloaded")
        return self.look_inside()

    def look_inside(self) -> "Studio":
        """The page has loaded, by itself or because it was opened."""
        expect(self.page.get_by_role("navigation", name="Steps")).to_be_visible()
        self.page.evaluate(_INSIDE)
        return self

    def wait_ready(self, *, offline: bool = True) -> "Studio":
        """Sealed. From here on it asks its server for nothing, whatever is done with it: `end` tells if it did. offline: it could not."""
        expect(self.seal).to_contain_text("Sealed", timeout=START_MS)
        expect(self.page.get_by_role("region", name=re.compile("Getting ready"))).to_be_hidden()
        self._at_seal = len(self.server.requests)
        self.set_offline(offline)
        return self

    def set_offline(self, offline: bool) -> None:
        """Asks for a change alone: Playwright waits for all service workers then, for ever if the process of one has crashed."""
        context: Any = self.page.context
        if offline != getattr(context, "is_offline", False):
            context.set_offline(offline)
            context.is_offline = offline

    def end(self) -> list[str]:
        """Closes the page and tells what it should not have done: what its console said, and what it asked for since it was ready."""
        told = list(self.complaints)
        if self._at_seal is not None:
            told += [f"asked for {target} after the seal" for _, target, _ in self.server.requests[self._at_seal :]]
            if not self.page.is_closed() and re.findall(r"\d+", said := self.seal.inner_text()) != ["0"]:
                told.append(f"the page says {said!r}")
        self.page.context.close()
        return told

    @property
    def seal(self) -> Locator:
        return self.page.locator("header button").first

    # Collecting

    def drop(self, *paths: Path, onto: Locator | None = None) -> None:
        drop(self.page, paths, onto)

    def choose(self, files: Iterable[dict[str, Any]] | Iterable[Path]) -> None:
        """Files through "Choose photos" (which, unlike a drop, carries names that no disk takes)."""
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name="Choose photos").first.click()
        chooser.value.set_files(list(files))

    def roll(self, name: str) -> Locator:
        """A class: its name, its pictures, its tools."""
        return self.page.get_by_role("region", name=f"Class {name}", exact=True)

    @property
    def rolls(self) -> Locator:
        return self.page.get_by_role("region", name=re.compile("^Class "))

    def class_names(self) -> list[str]:
        return [box.input_value() for box in self.page.get_by_role("textbox", name="Class name").all()]

    def class_counts(self) -> dict[str, int]:
        """As the page shows them, beside each name."""
        counts = [int(text.split()[0]) for text in self.page.locator(".rolls .roll__count").all_inner_texts()]
        return dict(zip(self.class_names(), counts, strict=True))

    @property
    def report(self) -> Locator:
        """What became of the newest drop."""
        return self.page.locator("section.intake-box").first

    def wait_read(self, *said: str) -> None:
        """The newest drop is read to its end, and its line says all of `said`."""
        line = self.report.locator("summary")
        expect(line).to_contain_text(re.compile(r"\d+ added"), timeout=READ_MS)
        for words in said:
            expect(line).to_contain_text(words, timeout=READ_MS)  # the report before it may stand there until all is looked through

    def skipped(self) -> dict[str, str]:
        """Names and reasons that the newest report gives."""
        if (everything := self.report.get_by_role("button", name=re.compile("^Show all"))).is_visible():
            everything.click()
            expect(everything).to_be_hidden()
        rows = self.report.locator(".is-skipped")
        names, reasons = rows.locator("dt > bdi").all_text_contents(), rows.locator("dd").all_inner_texts()
        return dict(zip(names, reasons, strict=True))

    # Going on

    def go(self, step: str) -> None:
        self.page.get_by_role("navigation", name="Steps").get_by_role("link", name=re.compile(f"{step}$")).click()
        expect(self.page).to_have_title(re.compile(f"^{step} "))

    @property
    def next(self) -> Locator:
        return self.page.get_by_role("region", name="Next").get_by_role("button").last  # before it may stand a way to the hints

    @property
    def next_words(self) -> Locator:
        return self.page.get_by_role("region", name="Next")

    def train(self) -> None:
        """From where it is to the result."""
        expect(self.next).to_have_text(re.compile("^Train"))
        expect(self.next).to_be_enabled(timeout=START_MS)
        self.next.click()
        self.wait_trained()

    def wait_trained(self) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_contain_text("right", timeout=TRAIN_MS)
        expect(self.next).to_have_text(re.compile("^(Look closer|Try it)$"), timeout=TRAIN_MS)  # the second where it could not test itself

    def wait_learnt(self) -> None:
        """All is read, and the result is of the pictures as they lie now."""
        self.page.wait_for_function(
            """() => {
                 const { training, edition, pictures } = inside.state;
                 const read = [...pictures.values()].every(({ reading }) => reading === "ready");
                 return read && training.phase === "done" && training.edition === edition;
               }""",
            timeout=TRAIN_MS,
        )

    def try_files(self, *paths: Path) -> None:
        """Drops pictures on the step Try and waits for all answers."""
        expect(self.page).to_have_title(re.compile("^Try "))  # the step changes a moment after the click that asks for it
        asked = len(self.tried())
        self.drop(*paths)
        self.page.wait_for_function(
            "(n) => inside.state.tries.results.length === n && inside.state.tries.results.every(({ answers, error }) => answers || error)",
            arg=min(asked + len(paths), max(KEPT, len(paths))),
            timeout=READ_MS,
        )

    def tried(self) -> list[dict[str, Any]]:
        """What Try holds, the newest first: name, error, answers {label: probability} in full numbers."""
        results = self.page.evaluate(
            """() => inside.state.tries.results.map(({ name, error, answers }) =>
                 ({ name, error, answers: answers?.map(({ label, probability }) => [label, probability]) ?? null }))"""
        )
        return [{**one, "answers": one["answers"] and dict(one["answers"])} for one in results]

    def save(self, label: str) -> Download:
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=label).click()
        return download.value

    # The trainer behind the page

    def ask(self, method: str, data: bytes, name: str = "picture") -> Any:
        """pt[method](file) on the page's own trainer. Floats come as a list, bytes as base64, an error as {"kind", "code", "message"}."""
        file = {"name": name, "data": base64.b64encode(data).decode()}
        return self.page.evaluate("([method, file]) => inside.ask(method, inside.fileOf(file))", [method, file])

    def pixels(self, data: bytes) -> np.ndarray:
        """What the model in the page sees of a picture: uint8 (H, W, 3)."""
        seen = self.ask("pixels", data)
        assert "data" in seen, seen
        return np.frombuffer(base64.b64decode(seen["data"]), np.uint8).reshape(seen["height"], seen["width"], 3)

    def features(self, which: str) -> tuple[np.ndarray, list[str]]:
        """Features of all pictures of the page, computed by its trainer, and what each is called. which: "collected" or "tried"."""
        rows, names = self.page.evaluate(
            """async (which) => {
                 const all = which === "tried" ? inside.state.tries.results : [...inside.state.pictures.values()];
                 const rows = [];
                 for (const { file } of all) rows.push(await inside.ask("features", file));
                 return [rows, all.map(({ name }) => name)];
               }""",
            which,
        )
        return np.array(rows, np.float32), names


Opener = Callable[..., Studio]
