"""Real browsers without a window, for tests of pages.

What a browser complains about is in `Browser.errors`: exceptions, violations of the content security policy, requests
to another machine, and in Chromium also errors that a page writes to the console.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import zlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from chromium import CHROMIUM, chromium
from firefox import FIREFOX, firefox

from project import ROOT

BrowserName = Literal["chromium", "firefox"]

PROGRAMS: Mapping[BrowserName, str | None] = {"chromium": CHROMIUM, "firefox": FIREFOX}


class Browser(Protocol):
    """One page of a browser."""

    @property
    def errors(self) -> list[str]:
        """What the browser has complained about so far; the list can be cleared."""

    def open(self, path: Path, width: int = 1280, height: int = 900, **media: str) -> None:
        """Opens a file in a window of a size; ``media`` are features, as in ``prefers_color_scheme="dark"``."""

    def follow(self, script: str) -> None:
        """Runs a script by which the page goes away, and waits for the page that it leads to."""

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """Gives the window another size, in pixels of CSS."""

    def value(self, script: str) -> Any:
        """Returns the value of an expression in the page; of a promise, what it comes to."""

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""

    def click(self, x: float, y: float) -> None:
        """Clicks at a place of the window."""

    def picture(self, path: Path, whole: bool = False) -> None:
        """Writes a picture of the window, or of the whole page, as PNG."""

    def pdf(self) -> bytes:
        """Returns the page as it is printed."""

    def show_as_printed(self) -> None:
        """Shows the page in its window as it is printed, until another is opened."""

    def run_scripts(self, wanted: bool) -> None:
        """Says whether the pages that are opened from now on may run scripts."""


_BROWSERS: Mapping[BrowserName, Callable[[Path], AbstractContextManager[Browser]]] = {
    "chromium": chromium,
    "firefox": firefox,
}


def browser(folder: Path, name: BrowserName = "chromium") -> AbstractContextManager[Browser]:
    """Returns a running browser whose profile is in a folder."""
    return _BROWSERS[name](folder)


def needs(name: BrowserName) -> pytest.MarkDecorator:
    """Returns what skips a test where a browser is not installed."""
    return pytest.mark.skipif(PROGRAMS[name] is None, reason=f"needs {name}, to open pages")


def installed() -> list[BrowserName]:
    """Returns the browsers that are here."""
    return [name for name, program in PROGRAMS.items() if program is not None]


def each_browser() -> list[Any]:
    """Returns the browsers as parameters of a fixture."""
    return [pytest.param(name, marks=needs(name)) for name in PROGRAMS]


def page_count(pdf: bytes) -> int:
    """Returns how many pages a PDF has, also if its objects are compressed."""
    parts = [pdf]
    for found in re.finditer(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        with suppress(zlib.error):
            parts.append(zlib.decompressobj().decompress(found[1]))
    return sum(len(re.findall(rb"/Type\s*/Page\b", part)) for part in parts)


def wait_until(opened: Browser, script: str, seconds: float = 60) -> None:
    """Waits until an expression in the page is true."""
    deadline = time.monotonic() + seconds
    while not opened.value(script):
        assert time.monotonic() < deadline, script
        time.sleep(0.02)


AXE = "axe-core@4.10.3"
"""The package of npm that finds what people with a screen reader, keys or little sight cannot use."""


def axe_script() -> str:
    """Returns the script of axe, which npm installs once into the folder ``build``; skips the test without it."""
    folder = ROOT / "build" / "npm"
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not script.exists() and npm is not None:
        command = [npm, "install", "--ignore-scripts", "--no-audit", "--prefix", str(folder), AXE]
        with suppress(subprocess.SubprocessError):
            subprocess.run(command, check=False, capture_output=True, timeout=60)
    if not script.exists():
        pytest.skip(f"needs {AXE} from npm, in {folder}")
    return script.read_text("utf-8")


STILL = (
    "Promise.all(document.getAnimations().map(one => one.finished.catch(() => 0))).then(() => 0)"
)
"""Waits until nothing moves any more."""


def violations(opened: Browser) -> list[str]:
    """Returns what axe finds in the page: the rule, and the element."""
    opened.value(f"{axe_script()}; true")
    opened.value(STILL)  # what fades in has little contrast yet
    found = opened.value(
        "axe.run().then(done => done.violations.flatMap(one => one.nodes.map(node =>"
        " `${one.id}: ${node.target} ${node.failureSummary}`)))"
    )
    return [str(one) for one in found]


def check_readable(opens: Callable[..., Browser], html: str) -> None:
    """Raises AssertionError unless everybody can read a page, narrow and dark as well as wide and light."""
    for width, colours in ((360, "dark"), (1280, "light")):
        shown = opens(html, width, prefers_color_scheme=colours)
        assert violations(shown) == []
        assert shown.value("document.documentElement.scrollWidth") <= width
