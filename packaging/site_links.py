"""Finds what would not work on the built pages of the documentation if they were opened from a disk, with no network."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script", "img", "iframe", "source", "video", "audio"}
"""The elements whose addresses a browser loads when it shows the page; and `link`, if it names a style sheet or an icon."""

LINKED_TOO = {"canonical", "prev", "next", "alternate"}
"""The relations of elements `link` that nothing is loaded for."""

SERVED = "404.html"
"""The page that only servers show."""


class _Addresses(HTMLParser):
    """Collects the addresses of a page, each with whether it is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        loaded = tag in LOADED or (tag == "link" and named.get("rel") not in LINKED_TOO)
        self.found += [
            (address, loaded) for name in ("href", "src") if (address := named.get(name))
        ]


def broken_links(site: Path) -> list[str]:
    """Returns a sentence for each address of a page that leads to no file, and for each that is loaded from the web.

    A link to a folder counts: a server shows its index, but a browser that reads a disk lists the folder.
    """
    said: list[str] = []
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site)
        if name == Path(SERVED):
            continue
        reader = _Addresses()
        reader.feed(page.read_text("utf-8"))
        for address, loaded in dict.fromkeys(reader.found):
            parts = urlsplit(address)
            if parts.scheme == "data" or (not parts.path and not parts.netloc):
                continue
            if parts.scheme or parts.netloc:
                if loaded:
                    said.append(f"{name} loads {address} from the web.")
            elif not (page.parent / unquote(parts.path)).is_file():
                said.append(f"{name} links to {address}, which is no file.")
    return said
