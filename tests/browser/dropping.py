"""Files and folders dropped by the browser itself: trusted events with directory entries, which a script in the page cannot make."""

from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Locator, Page


def drop(page: Page, paths: Iterable[Path], onto: Locator | None = None) -> None:
    """Drops what lies at `paths` onto an element's middle; without one, onto the page's upper left corner."""
    x, y = 4.0, 4.0
    if onto is not None:
        onto.scroll_into_view_if_needed()
        box = onto.bounding_box()
        assert box, "the place to drop on is not visible"
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})
    session.detach()
