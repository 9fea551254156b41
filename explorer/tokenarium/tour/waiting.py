"""What the states of the tour wait for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QApplication

from tokenarium.tour.render import Renderer

PATIENCE_S = 120

T = TypeVar("T")


def page_of(renderer: Renderer, kind: type[T]) -> T:
    """Returns the visible page, which must be of this kind."""
    page = getattr(renderer.window.workspace, "page", None)
    assert isinstance(page, kind)
    return page


def wait(until: Callable[[], bool]) -> None:
    """Waits until something is true, or until a timeout."""
    deadline = time.monotonic() + PATIENCE_S
    while not until() and time.monotonic() < deadline:
        QApplication.processEvents()
        time.sleep(0.01)
