"""Encode a corpus as a job of the window: what it asks, how it goes, how it ends and goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from narrowed import assert_contains
from pytestqt.qtbot import QtBot
from small_files import new_folder
from windows import emitted, trigger

from tokenarium.app.window import MainWindow
from tokenarium.menus.encoding import EncodingCommands
from tokenarium.models.corpora.encoded_corpus import MANIFEST
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_request import CountingPlace
from tokenarium.session.catalogue import shipped
from tokenarium.style.theme import DARK
from tokenarium.widgets.training.encode_dialog import LAYOUTS, EncodeDialog
from tokenarium.work import corpus_counting, corpus_encoding
from tokenarium.work.corpus_counting import WorkNews
from tokenarium.work.corpus_encoding import EncodingRequest, encode_anywhere
from tokenarium_core import TokenariumError


class Heard:
    """Takes the news of a run; asks it to stop after some bytes."""

    def __init__(self, most: int = 1 << 60) -> None:
        self.news: list[WorkNews] = []
        self._most = most

    def __call__(self, news: object) -> None:
        assert isinstance(news, WorkNews)
        self.news.append(news)

    @property
    def asked_to_stop(self) -> bool:
        return any(one.done >= self._most for one in self.news)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = new_folder(tmp_path / "texts")
    for name in "abc":
        rows = [json.dumps({"text": f"{name} {number} lower नमस्ते"}) for number in range(200)]
        (folder / f"{name}.jsonl").write_text("\n".join(rows))
    return folder


def request(texts: Path, folder: Path, **more: object) -> EncodingRequest:
    sources = (CorpusSource("folder", str(texts)),)
    return EncodingRequest(shipped().source, "8k", sources, folder, **more)  # type: ignore[arg-type]


@pytest.fixture
def encoding(window: MainWindow, texts: Path, tmp_path: Path) -> EncodingCommands:
    """The commands with an open dialog, filled in."""
    trigger(window, "encode_corpus")
    commands = window.lazy.encoding
    dialog = opened(commands)
    assert not dialog.begin.isEnabled()
    dialog.sources.set_sources([CorpusSource("folder", str(texts))])
    dialog.folder.setText(str(tmp_path / "ids"))
    assert dialog.begin.isEnabled()
    return commands


def opened(commands: EncodingCommands) -> EncodeDialog:
    assert commands.dialog is not None
    return commands.dialog


def test_a_corpus_is_written_and_checked(
    encoding: EncodingCommands, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = opened(encoding)
    dialog.check.setChecked(True)
    dialog.begin.click()
    assert encoding.busy
    assert dialog.stop.isVisible()
    assert not dialog.sources.isEnabled()
    qtbot.waitUntil(lambda: not encoding.busy)
    assert dialog.state.text() == f"The ids are in {tmp_path / 'ids'}"
    assert_contains(dialog.sentence.text(), "600 documents", "Checked: all hashes")
    assert dialog.show_folder.isVisible()
    assert not dialog.stop.isVisible()
    manifest = json.loads((tmp_path / "ids" / MANIFEST).read_text())
    ids = np.fromfile(tmp_path / "ids" / "tokens-00000.bin", np.uint16)
    assert manifest["total"]["tokens"] == len(ids)
    assert dialog.end_token.startswith("<|")
    dialog.begin.click()
    qtbot.waitUntil(lambda: not encoding.busy)
    assert "1 of the shards was there before" in dialog.sentence.text()


def test_a_fault_ends_in_a_sentence(
    encoding: EncodingCommands, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = opened(encoding)
    folder = new_folder(tmp_path / "ids")
    (folder / "tokens-00007.json").write_text("{}")
    dialog.begin.click()
    qtbot.waitUntil(lambda: not encoding.busy)
    assert dialog.state.text() == "Not finished"
    assert "holds the shards of another run" in dialog.sentence.text()
    dialog.close()
    problems: list[str] = emitted(window.session.problem)
    encoding.begin()
    qtbot.waitUntil(lambda: not encoding.busy)
    assert len(problems) == 1  # in the window, as the dialog is closed


def test_what_is_missing_is_said(
    encoding: EncodingCommands, window: MainWindow, tmp_path: Path
) -> None:
    dialog = opened(encoding)
    dialog.folder.setText(str(tmp_path / "absent" / "ids"))
    assert "There is no folder" in dialog.fault.text()
    dialog.folder.setText("")
    assert dialog.problem == "Choose the folder for the shards."
    dialog.folder.setText(str(tmp_path / "ids"))
    dialog.place.kind.setCurrentIndex(2)
    assert "tcp://" in dialog.fault.text()
    dialog.place.address.setText("10.0.0.1")
    assert "is not the address of a scheduler" in dialog.fault.text()
    dialog.place.address.setText("tcp://10.0.0.1:8786")
    assert not dialog.problem
    assert dialog.place.place == CountingPlace(1, "tcp://10.0.0.1:8786")
    dialog.sources.set_sources([])
    assert not dialog.begin.isEnabled()
    dialog.sources.text_requested.emit()
    assert dialog.sources.sources[0].value == window.session.text
    dialog.setPalette(DARK.palette())
    for place, (name, _, about) in enumerate(LAYOUTS):
        dialog.layout_box.setCurrentIndex(place)
        assert (dialog.layout_name, dialog.layout_about.text()) == (name, about)


def test_it_can_be_stopped(encoding: EncodingCommands, tmp_path: Path, qtbot: QtBot) -> None:
    dialog = opened(encoding)
    dialog.begin.click()
    dialog.stop.click()  # before the process has read a byte: how fast a machine encodes does not matter
    qtbot.waitUntil(lambda: not encoding.busy)
    assert "continue with the others" in dialog.sentence.text()
    assert not list((tmp_path / "ids").glob(".*"))
    assert not list((tmp_path / "ids").glob("*.bin"))


def test_half_a_shard_is_removed(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_counting, "OFTEN_S", 0.0)
    row = json.dumps({"text": "some words that go on and on " * 10}) + "\n"
    (texts / "long.jsonl").write_text(row * 50_000)
    heard = Heard(1)
    with pytest.raises(TokenariumError, match="Stopped"):
        encode_anywhere(heard, request(texts, tmp_path / "ids"))  # type: ignore[arg-type]
    assert 0 < heard.news[-1].done < heard.news[-1].total  # in the middle of the only shard
    assert not list((tmp_path / "ids").iterdir())


def test_a_stopped_run_goes_on(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_counting, "OFTEN_S", 0.0)
    small = {"shard_bytes": 1}
    whole = encode_anywhere(Heard(), request(texts, tmp_path / "whole", **small))  # type: ignore[arg-type]
    assert (whole.shards, whole.kept, whole.faults) == (3, 0, [])
    first = (texts / "a.jsonl").stat().st_size
    with pytest.raises(TokenariumError, match="Stopped"):
        encode_anywhere(Heard(first), request(texts, tmp_path / "ids", **small))  # type: ignore[arg-type]
    there = len(list((tmp_path / "ids").glob("*.bin")))
    assert 0 < there < 3
    done = encode_anywhere(Heard(), request(texts, tmp_path / "ids", check=True, **small))  # type: ignore[arg-type]
    assert done.kept == there
    assert done.tokens == whole.tokens
    for path in (tmp_path / "whole").glob("*.bin"):
        assert (tmp_path / "ids" / path.name).read_bytes() == path.read_bytes()


def test_a_shard_that_cannot_be_written_is_named(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = corpus_encoding.write_shard

    def broken(order: object, shard: object, progressed: object) -> object:
        if shard.number == 1:  # type: ignore[attr-defined]
            raise OSError("the disk is full")
        return write(order, shard, progressed)  # type: ignore[arg-type]

    monkeypatch.setattr(corpus_encoding, "write_shard", broken)
    found = encode_anywhere(Heard(), request(texts, tmp_path / "ids", shard_bytes=1, check=True))  # type: ignore[arg-type]
    assert found.faults == ["tokens-00001: the disk is full"]
    assert found.shards == 2
    assert not (tmp_path / "ids" / MANIFEST).exists()
    monkeypatch.setattr(corpus_encoding, "write_shard", write)
    found = encode_anywhere(Heard(), request(texts, tmp_path / "ids", shard_bytes=1))  # type: ignore[arg-type]
    assert (found.faults, found.shards, found.kept) == ([], 3, 2)
