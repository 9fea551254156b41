"""What is dropped from where people keep tokenizers: archives, repositories of a cache, pipelines."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.menus.library_commands import file_filters


def _archive(top: Path, content: bytes) -> list[Path]:
    path = top / "small.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("small/tokenizer.json", content)
    return [path]


def _repository(top: Path, content: bytes) -> list[Path]:
    snapshot = top / "models--some--small" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "tokenizer.json").write_bytes(content)
    return [top / "models--some--small"]


def _pipeline(top: Path, content: bytes) -> list[Path]:
    folders = [top / "pipeline" / name for name in ("tokenizer", "tokenizer_2")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "tokenizer.json").write_bytes(content)
    (top / "pipeline" / "model_index.json").write_text("{}")
    return [top / "pipeline", *folders]


@pytest.mark.slow
@pytest.mark.parametrize("make", [_archive, _repository, _pipeline])
def test_it_is_dropped(make: object, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    tokenizer = tc.train("bpe", ["the low tokens"], vocab_size=260)
    tokenizer.save(tmp_path / "made.json", "huggingface")
    assert callable(make)
    dropped, *inside = make(tmp_path, (tmp_path / "made.json").read_bytes())
    window.take_files([dropped])
    for path in inside or [dropped]:
        key = f"file:{path}"
        qtbot.waitUntil(lambda key=key: (item := window.session.library.item(key)) is not None and item.tokenizer is not None)  # fmt: skip


def test_the_dialog_offers_archives() -> None:
    assert "*.tar.gz" in file_filters()
