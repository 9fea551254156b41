"""What was asked of a window, or would be if there were one."""

from __future__ import annotations

from typing import Any, TypeVar

from pytestqt.qtbot import QtBot

from tokenarium.session.requests import Request, Requests

Kind = TypeVar("Kind", bound=Request)


def requests_of(requests: Requests, kind: type[Kind]) -> list[Kind]:
    """Returns a list that gets the requests of a kind as they are made."""
    asked: list[Kind] = []
    requests.asked.connect(lambda one: asked.append(one) if isinstance(one, kind) else None)
    return asked


def wait_asked(qtbot: QtBot, requests: Requests, kind: type[Request], timeout: int = 5000) -> Any:
    """Returns a context that waits for a request of a kind, see `QtBot.waitSignal`."""
    return qtbot.waitSignal(
        requests.asked, timeout=timeout, check_params_cb=lambda one: isinstance(one, kind)
    )
