"""A browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import Browser, browser, each_browser


@pytest.fixture(scope="session", params=each_browser())
def one_browser(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """The same browser for all of them; each test has both."""
    with browser(tmp_path_factory.mktemp("browser"), request.param) as opened:
        yield opened


@pytest.fixture
def opened(one_browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Opens a page; at the end, the browser must not have complained."""

    def opens(html: str, width: int = 1280, height: int = 800, **media: str) -> Browser:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        one_browser.open(path, width, height, **media)
        return one_browser

    one_browser.errors.clear()
    yield opens
    assert one_browser.errors == []
