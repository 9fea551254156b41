"""Rows of widgets that go on in the next line."""

from __future__ import annotations

import itertools

from PySide6.QtWidgets import QApplication, QLabel, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.widgets.layouts import FlowLayout


def test_what_is_put_in_while_nobody_looks_is_set_out(qtbot: QtBot, qapp: QApplication) -> None:
    pages, row = QStackedWidget(), QWidget()
    qtbot.addWidget(pages)
    layout = FlowLayout(row)
    for page in (row, QWidget()):
        pages.addWidget(page)
    layout.addWidget(QLabel("one"))
    pages.resize(400, 100)
    pages.show()
    qapp.processEvents()
    pages.setCurrentIndex(1)
    old = layout.takeAt(0).widget()
    assert old is not None
    old.deleteLater()
    labels = [QLabel(text) for text in ("one", "two", "three")]
    for label in labels:
        layout.addWidget(label)
    pages.setCurrentIndex(0)
    qapp.processEvents()
    places = [label.geometry() for label in labels]
    assert all(
        place.size() == label.sizeHint() for place, label in zip(places, labels, strict=True)
    )
    assert all(one.right() < other.left() for one, other in itertools.pairwise(places))
