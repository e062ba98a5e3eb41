"""sitebuild.policy: the page says the same as the server."""

import re
from html.parser import HTMLParser
from pathlib import Path

from sitebuild import policy

INDEX = Path(__file__).parents[2] / "web/index.html"


class Metas(HTMLParser):
    """Collects the policies in <meta> elements, and what stands before the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.policies: list[str] = []
        self.before: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "meta" and (values.get("http-equiv") or "").lower() == "content-security-policy":
            self.policies.append(values.get("content") or "")
        elif not self.policies:
            self.before.append(tag)


def test_the_page_carries_the_same_policy() -> None:
    """On a host that sends no headers the <meta> is all there is, so it must be equal, and stand before anything that loads."""
    metas = Metas()
    metas.feed(INDEX.read_text(encoding="utf-8"))
    assert metas.policies == [policy.CONTENT_SECURITY_POLICY]
    assert not set(metas.before) & {"script", "link", "style", "img", "base"}


def test_the_policy_closes_everything_but_our_own_files() -> None:
    """Nothing by default, no foreign host, no inline code, no evaluation but of wasm, no form and no base element."""
    directives = dict(re.findall(r"([\w-]+) ([^;]+)", policy.CONTENT_SECURITY_POLICY))
    assert {directives[name] for name in ("default-src", "base-uri", "form-action")} == {"'none'"}
    assert {word for value in directives.values() for word in value.split()} == {"'none'", "'self'", "'wasm-unsafe-eval'", "blob:"}
    assert "blob:" not in directives["script-src"] + directives["connect-src"]
