"""What assistive technology finds in a view of tokens."""

from __future__ import annotations

import gc

import pytest
from narrowed import of_kind, there
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot
from token_views import PROSE, by_words, fill, shown_view

from tokenarium.models.text.segmentation import TextParts
from tokenarium.widgets.text.accessible_tokens import AccessibleToken, AccessibleTokens, install
from tokenarium.widgets.text.token_view import TokenView

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


def interface_of(view: TokenView) -> AccessibleTokens:
    install()
    return of_kind(QAccessible.queryAccessibleInterface(view), AccessibleTokens)


def test_visible_tokens_are_children_with_text_id_and_bytes(qtbot: QtBot) -> None:
    view = shown_view(qtbot)
    fill(view, "one two naïve", TextParts.of_tokens([40, 50, 60], [[0, 4], [4, 8], [8, 14]]))
    tokens = interface_of(view)
    assert tokens.childCount() == 3
    found = [tokens.child(place) for place in range(3)]
    assert [token.text(QAccessible.Text.Name) for token in found if token] == [
        "one ",
        "two ",
        "naïve",
    ]
    last = of_kind(tokens.child(2), AccessibleToken)
    assert last.text(QAccessible.Text.Description) == "id 60, bytes 8 to 14"
    assert tokens.indexOfChild(last) == 2
    place = view.viewport().mapFromGlobal(last.rect().center())
    assert view.part_at(place) == 2
    centre = last.rect().center()
    assert tokens.childAt(centre.x(), centre.y()) is last
    assert tokens.child(3) is None


def test_only_the_lines_that_are_seen_have_children(qtbot: QtBot) -> None:
    view = shown_view(qtbot)
    text = "".join(f"{n} {PROSE}\n" for n in range(300))
    parts = fill(view, text, by_words(text))
    tokens = interface_of(view)
    assert 0 < tokens.childCount() < 200
    view.scrollTo(len(text) // 2)
    first = there(tokens.child(0))
    assert isinstance(first, AccessibleToken)
    assert first.part == view.visible_parts().start > 100
    fill(view, "short")
    assert not first.isValid()
    assert first.text(QAccessible.Text.Name) == ""
    assert len(parts) > 3000


def test_views_come_and_go(qtbot: QtBot) -> None:
    for _ in range(20):
        view = TokenView()
        fill(view, "one two")
        assert interface_of(view).childCount() == 2
        assert interface_of(view).child(1) is not None
        view.deleteLater()
        del view
        gc.collect()
        qtbot.wait(1)
