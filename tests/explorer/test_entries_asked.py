"""A script of a chart leads to its entries in the workspace Vocabulary."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.scripts.vocabulary_scripts import query_of
from tokenarium.models.vocabulary.vocabulary_columns import CLASS_NAMES
from tokenarium.models.vocabulary.vocabulary_query import parse
from tokenarium.views.vocabulary import VocabularyView


def test_every_class_has_a_query_of_its_own() -> None:
    for number in range(len(CLASS_NAMES)):
        [term] = parse(query_of(number))
        assert isinstance(term.value, frozenset)
        assert number in term.value


def test_a_script_shows_its_entries(window: MainWindow, qtbot: QtBot) -> None:
    window.session.ask_entries(query_of(list(CLASS_NAMES).index("Latin")))
    view = window.workspace
    assert isinstance(view, VocabularyView)
    assert view.page.id == "entries"
    qtbot.waitUntil(lambda: 0 < len(view.entries.rows) < 8000)
    assert view.entries.field.text == "script:latin"
