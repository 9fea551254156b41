"""Browsers for all tests of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from browser import Browser, BrowserName, browser, each_browser


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[BrowserName], Browser]]:
    """Starts a browser when it is first needed; it is the same for all tests."""
    with ExitStack() as stack:
        yield cache(
            lambda name: stack.enter_context(browser(tmp_path_factory.mktemp("browser"), name))
        )


@pytest.fixture(scope="session", params=each_browser())
def one_browser(
    request: pytest.FixtureRequest, running: Callable[[BrowserName], Browser]
) -> Browser:
    """A running browser; each test has all of them in turn."""
    return running(request.param)


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
