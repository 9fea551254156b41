"""What an earlier version wrote is still read: settings, trained tokenizers, and what was kept of a file that was opened.

The files are in ``files_of_0_1_0.json``, as that version wrote them: a window that was changed in every way and closed,
a folder of trained tokenizers (one of them deleted), and its cache of a tokenizer file. Never make them again with a
later version; add those of a later one beside them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from small_files import new_folder, write_file
from windows import on_screen

import tokenarium_core as tc
from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import State
from tokenarium.session import settings
from tokenarium.session.settings import Setting, Settings
from tokenarium.views.train_training import TrainingPage
from tokenarium_core.formats.registered import store_folder

WRITTEN: dict[str, Any] = json.loads(
    Path(__file__).with_name("files_of_0_1_0.json").read_text("utf-8")
)

KEPT = "3f119b3d794a981c439069c261c33bf8225dc2c63238b66b2f6f8f23b37db3dd"
FILE = "/nowhere/a tokenizer.json"
RANKS = "/nowhere/ranks.tiktoken"


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b85decode(text))


@pytest.fixture
def trained() -> None:
    """The folder of trained tokenizers."""
    folder = store_folder()
    for name, content in WRITTEN["files"].items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(unpacked(content))
    with closing(sqlite3.connect(folder / "index.sqlite")) as index:
        index.executescript("\n".join(WRITTEN["index.sqlite"]["sql"]))
        index.execute(f"pragma user_version = {WRITTEN['index.sqlite']['user_version']}")


@pytest.fixture
def written(tmp_path: Path) -> Settings:
    """The settings."""
    path = write_file(tmp_path / "written.ini", "\n".join(WRITTEN["settings.ini"]))
    return Settings(QSettings(str(path), QSettings.Format.IniFormat))


@pytest.fixture
def reopened(
    qtbot: QtBot, qapp: QApplication, trained: None, written: Settings
) -> Iterator[MainWindow]:
    """A window that begins with all of it."""
    window = on_screen(qtbot, make_window(qapp, written))
    qtbot.waitUntil(lambda: not window.session.opening)
    yield window
    window.session.trainings.stop_all()


def test_every_setting_is_read(written: Settings, tmp_path: Path) -> None:
    kept = QSettings(str(tmp_path / "written.ini"), QSettings.Format.IniFormat).allKeys()
    declared = [
        one for one in vars(settings).values() if isinstance(one, Setting) and one.key in kept
    ]  # later versions have more
    at_default = [one.key for one in declared if written.get(one) == one.default]
    # All others were changed. The strip of stages is hidden by default since.
    assert at_default == [settings.SHOW_INSPECTOR.key, settings.SHOW_PIPELINE.key]
    assert isinstance(written.get(settings.GEOMETRY), QByteArray)
    assert written.get(settings.CHAT_MESSAGES) == '[{"role": "user", "content": "Hello"}]'
    assert written.get(settings.LOOK_IN) == ["/nowhere/models"]
    assert settings.kept_scale(written) == 110


def test_the_window_is_as_it_was_left(reopened: MainWindow) -> None:
    window, session = reopened, reopened.session
    assert window.workspace.name.id == "vocabulary"
    assert window.appearance.scheme == "dark"
    assert not window.panes.library_is_shown()
    assert not session.show_whitespace
    assert session.annotations == "bytes"
    assert session.special == "all"
    assert session.patterns == ("gpt2", "own")
    assert session.own_pattern == r"\d|\D+"
    assert session.figures.languages_out == {"el", "ja"}
    found = {item.key: item for item in session.library}
    assert found["shipped:tokenarium-8k"].state is State.OPEN
    assert found[f"trained:{KEPT}"].state is State.OPEN
    assert found[f"file:{FILE}"].source == FILE
    assert found[f"file:{RANKS}"].pattern == r"\w+|\W+"
    assert [found[f"file:{path}"].state for path in (FILE, RANKS)] == [State.FAILED] * 2


def test_what_was_trained_is_kept_and_is_trained_again_alike(reopened: MainWindow) -> None:
    store = reopened.session.trainings.store
    kept = {one.name: one for one in store.all()}
    assert sorted(kept) == ["Kept one", "Kept three"]  # two was deleted
    one = kept["Kept one"]
    assert (one.identity, one.note) == (KEPT, "a note")  # so its settings are known again
    assert tc.open(store.path(one)).encode_ids("lowest <|end|>")[:2] == [258, 115]
    reopened.actions_by_id["train_workspace"].trigger()
    page = reopened.workspace.page  # type: ignore[attr-defined]
    assert isinstance(page, TrainingPage)
    page.trainings.settings_chosen.emit(one)
    draft = page.form.draft
    values = draft.values()
    assert values["pattern"] == "gpt2"
    assert list(values["special_tokens"]) == ["<|end|>"]  # type: ignore[arg-type]
    assert "naive" in values.values()  # how it was trained, whatever that option is called
    assert draft.has("bpe", 262, values)


def test_a_cache_of_an_opened_file_does_no_harm(tmp_path: Path) -> None:
    cache = WRITTEN["cache"]
    path = write_file(
        tmp_path.resolve() / "tokenizer.json",
        unpacked(WRITTEN["files"][cache["source"]]) + b" " * cache["blanks"],
    )
    folder = new_folder(tmp_path / "cache")
    name = hashlib.sha256(str(path).encode()).hexdigest()[:32]
    head = "\n".join([*cache["head"], str(path)]) + "\n\0"
    frozen = head.encode() + cache["state"].encode().ljust(200) + unpacked(cache["rest"])
    (folder / f"{name}.frozen").write_bytes(frozen)
    text = "lowest of the low 12"
    assert tc.open(path, cache=folder).encode_ids(text) == tc.open(path).encode_ids(text)
