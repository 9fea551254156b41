"""The stops of the tour at the page "Why not one?"."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.views.merge_why import WhyPage
from tokenarium.views.merges import MergesView

SMALL = QSize(800, 600)

Stop = tuple[str, str, Callable[[MainWindow], object]]


class WhyGuide(Protocol):
    """What takes the pictures."""

    def settle(self) -> None:
        """Waits until nothing goes on any more."""

    def small_model(self, name: str) -> Path:
        """Returns the path of a small model: "unigram" or "wordpiece"."""


def why_stops(guide: WhyGuide) -> list[Stop]:
    """Returns the stops: a name, the workspace, and what prepares the window."""

    def page(window: MainWindow) -> WhyPage:
        guide.settle()
        window.merge_commands.show_page(WhyPage.id)
        view = window.workspace
        assert isinstance(view, MergesView)
        assert isinstance(view.page, WhyPage)
        return view.page

    def asked(text: str, size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            shown = page(window)
            shown.ask(text)
            shown.answer()

        return prepare

    def selected(text: str, word: str) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.session.set_text(text)
            shown = page(window)
            start = text.encode().index(word.encode())
            window.session.select(start, start + len(word.encode()))
            shown.answer()

        return prepare

    def scored(window: MainWindow) -> None:
        for entry in window.session.chosen():
            window.session.edits.turn_on(entry.key, False)
        window.take_files([guide.small_model(name) for name in ("unigram", "wordpiece")])
        guide.settle()
        selected(sample_text(WELCOME), "elcome")(window)

    def offered(window: MainWindow) -> None:
        asked("unbelievable")(window)
        shown = page(window)
        next(iter(shown.cards.values())).play.click()

    return [
        ("why", "merges", asked("Tokenarium")),
        ("why-one", "merges", asked("hello")),
        ("why-cut", "merges", asked("don't")),
        ("why-blanks", "merges", asked("\t  x\n")),
        ("why-outranked", "merges", selected("The slower one is international.", "low")),
        ("why-scored", "merges", scored),
        ("why-arabic", "merges", asked("المكتبة")),
        ("why-hindi", "merges", asked("रेलगाड़ी")),
        ("why-japanese", "merges", selected("駅の前の本屋で、", "本屋")),
        ("why-emoji", "merges", asked("👩\N{ZERO WIDTH JOINER}🚀")),
        ("why-small", "merges", asked("internationalise", SMALL)),
        ("why-offered", "merges", offered),
        ("why-long", "merges", asked("token" * 80)),
        ("why-empty", "merges", asked("")),
    ]
