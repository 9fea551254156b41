"""The files of a Linux package in ``/usr/share``: menu entry, file types, icons, and the description for stores.

    .venv/bin/python packaging/desktop_files.py FOLDER

writes ``applications``, ``mime/packages``, ``icons/hicolor`` and ``metainfo`` into the folder. The description for
stores (AppStream) is made from ``packaging/linux/tokenarium.metainfo.xml``, the versions in CHANGELOG.md, and the
addresses in pyproject.toml: parts without an address are left out, and named.
"""

from __future__ import annotations

import os
import re
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from project import ROOT, settings

TEMPLATE = ROOT / "packaging" / "linux" / "tokenarium.metainfo.xml"
METAINFO = "metainfo/tokenarium.metainfo.xml"
SCREENSHOTS = (
    ("tokens-light.png", "Tokens: one text as several tokenizers cut it"),
    ("merges-light.png", "Merges: how the tokens came about, step by step"),
    ("compare-light.png", "Compare: several tokenizers, in figures"),
    ("train-board-light.png", "Train: algorithms on one corpus, with their curves"),
    ("tokens-dark.png", "The window in dark colours"),
)
"""Pictures in resources/screenshots, with their captions."""

URLS = (
    ("homepage", ("homepage", "repository")),
    ("bugtracker", ("issues",)),
    ("help", ("documentation",)),
    ("vcs-browser", ("repository",)),
)
"""The kinds of addresses in AppStream, and the names in pyproject.toml that they are taken from; the first that exists
is used."""

VERSION = re.compile(
    r"^## \[?(Unreleased\]?: *)?v?(\d+(?:\.\d+)+)\]?(?: *[-–—:(] *(\d{4}-\d\d-\d\d))?", re.M
)


@dataclass
class Metainfo:
    """The description for stores, and the parts that are left out."""

    text: str
    left_out: list[str] = field(default_factory=list)


def releases(changelog: str) -> list[tuple[str, str]]:
    """Returns the versions of a changelog, the newest first, each with its date; empty for an unreleased one.

    >>> releases("## [Unreleased]: 0.2.0\\n\\n## [0.1.0] - 2026-05-04\\n")
    [('0.2.0', ''), ('0.1.0', '2026-05-04')]
    """
    return [(found[2], found[3] or "") for found in VERSION.finditer(changelog)]


def metainfo(urls: dict[str, str], changelog: str, today: str = "") -> Metainfo:
    """Returns the description with these addresses and versions; ``today`` is the date of an unreleased version."""
    component = ElementTree.fromstring(TEMPLATE.read_text(encoding="utf-8"))
    named = {name.lower(): url.rstrip("/") for name, url in urls.items() if url}
    made = Metainfo("")
    for kind, names in URLS:
        url = next((named[name] for name in names if name in named), "")
        if url:
            SubElement(component, "url", type=kind).text = url
        else:
            made.left_out.append(f"the address “{kind}”")
    id = component_id(named.get("repository", ""))
    for place in component.iter("id"):
        place.text = id
    if id == "tokenarium":
        made.left_out.append("a domain in the name that stores know it by")
    pictures = pictures_url(named.get("repository", ""))
    if pictures:
        shown = SubElement(component, "screenshots")
        for order, (name, caption) in enumerate(SCREENSHOTS):
            attributes = {"type": "default"} if order == 0 else {}
            one = SubElement(shown, "screenshot", attributes)
            SubElement(one, "caption").text = caption
            SubElement(one, "image", type="source").text = f"{pictures}/{name}"
    else:
        made.left_out.append("the screenshots, which stores fetch from an address")
    _add_releases(component, changelog, today)
    ElementTree.indent(component)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    made.text = head + ElementTree.tostring(component, encoding="unicode") + "\n"
    return made


def pictures_url(repository: str) -> str:
    """Returns where the screenshots of a repository can be fetched as files; empty for an unknown host."""
    folder = "resources/screenshots"
    if repository.startswith("https://github.com/"):
        place = repository.removeprefix("https://github.com/").removesuffix(".git")
        return f"https://raw.githubusercontent.com/{place}/HEAD/{folder}"
    if repository.startswith(("https://gitlab.com/", "https://codeberg.org/")):
        kind = "-/raw" if "gitlab" in repository else "raw/branch"
        return f"{repository.removesuffix('.git')}/{kind}/main/{folder}"
    return ""


def component_id(repository: str) -> str:
    """Returns the id of the app in stores: a reversed domain, if there is a repository.

    >>> component_id("https://github.com/Some-One/tokenarium"), component_id("")
    ('io.github.some_one.tokenarium', 'tokenarium')
    """
    found = re.match(r"https://(github|gitlab|codeberg)\.(?:com|org)/([^/]+)/", repository)
    if not found:
        return "tokenarium"
    page = {"github": "io.github", "gitlab": "io.gitlab", "codeberg": "org.codeberg"}[found[1]]
    return f"{page}.{found[2].lower().replace('-', '_')}.tokenarium"


def _add_releases(component: Element, changelog: str, today: str) -> None:
    parent = SubElement(component, "releases")
    for version, date in releases(changelog):
        kind = "stable" if date else "development"
        SubElement(parent, "release", version=version, type=kind, date=date or today or _today())


def _today() -> str:
    """Returns the day of the build, or that of SOURCE_DATE_EPOCH."""
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def write(folder: Path) -> list[str]:
    """Writes all files into a folder such as ``…/usr/share``; returns the parts that the description lacks."""
    from tokenarium.pictures.desktop_entry import shared_files

    urls = settings()["project"].get("urls", {})
    made = metainfo(urls, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    for path, data in (shared_files() | {METAINFO: made.text.encode()}).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return made.left_out


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit((__doc__ or "").strip())
    for left_out in write(Path(sys.argv[1])):
        print(f"Left out, since pyproject.toml has no address for it: {left_out}.")
