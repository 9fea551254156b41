"""The stops of the tour in the workspace Merges, except those of the page Steps."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.tour.stops import SMALL, USUAL, Guide, Stop
from tokenarium.views.merge_prefixes import PrefixPage
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merge_why import WhyPage
from tokenarium.views.merges import MergesView

WORD = "unfamiliar"
PATTERN = "cl100k"
TEXTS = {
    "latin": "prose-de",
    "arabic": "prose-ar",
    "hindi": "prose-hi",
    "japanese": "prose-ja",
    "emoji": "emoji",
}


def why_stops(guide: Guide) -> list[Stop]:
    """Returns the stops at the page "Why not one?"."""

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
        for item in window.session.chosen():
            window.session.edits.turn_on(item.key, False)
        window.take_files([guide.small_model(name) for name in ("unigram", "wordpiece")])
        guide.settle()
        selected(sample_text(WELCOME), "elcome")(window)

    def offered(window: MainWindow) -> None:
        asked("unbelievable")(window)
        page(window).answers.card.play.click()

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


def prefix_stops(guide: Guide) -> list[Stop]:
    """Returns the stops at the page Longest match."""

    def walked(key: str, position: int, size: QSize = USUAL) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.resize(size)
            window.session.set_text("<|end|> <|endoftext|> ends a text.")
            guide.settle()
            window.session.set_current(key)
            window.merge_commands.show_page(PrefixPage.id)
            view = window.workspace
            assert isinstance(view, MergesView)
            assert isinstance(view.page, PrefixPage)
            guide.settle()
            view.page.player.go_to(position)

        return prepare

    return [
        ("longest-match", "merges", walked("named:cl100k_base", 20)),
        ("longest-match-start", "merges", walked("named:gpt2", 0)),
        ("longest-match-small", "merges", walked("named:cl100k_base", 12, SMALL)),
    ]


def training_stops(guide: Guide) -> list[Stop]:
    """Returns the stops at the page Training."""

    def page(window: MainWindow, sample: str, size: QSize) -> MergeTrainingPage:
        window.resize(size)
        window.session.set_text(sample_text(sample) if sample else "")
        guide.settle()
        window.merge_commands.show_page(MergeTrainingPage.id)
        view = window.workspace
        assert isinstance(view, MergesView)
        found = view.page
        assert isinstance(found, MergeTrainingPage)
        return found

    def played(
        share: float, sample: str, size: QSize = USUAL, pattern: str = PATTERN, table: int = 0
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            training = page(window, sample, size)
            training.tables.choose(table)
            training.form.choose("text")
            training.form.pattern.setCurrentText(pattern)
            training.form.merges.setValue(300)
            training.train()
            guide.settle()
            training.player.pause()  # it plays at once
            training.player.go_to(round(training.player.length * share))
            training.bars.finish_motion()

        return prepare

    def by(algorithm: str, share: float, size: QSize = USUAL) -> Callable[[MainWindow], object]:
        """Plays a training by another algorithm, with 600 entries or 300 merges."""

        def prepare(window: MainWindow) -> None:
            training = page(window, "prose-en", size)
            training.form.choose_algorithm(algorithm)
            training.form.scoring.setCurrentIndex(2)
            training.form.entries.setValue(600)
            played(share, "prose-en", size)(window)
            training.form.choose_algorithm("bpe")

        return prepare

    def textbook(window: MainWindow) -> None:
        """Plays a training over raw bytes, with ties broken by the first place."""
        form = page(window, "prose-en", USUAL).form
        form.ties.setCurrentIndex(1)
        played(0.1, "prose-en", pattern="none")(window)
        form.ties.setCurrentIndex(0)

    def empty(sample: str) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            training = page(window, sample, USUAL)
            training.form.choose("text")
            training.train()

        return prepare

    return [
        ("training-none", "merges", lambda window: page(window, "welcome", USUAL)),
        ("training-empty", "merges", empty("")),
        ("training-begin", "merges", played(0.0, "prose-en")),
        ("training", "merges", played(0.3, "prose-en")),
        ("training-end", "merges", played(1.0, "prose-en")),
        ("training-small", "merges", played(0.3, "prose-en", SMALL)),
        ("training-pre-tokens", "merges", played(0.3, "prose-en", table=1)),
        ("training-pairs", "merges", played(0.3, "prose-en", table=2)),
        ("training-changes", "merges", played(0.3, "prose-en", table=3)),
        ("training-changes-small", "merges", played(0.3, "prose-en", SMALL, table=3)),
        ("training-textbook", "merges", textbook),
        ("training-superbpe", "merges", by("superbpe", 0.95)),
        ("training-sentencepiece", "merges", by("sentencepiece-bpe", 0.3)),
        ("training-wordpiece", "merges", by("wordpiece", 0.3)),
        ("training-unigram", "merges", by("unigram", 0.6)),
        ("training-unigram-small", "merges", by("unigram", 0.6, SMALL)),
        *[(f"training-{name}", "merges", played(0.4, sample)) for name, sample in TEXTS.items()],
    ]


def size_stops(guide: Guide) -> list[Stop]:
    """Returns the stops at the page Vocabulary size."""

    def sizes(
        text: str,
        share: float,
        size: QSize | None = None,
        log: bool = True,
        ratio: bool = False,
        current: str = "named:cl100k_base",
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_current(current)
            window.session.set_text(text)
            page = _page(guide, window)
            page.set_log(log)
            page.set_ratio(ratio)
            page.player.go_to(round(page.player.length * share))
            window.actions_by_id.refresh()

        return prepare

    def change(window: MainWindow) -> None:
        sizes(sample_text(WELCOME), 0.05)(window)
        _page(guide, window).player.step(1)

    def no_merges(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        window.take_files([guide.small_model("unigram")])
        guide.settle()
        window.session.set_current(window.session.chosen()[-1].key)
        _page(guide, window)

    def empty(window: MainWindow) -> None:
        _page(guide, window)
        window.session.set_text("")

    text = sample_text(WELCOME)
    return [
        ("sizes", "merges", sizes(text, 0.05)),
        ("sizes-start", "merges", sizes(text, 0.0)),
        ("sizes-end", "merges", sizes(text, 1.0, ratio=True)),
        ("sizes-linear", "merges", sizes(text, 0.2, log=False)),
        ("sizes-arabic", "merges", sizes(sample_text("prose-ar"), 0.3)),
        ("sizes-hindi", "merges", sizes(sample_text("prose-hi"), 0.6)),
        ("sizes-japanese", "merges", sizes(sample_text("prose-ja"), 0.3)),
        ("sizes-emoji", "merges", sizes(sample_text("emoji"), 0.5)),
        ("sizes-small", "merges", sizes(text, 0.05, SMALL)),
        ("sizes-change", "merges", change),
        ("sizes-none", "merges", no_merges),
        ("sizes-empty", "merges", empty),
    ]


def _page(guide: Guide, window: MainWindow) -> MergeSizesPage:
    window.merge_commands.show_page(MergeSizesPage.id)
    guide.settle()
    view = window.workspace
    assert isinstance(view, MergesView)
    page = view.page
    assert isinstance(page, MergeSizesPage)
    page.recut()
    guide.settle()
    return page


def export_stops(guide: Guide) -> list[Stop]:
    """Returns the stops at the dialog that exports the steps of a player."""

    def export(page: str, kind: int, size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            window.merge_commands.show_page(page)
            text_map = window.session.text_map
            start = text_map.utf8.index(WORD.encode())
            window.session.select(start, start + len(WORD))
            guide.settle()
            window.merge_commands.animations.export_steps()
            dialog = window.merge_commands.animations.dialog
            assert dialog is not None
            dialog.kind.setCurrentIndex(kind)
            dialog.show_preview()

        return prepare

    return [
        ("export-gif", "merges", export("steps", 0)),
        ("export-frames", "merges", export("sizes", 2)),
        ("export-picture", "merges", export("steps", 3)),
        ("export-small", "merges", export("steps", 0, SMALL)),
    ]
