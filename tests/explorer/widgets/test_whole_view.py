"""Pictures of a view: all that it scrolls, nothing that only a hand uses, and the view as it was afterwards."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QFileDialog, QPushButton, QTreeWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot
from windows import on_screen

from tokenarium.app.window import MainWindow
from tokenarium.views.workspace import column
from tokenarium.widgets import whole_view
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.whole_view import SHARPNESS, save_view_png, save_view_svg
from tokenarium.widgets.zoom_area import ZoomArea

LINES = 90


def colours(image: QImage, top: int, bottom: int) -> set[int]:
    return {image.pixel(x, y) for x in range(image.width()) for y in range(top, bottom)}


def test_a_png_of_a_short_text_is_the_view_twice_as_sharp(
    window: MainWindow, tmp_path: Path
) -> None:
    window.session.set_text("Hello, world")
    assert not save_view_png(window.workspace, tmp_path / "view.png")
    image = QImage(str(tmp_path / "view.png"))
    assert image.size() == window.workspace.size() * SHARPNESS
    assert len(colours(image, 0, image.height())) > 10


def test_all_lines_of_a_long_text_are_in_the_pictures(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.session.set_text("".join(f"Row number {n}\n" for n in range(LINES)) + "مرحبا بالعالم")
    qtbot.waitUntil(lambda: window.session.encoded(window.session.current.key) is not None)  # type: ignore[union-attr]
    view = window.workspace
    size, window_size = view.size(), window.size()
    before = view.grab().toImage()
    assert not save_view_png(view, tmp_path / "view.png")
    assert not save_view_svg(view, tmp_path / "view.svg")
    assert (view.size(), window.size()) == (size, window_size)
    assert view.grab().toImage() == before
    image = QImage(str(tmp_path / "view.png"))
    assert image.width() == size.width() * SHARPNESS
    assert image.height() > LINES * 20 * SHARPNESS
    assert len(colours(image, image.height() - 60 * SHARPNESS, image.height())) > 10  # the end
    root = ElementTree.parse(tmp_path / "view.svg").getroot()
    texts = "".join(root.itertext())
    assert all(f"{n}" in texts for n in range(LINES))
    assert "مرحبا" in texts


def test_a_place_in_a_long_text_stays(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.session.set_text("".join(f"Row number {n}\n" for n in range(LINES)))
    qtbot.waitUntil(lambda: window.session.encoded(window.session.current.key) is not None)  # type: ignore[union-attr]
    view = window.workspace
    view.seek(window.session.text_map.byte_count // 2)
    qtbot.wait(50)
    before = view.grab().toImage()
    save_view_png(view, tmp_path / "view.png")
    qtbot.wait(50)
    assert view.grab().toImage() == before


def test_buttons_and_scroll_bars_are_not_in_it(qtbot: QtBot, tmp_path: Path) -> None:
    button = QPushButton("A button")
    button.setStyleSheet("background: rgb(255, 0, 0)")
    table = QTreeWidget()
    table.verticalScrollBar().setStyleSheet("background: rgb(0, 0, 255)")
    table.addTopLevelItems([QTreeWidgetItem([f"Row {n}"]) for n in range(200)])
    view = on_screen(qtbot, column(button, table), 200, 300)
    strong = {QColor(255, 0, 0).rgb(), QColor(0, 0, 255).rgb()}
    assert strong <= colours(view.grab().toImage(), 0, 300)
    assert not save_view_png(view, tmp_path / "view.png")
    image = QImage(str(tmp_path / "view.png"))
    assert not strong & colours(image, 0, image.height())
    # Rows are counted one by one by the bar of a table, and the picture has all of them.
    assert image.height() >= 200 * table.sizeHintForRow(0) * SHARPNESS
    # Nor is the room of the bar: the heads of the columns go up to the edge.
    edge = colours(image.copy(image.width() - 6, 0, 6, image.height()), 0, image.height())
    assert table.palette().base().color().rgb() in edge
    assert strong <= colours(view.grab().toImage(), 0, 300)


def test_what_is_too_large_is_cut_and_said(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_view, "MOST_SIDE", 500)
    table = QTreeWidget()
    table.addTopLevelItems([QTreeWidgetItem([f"Row {n}"]) for n in range(200)])
    qtbot.addWidget(table)
    table.resize(200, 300)
    table.show()
    said = save_view_png(table, tmp_path / "view.png")
    assert QImage(str(tmp_path / "view.png")).size() == QSize(200, 500)
    assert "view.png was saved without the end of the view" in said
    assert "500" in said
    assert "view.svg was saved without" in save_view_svg(table, tmp_path / "view.svg")
    monkeypatch.setattr(whole_view, "MOST_PIXELS", 200 * 350)
    assert save_view_png(table, tmp_path / "view.png")
    assert QImage(str(tmp_path / "view.png")).size() == QSize(200, 350)
    table.clear()
    assert not save_view_png(table, tmp_path / "view.png")


def test_what_no_picture_has_is_said_in_the_window(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = str(tmp_path / "view.png")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (name, ""))
    monkeypatch.setattr(whole_view, "MOST_SIDE", 100)
    window.text_commands.export_png()
    assert "without the end of the view" in window.messages.label.text()
    assert (tmp_path / "view.png").exists()


def test_an_enlarged_chart_is_drawn_in_its_own_size(qtbot: QtBot, tmp_path: Path) -> None:
    area = ZoomArea(QPushButton())
    view = on_screen(qtbot, column(area), 200, 300)
    area.set_percent(200)
    area.verticalScrollBar().setValue(17)
    assert not save_view_png(view, tmp_path / "view.png")
    assert QImage(str(tmp_path / "view.png")).size() == QSize(200, 300) * SHARPNESS
    assert area.percent == 200
    assert area.verticalScrollBar().value() == 17


def test_an_area_in_an_area(qtbot: QtBot, tmp_path: Path) -> None:
    inner = QTreeWidget()
    inner.addTopLevelItems([QTreeWidgetItem([f"Row {n}"]) for n in range(50)])
    view = on_screen(qtbot, column(FitArea(column(inner), fills=True)), 200, 100)
    assert not save_view_png(view, tmp_path / "view.png")
    high = QImage(str(tmp_path / "view.png")).height()
    assert high >= 50 * inner.sizeHintForRow(0) * SHARPNESS
