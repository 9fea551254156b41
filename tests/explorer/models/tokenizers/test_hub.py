"""Getting repositories: huggingface_hub itself, against a server on this computer that speaks as the hub does."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest
from pytestqt.qtbot import QtBot

from tokenarium.models.tokenizers import hub
from tokenarium.work.worker import Worker
from tokenarium_core.errors import NotAvailable
from tokenarium_core.progress import Progress

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "tokenizer.json": b'{"version": "1.0", "added_tokens": []}',
    "tokenizer_config.json": b"{}",
    "README.md": b"# Hello",
    "onnx/tokenizer.json": b"{}",
    "model.safetensors": b"weights",
}


class _Hub(BaseHTTPRequestHandler):
    """Has ``small/bert``, ``small/weights`` with no tokenizer, and the gated ``small/gated``."""

    asked: ClassVar[list[tuple[str, str]]]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        path = self.path.partition("?")[0]
        repository = "/".join(path.removeprefix("/api/models").split("/")[1:3])
        files = {
            "small/bert": FILES,
            "small/weights": {"model.safetensors": b""},
            "small/gated": FILES,
        }.get(repository)
        if files is None:
            self._give(404, b"", X_Error_Code="RepoNotFound")
        elif repository == "small/broken":
            self._give(500, b"")
        elif path.startswith("/api/models/"):
            siblings = [{"rfilename": name, "size": len(files[name])} for name in files]
            about = {"id": repository, "sha": COMMIT, "siblings": siblings, "private": False}
            self._give(200, json.dumps(about).encode(), Content_Type="application/json")
        elif repository == "small/gated":
            self._give(403, b"", X_Error_Code="GatedRepo", X_Error_Message="Ask for access")
        else:
            content = files[path.partition(f"/resolve/{COMMIT}/")[2]]
            etag = f'"{hashlib.sha1(content).hexdigest()}"'
            self._give(200, content, X_Repo_Commit=COMMIT, ETag=etag)

    def _give(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """A hub on this computer, that huggingface_hub asks in a process of its own; what it was asked for."""
    pytest.importorskip("huggingface_hub")
    asked: list[tuple[str, str]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Hub", (_Hub,), {"asked": asked}))
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    for name in ("HF_HUB_CACHE", "HF_TOKEN", "HF_HUB_OFFLINE", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def fail(qtbot: QtBot, name: str) -> str:
    worker = Worker(hub.fetch, name)
    with qtbot.waitSignal(worker.failed) as failed:
        worker.start()
    return str(failed.args[0])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("google-bert/bert-base-uncased", "google-bert/bert-base-uncased"),
        (" https://huggingface.co/google/gemma-2b ", "google/gemma-2b"),
        ("https://huggingface.co/google/gemma-2b/tree/main?x=1", "google/gemma-2b"),
        ("hf.co/google/gemma-2b#readme", "google/gemma-2b"),
        ("https://example.com/google/gemma-2b", ""),
        ("https://huggingface.co/google", ""),
        ("https://huggingface.co/datasets/some/texts", ""),
        ("gemma", ""),
        ("a/b/c", ""),
        ("", ""),
    ],
)
def test_a_repository_is_meant_by_its_name_or_its_address(text: str, name: str) -> None:
    assert hub.repository_of(text) == name


@pytest.mark.slow
def test_only_the_tokenizer_is_got_and_only_once(
    qtbot: QtBot, asked: list[tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    heard: list[object] = []
    for _ in range(2):
        worker = Worker(hub.fetch, "small/bert")
        worker.progressed.connect(heard.append)
        with qtbot.waitSignal(worker.finished) as finished:
            worker.start()
    folder = finished.args[0]
    assert folder == tmp_path / "hf" / "hub" / "models--small--bert" / "snapshots" / COMMIT
    assert sorted(path.name for path in folder.iterdir()) == [
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert (folder / "tokenizer.json").read_bytes() == FILES["tokenizer.json"]
    assert isinstance(heard[0], Progress)
    assert heard[0].phase == "Asking for small/bert"
    assert "tokenizer.json" in str(heard[1])
    assert {token for _, token in asked} == {"Bearer hf_secret"}
    gets = [path for path, _ in asked if "/resolve/" in path and "tokenizer.json" in path]
    assert len(gets) <= 2  # once its head and once its body


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("small/gated", "gated"),
        ("small/nowhere", "There is no repository"),
        ("small/weights", "has no tokenizer"),
    ],
)
def test_obstacles_are_reported(
    qtbot: QtBot, asked: list[tuple[str, str]], name: str, words: str
) -> None:
    assert words in fail(qtbot, name)


@pytest.mark.slow
def test_offline(
    qtbot: QtBot, asked: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert "You are offline" in fail(qtbot, "small/bert")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE" in fail(qtbot, "small/bert")


def test_the_extra_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(NotAvailable, match=r"tokenarium\[hub\]"):
        hub.fetch(lambda doing: None, "small/bert")


@pytest.mark.parametrize("name", ["", "bert", "a/b/c", "../x", "a/..", "https://x.org/a", "a b/c"])
def test_what_names_no_repository(name: str) -> None:
    with pytest.raises(NotAvailable, match="owner"):
        hub.fetch(lambda doing: None, name)
