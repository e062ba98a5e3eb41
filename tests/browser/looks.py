"""How an open page looks in every size and scheme: nothing sticks out or is cut off, all can be hit, axe finds nothing serious."""

from playwright.sync_api import Page

from sitebuild import paths

SIZES = {"wide": {"width": 1280, "height": 860}, "narrow": {"width": 360, "height": 740}}
SMALLEST = {"width": 320, "height": 740}
SCHEMES = ("light", "dark")
LOOKED_INTO = {("wide", "light"), ("narrow", "dark")}  # by axe, which takes its time: each size and each scheme
SCREENSHOTS = paths.CACHE / "screenshots"
AXE = paths.NODE_MODULES / "axe-core" / "axe.min.js"

# Texts of which a part is not to be seen: beyond an edge that nothing scrolls to, or beyond a box that hides what is too much.
# A name that a person chose may end in an ellipsis: all of it stands where it was given.
_CUT = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: owner, data } = walker.currentNode;
    if (!data.trim() || !owner.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (owner.closest(".hidden, .skip, .frame__name, option, noscript, dialog:not([open])")) continue;
    if (document.querySelector("dialog[open]") && !owner.closest("dialog")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    let box = { left: 0, right: document.documentElement.clientWidth, top: -Infinity, bottom: Infinity };
    let hides = true;
    for (let node = owner; node && node !== document.body; node = node.parentElement) {
      const { overflowX, overflowY, clipPath, textOverflow } = getComputedStyle(node);
      if (clipPath !== "none" || textOverflow === "ellipsis") hides = false; // for screen readers alone; a name, see above
      if (["auto", "scroll"].includes(overflowX) || ["auto", "scroll"].includes(overflowY)) hides = false;
      if (!hides || (overflowX === "visible" && overflowY === "visible")) continue;
      const edge = node.getBoundingClientRect();
      for (const side of ["left", "top"]) box[side] = Math.max(box[side], edge[side]);
      for (const side of ["right", "bottom"]) box[side] = Math.min(box[side], edge[side]);
    }
    const much = Math.max(box.left - left, right - box.right, box.top - top, bottom - box.bottom);
    if (hides && much > 2) found.push(`${data.trim().slice(0, 60)} (by ${Math.round(much)} px)`);
  }
  return found;
}"""
# Controls that are hard to hit. 24 px: WCAG 2.2, 2.5.8; 44 px: what the design gives its buttons, links that stand alone, tabs and fields.
_SMALL = """() => {
  const found = [];
  for (const node of document.querySelectorAll("a[href], button, select, summary, input, [role=tab]")) {
    if (!node.checkVisibility({ visibilityProperty: true }) || node.closest(".hidden, .skip") || node.tabIndex < 0) continue;
    const label = node.matches("[type=checkbox], [type=radio]") ? node.closest("label") : null;
    const { width, height } = (label ?? node).getBoundingClientRect();
    const wanted = node.matches(".button, .link, .tool, .tab, .step, .field__box, .detail > summary, select") ? 44 : 24;
    const size = `${width.toFixed(1)} x ${height.toFixed(1)}`;
    if (width < 23.5 || height < wanted - 0.5) found.push(`${node.className} ${node.textContent.trim().slice(0, 40)}: ${size}`);
  }
  return found;
}"""


def look(page: Page, name: str) -> None:
    """Checks what is open in every size and scheme, and writes a picture of each: .cache/screenshots/NAME-SIZE-SCHEME.png."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            check(page, f"{name}, {size}, {scheme}")
            if (size, scheme) in LOOKED_INTO:
                found = violations(page)
                assert found == [], f"{name}, {size}, {scheme}: {found}"
            tall = page.evaluate("document.documentElement.scrollHeight")
            page.set_viewport_size({**viewport, "height": tall})  # else the bar at the lower edge lies across the middle
            page.screenshot(path=SCREENSHOTS / f"{name}-{size}-{scheme}.png")
            page.set_viewport_size(viewport)
    page.set_viewport_size(SMALLEST)
    check(page, f"{name}, {SMALLEST['width']} px")
    page.set_viewport_size(SIZES["wide"])
    page.evaluate("document.documentElement.style.fontSize = '200%'")  # what a person does to read; WCAG 1.4.4
    check(page, f"{name}, text of twice the size")
    page.evaluate("document.documentElement.style.fontSize = ''")


def check(page: Page, where: str) -> None:
    """What holds whatever the size."""
    assert sideways(page) == 0, f"{where}: {sideways(page)} px too wide"
    for what, script in (("cut off", _CUT), ("too small to hit", _SMALL)):
        found = page.evaluate(script)
        assert found == [], f"{where}: {what}: {found}"


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def violations(page: Page) -> list[str]:
    """What axe-core finds to be serious or critical."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)")
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {[node['html'][:200] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
