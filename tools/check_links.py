"""Check the links of the documentation site: every page, file and anchor that a page of it leads to is there.

python tools/check_links.py build/docs

It needs no network: addresses of other sites are left alone.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAMES = {"a": "href", "link": "href", "img": "src", "script": "src", "object": "data", "iframe": "src"}


class Page(HTMLParser):
    """The links of a page, and the anchors that others may lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element leads to, and what it is called."""
        given = dict(attrs)
        self.anchors.update(name for name in (given.get("id"), tag == "a" and given.get("name")) if name)
        link = given.get(NAMES.get(tag, ""))
        if link:
            self.links.append(link)


def broken(root: Path) -> list[str]:
    """Say which links of a folder of pages lead nowhere."""
    own = [path for path in sorted(root.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): Page(path) for path in own}
    found = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            missing = not target.exists()
            lost = target in pages and unquote(parts.fragment) not in pages[target].anchors
            if missing or lost:
                found.append(f"{path.relative_to(root.resolve())}: {link}")
    return found


if __name__ == "__main__":
    troubles = broken(Path(sys.argv[1]))
    print("\n".join(troubles) or "All links of the site lead somewhere.")
    sys.exit(bool(troubles))
