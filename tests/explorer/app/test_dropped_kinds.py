"""Files of every kind, dropped on a real window: each opens with the ids of the core and of the command line, or is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import gguf_files
import pytest
from flat_models import flat
from litertlm_files import SENTENCEPIECE, bundle
from mutation_seeds import seeds
from narrowed import there
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from sentencepiece_models import trained
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.commands.cli import app
from tokenarium_core.formats.registry import FORMATS

TEXT = "the low tokens of the lower"


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yields a name and what is dropped, for every format and every place that tokenizers are opened from."""
    for name, files in seeds().items():
        below = folder / name
        below.mkdir()
        for file, content in files.items():
            below.joinpath(file).write_bytes(content)
        yield name, below if len(files) > 1 else next(below.iterdir())
    made = tc.train("bpe", [TEXT] * 3, vocab_size=264)
    yield "gguf", gguf_files.of_merges(folder / "small.gguf", made, "gpt-2")
    lite = folder / "small.spm.fb"
    lite.write_bytes(flat(trained("unigram", 300)))
    yield "sentencepiece-lite", lite
    model = folder / "small.litertlm"
    model.write_bytes(bundle([(SENTENCEPIECE, trained("bpe", 300), "")]))
    yield "litertlm", model
    snapshot = folder / "models--some--small" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    made.save(snapshot / "tokenizer.json", "huggingface")
    yield "repository of a cache", snapshot.parent.parent
    for kind, suffix in (("zip", ".zip"), ("gztar", ".tar.gz")):
        shutil.make_archive(str(folder / "packed"), kind, snapshot)
        yield kind, folder / f"packed{suffix}"
    byt5 = folder / "byt5"
    byt5.mkdir()
    byt5.joinpath("tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
    yield "class without a vocabulary", byt5


def drop(window: MainWindow, path: Path) -> None:
    """Drops a file on the text, as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left, plain = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    target = window.text.field.viewport()
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(5, 5), copy, data, left, plain))
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), copy, data, left, plain))


@pytest.mark.slow
@pytest.mark.window
def test_every_kind_opens_with_the_same_ids(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    session = window.session
    session.set_text(TEXT)
    runner = CliRunner()
    formats = set()
    for name, path in _files(tmp_path):
        opened = tc.open(path)
        formats.add(opened.source.format)
        ids = opened.encode_ids(TEXT)
        assert opened.decode(ids), name

        printed = runner.invoke(app, ["encode", str(path), TEXT, "--json"])
        assert printed.exit_code == 0, (name, printed.output)
        assert json.loads(printed.stdout)["ids"] == ids, name

        drop(window, path)
        key = f"file:{path}"
        qtbot.waitUntil(lambda key=key: session.encoded(key) is not None)
        assert list(there(there(session.encoded(key)).encoding).ids) == ids, name
        assert not window.messages.isVisible(), name
        assert session.text == TEXT
        session.edits.remove(key)
    assert set(FORMATS) <= formats
