"""The question for newer versions ends with an answer or a sentence, whatever a server does, and sends nothing more."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread

import pytest
from pytestqt.qtbot import QtBot
from windows import emitted

from tokenarium.models.updates import MOST_ANSWER, NewVersion
from tokenarium.work.update_check import UpdateCheck


class Answer:
    """What became of a check."""

    def __init__(self, url: str, qtbot: QtBot, longest_ms: int = 120_000) -> None:
        self.found: list[NewVersion | None] = []
        self.said: list[str] = []
        check = UpdateCheck(url, longest_ms=longest_ms)
        check.answered.connect(self.found.append)
        check.failed.connect(self.said.append)
        check.start()
        qtbot.waitUntil(lambda: bool(self.found or self.said))
        qtbot.wait(50)
        assert len(self.found) + len(self.said) == 1


def index(version: str) -> bytes:
    return json.dumps(
        {"info": {"version": version}, "releases": {version: [{"yanked": False}]}}
    ).encode()


def test_newer_and_not(server: object, served: str, tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "served" / "new.json").write_bytes(index("999.0"))
    (tmp_path / "served" / "old.json").write_bytes(index("0.0.1"))
    assert Answer(f"{served}/new.json", qtbot).found == [NewVersion("999.0")]
    assert Answer(f"{served}/old.json", qtbot).found == [None]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing-here", "has no Tokenarium yet"),
        ("forbids/x", "answered with the error 403"),
        ("fails/x", "answered with the error 500"),
        ("redirects-in-a-ring/x", "cannot be reached"),
        ("announces-more/page.html", "cannot be reached"),
        ("page.html", "not about a package"),
        ("floods/x", "far too long"),
    ],
)
def test_what_a_server_does_wrong_is_a_sentence(
    path: str, said: str, served: str, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "served" / "page.html").write_text("<html>Log in</html>")
    answer = Answer(f"{served}/{path}", qtbot)
    assert said in answer.said[0]
    assert answer.said[0].endswith(".")
    assert "<" not in answer.said[0]


def test_a_server_that_only_drips_is_given_up(served: str, qtbot: QtBot) -> None:
    assert "did not answer in time" in Answer(f"{served}/never-ends/x", qtbot, 300).said[0]


def test_where_there_is_no_network(server: object, qtbot: QtBot) -> None:
    assert "cannot be reached" in Answer("http://127.0.0.1:9/x", qtbot).said[0]


def test_nothing_is_sent_but_the_request(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    for name in ("http_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    heard = bytearray()
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            while b"\r\n\r\n" not in heard:
                heard.extend(connection.recv(4096))
            body = index("0.0.1")
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nSet-Cookie: a=b\r\n\r\n"
            connection.sendall(head.encode() + body)

    thread = Thread(target=serve)
    thread.start()
    port = listening.getsockname()[1]
    assert Answer(f"http://127.0.0.1:{port}/pypi/tokenarium/json", qtbot).found == [None]
    thread.join()
    listening.close()
    lines = heard.decode().split("\r\n")
    assert lines[0] == "GET /pypi/tokenarium/json HTTP/1.1"
    sent = dict(line.split(": ", 1) for line in lines[1:] if line)
    assert set(sent) <= {
        "Host",
        "User-Agent",
        "Accept",
        "Accept-Language",
        "Accept-Encoding",
        "Connection",
    }
    assert (sent["User-Agent"], sent["Accept-Language"]) == ("Tokenarium", "*")


def test_a_cancelled_check_says_nothing(served: str, qtbot: QtBot) -> None:
    check = UpdateCheck(f"{served}/never-ends/x")
    said: list[object] = emitted(check.answered)
    check.failed.connect(said.append)
    check.start()
    qtbot.wait(50)
    check.cancel()
    qtbot.wait(50)
    assert said == []


def test_the_window_is_free_while_it_waits(served: str, qtbot: QtBot) -> None:
    """The longest pause is not measured, only that turns of the event loop pass while the server is silent."""
    check = UpdateCheck(f"{served}/never-ends/x", longest_ms=120_000)
    ended: list[str] = emitted(check.failed)
    check.start()
    for _ in range(2):
        qtbot.wait(10)
    assert not ended
    check.cancel()
    assert MOST_ANSWER > 1 << 20
