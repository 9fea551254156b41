"""The list of sources: files of any form, groups of a pattern, lists with weights, addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.widgets.training.source_list import SourceList


@pytest.fixture
def sources(qtbot: QtBot) -> SourceList:
    return on_screen(qtbot, SourceList())


def values(sources: SourceList) -> list[tuple[str, str, float | None]]:
    return [(one.kind, Path(one.value).name, one.weight) for one in sources.sources]


def test_files_and_addresses_are_dropped(sources: SourceList, tmp_path: Path) -> None:
    names = ["a.parquet", "b.jsonl.zst", "c.txt.xz"]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    data = QMimeData()
    far = QUrl("https://example.org/d.txt")
    data.setUrls([*(QUrl.fromLocalFile(str(tmp_path / name)) for name in names), far])
    sources.dropEvent(
        QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    assert [name for _, name, _ in values(sources)] == [*names, "d.txt"]
    assert sources.sources[3].value == "https://example.org/d.txt"
    assert sources.problem.text() == ""


def test_a_table_has_a_column_and_lines_a_field(sources: SourceList, tmp_path: Path) -> None:
    for name in ("a.parquet", "b.jsonl.zst", "c.txt"):
        (tmp_path / name).write_bytes(b"x")
        sources.add_path(tmp_path / name)
    shown = []
    for row in range(3):
        sources.list.choose(row)
        label = sources._labels["Field"]
        shown.append((label.text(), not sources.field.isHidden(), not sources.encoding.isHidden()))
    assert shown == [("Column", True, False), ("Field", True, True), ("Field", False, True)]
    sources.list.choose(0)
    sources.field.setText("body")
    sources.field.textEdited.emit("body")
    assert sources.sources[0].field == "body"


def test_groups_a_list_and_an_address_are_added(
    sources: SourceList, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("de.jsonl", "en.jsonl"):
        (tmp_path / name).write_text('{"text": "a"}\n')
    (tmp_path / "list.txt").write_text("0.5 de.jsonl\n0.5 en.jsonl\n")
    answers = iter([str(tmp_path / "*.jsonl"), str(tmp_path / "*.gone"), "s3://bucket/a.parquet"])
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (next(answers), True))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "list.txt"), ""))
    sources.add_groups()
    assert values(sources) == [("file", "de.jsonl", None), ("file", "en.jsonl", None)]
    sources.add_groups()
    assert "No file matches" in sources.problem.text()
    sources.set_sources(())
    sources.add_list()
    assert [weight for _, _, weight in values(sources)] == [0.5, 0.5]
    sources.set_sources(())
    sources.add_address()
    assert sources.sources[0].value == "s3://bucket/a.parquet"
