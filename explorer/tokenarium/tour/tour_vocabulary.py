"""The stops of the tour in the workspace Vocabulary."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.tour.stops import LARGE, SMALL, Guide, Stop
from tokenarium.views.vocabulary import VocabularyView

PATIENCE_S = 60


def vocabulary_stops(guide: Guide) -> list[Stop]:
    """Returns the stops."""

    def view_of(window: MainWindow, page: str) -> VocabularyView:
        guide.settle()
        window.vocabulary_commands.show_page(page)
        view = window.workspace
        assert isinstance(view, VocabularyView)
        guide.settle()
        return view

    def entries(
        key: str, query: str = "", piece: str = "", size: QSize | None = None, sort: int = 0
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            window.session.set_current(key)
            view = view_of(window, "entries")
            view.entries.sort(sort, False)
            view.entries.field.set_text(query)
            columns = view.entries.columns
            if piece and columns is not None:
                view.entries.show_entry(columns.vocabulary.find(piece.encode()))
            time.sleep(0.1)  # the pane follows after a moment
            guide.settle()

        return prepare

    def merges(
        key: str, query: str = "", size: QSize | None = None
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_current(key)
            view_of(window, "merges").merges.field.set_text(query)
            guide.settle()

        return prepare

    def modelled(name: str, query: str) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            path = guide.small_model(name)
            window.take_files([path])
            guide.settle()
            entries(f"file:{path}", query, "er" if name == "unigram" else "")(window)

        return prepare

    def no_tokenizer(window: MainWindow) -> None:
        for item in window.session.chosen():
            window.session.edits.turn_on(item.key, False)
        view_of(window, "entries")

    def diagnostics(key: str, size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            window.session.set_current(key)
            view = view_of(window, "diagnostics")
            until = time.monotonic() + PATIENCE_S
            while view.cache.examining and time.monotonic() < until:
                QApplication.processEvents()
                time.sleep(0.02)

        return prepare

    def release(
        key: str, part: int = 0, size: QSize | None = None
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            window.session.set_current(key)
            page = view_of(window, "release").release
            until = time.monotonic() + PATIENCE_S
            while page.busy and time.monotonic() < until:
                QApplication.processEvents()
                time.sleep(0.02)
            page.parts.setCurrentIndex(part)

        return prepare

    def stopped(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        window.session.set_current("named:o200k_base")
        view = view_of(window, "diagnostics")
        view.cache.stop()

    return [
        ("vocabulary", "vocabulary", entries("named:o200k_base", "", " tokenizer")),
        (
            "vocabulary-latin",
            "vocabulary",
            entries("named:gpt2", "the script:latin len:3-6", " the"),
        ),
        (
            "vocabulary-arabic",
            "vocabulary",
            entries("named:o200k_base", "script:arabic len:>8", " العالم"),
        ),
        (
            "vocabulary-hebrew",
            "vocabulary",
            entries("named:o200k_base", "script:hebrew", " של"),
        ),
        (
            "vocabulary-hindi",
            "vocabulary",
            entries("named:o200k_base", "script:devanagari", " भारत"),
        ),
        (
            "vocabulary-cjk",
            "vocabulary",
            entries("named:cl100k_base", "script:han,hiragana chars:2-", "日本"),
        ),
        ("vocabulary-emoji", "vocabulary", entries("named:o200k_base", "bytes:f09f98", "😂")),
        (
            "vocabulary-bytes",
            "vocabulary",
            entries("named:cl100k_base", "flag:splits len:2-", sort=5),
        ),
        ("vocabulary-unigram", "vocabulary", modelled("unigram", "er")),
        ("vocabulary-wordpiece", "vocabulary", modelled("wordpiece", "type:continuing")),
        ("vocabulary-nothing", "vocabulary", entries("named:gpt2", "zzqq")),
        ("vocabulary-error", "vocabulary", entries("named:gpt2", "script:latn2")),
        ("vocabulary-no-tokenizer", "vocabulary", no_tokenizer),
        ("vocabulary-small", "vocabulary", entries("named:o200k_base", "ing", "ing", SMALL)),
        (
            "vocabulary-large",
            "vocabulary",
            entries("named:o200k_base", "script:latin", " international", LARGE),
        ),
        ("merge-list", "vocabulary", merges("named:o200k_base")),
        ("merge-list-pair", "vocabulary", merges("named:gpt2", "(256, 258)")),
        ("merge-list-small", "vocabulary", merges("named:gpt2", "script:latin len:6-", SMALL)),
        ("diagnostics", "vocabulary", diagnostics("named:cl100k_base")),
        ("diagnostics-stopped", "vocabulary", stopped),
        ("diagnostics-small", "vocabulary", diagnostics("named:gpt2", SMALL)),
        ("diagnostics-large", "vocabulary", diagnostics("named:o200k_base", LARGE)),
        ("release", "vocabulary", release("named:cl100k_base")),
        ("release-languages", "vocabulary", release("named:cl100k_base", 2)),
        ("release-small", "vocabulary", release("named:gpt2", 0, SMALL)),
    ]
