"""Renders the real window to pictures, with no display: for the README, for tests, for looking."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QPoint,
    QSettings,
    QSize,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog

from tokenarium import settings
from tokenarium.app import WELCOME, application, make_window, sample_text
from tokenarium.appearance import Scheme
from tokenarium.models.library import State
from tokenarium.models.piece import hexadecimal, readable
from tokenarium.models.reference_check import Divergence, Report, Stage
from tokenarium.session import Annotations
from tokenarium.settings import Settings
from tokenarium.small_models import write_unigram, write_wordpiece
from tokenarium.tour_compare import compare_stops
from tokenarium.tour_export import export_stops
from tokenarium.tour_scripts import script_stops
from tokenarium.tour_sizes import size_stops
from tokenarium.tour_superwords import superword_stops
from tokenarium.tour_train import train_stops
from tokenarium.tour_training import training_stops
from tokenarium.tour_vocabulary import vocabulary_stops
from tokenarium.tour_why import why_stops
from tokenarium.views.bytes import BytesView
from tokenarium.views.merges import MergesView
from tokenarium.widgets.lattice_body import LatticeBody
from tokenarium.window import MainWindow

SIZE = QSize(1440, 900)
SMALL = QSize(800, 600)
PATIENCE_S = 60
"""How long a picture may wait for tokenizers and encodings."""

WANTED = ("shipped:tokenarium-8k", "named:gpt2", "named:cl100k_base", "named:o200k_base")
"""The tokenizers of the pictures, as far as they are on this computer."""

WORD = "WELCOME"
"""A word of the sample text that tokenizers break in different ways."""

ZWJ = "👩\N{ZERO WIDTH JOINER}🚀 👨\N{ZERO WIDTH JOINER}👩\N{ZERO WIDTH JOINER}👧 ❤\N{VARIATION SELECTOR-16} e\N{COMBINING ACUTE ACCENT} ﬁ"
"""What a reader takes for fewer characters than there are."""

PARTING = Report(
    "Small",
    "made-up 1.0",
    11_204,
    2_871,
    Divergence(
        1_205,
        4_711,
        4_806,
        ((262, " a"), (310, " few"), (44, ","), (5120, "１２"), (48, "３"), (883, " words")),
        ((262, " a"), (310, " few"), (44, ","), (7391, "123"), (883, " words"), (13, ".")),
        3,
        "１２３",
        Stage.NORMALIZER,
        "１２３",
        "123",
    ),
)
"""A divergence to show what one looks like: there is none among the tokenizers of the pictures."""

UNFINISHED = "{% for message in messages %}\n{{ message.content }\n{% endfor %}\n"
"""A chat template with a fault in its second line."""

BACKWARDS = "{% for message in messages | reverse %}\n<{{ message.role | upper }}> {{ message.content }}\n{% endfor %}\n"
"""A chat template that writes the last message first, so that the roles can only be guessed."""

PATTERNS = ("gpt2", "cl100k", "o200k")
SAVED_ROWS = 40
"""Tokens in the table on the terminal."""


def _tell(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Passes Qt's messages on, but not that the offscreen platform has no window manager."""
    if not message.startswith("This plugin does not support"):
        print(message, file=sys.stderr)


def quieten_platform() -> None:
    """Keeps Qt's messages that the offscreen platform has no window manager from the terminal."""
    qInstallMessageHandler(_tell)


class Renderer:
    """One window that no display shows, with settings of its own that nothing else reads."""

    def __init__(self) -> None:
        self._app: QApplication = application()
        self._folder = tempfile.TemporaryDirectory(prefix="tokenarium-")
        path = str(Path(self._folder.name) / "settings.ini")
        store = Settings(QSettings(path, QSettings.Format.IniFormat))
        store.set(settings.TOKENIZERS_ON, list(WANTED))
        store.set(settings.PATTERNS, list(PATTERNS))
        store.set(settings.COLOUR_SCHEME, "light")
        self.window: MainWindow = make_window(self._app, store)
        self.window.resize(SIZE)
        self.window.show()
        self.settle()

    def settle(self) -> None:
        """Waits until all tokenizers are open and all jobs are done; TimeoutError if they never are."""
        session = self.window.session
        deadline = time.monotonic() + PATIENCE_S
        quiet = 0
        while quiet < 3:
            self._app.processEvents()
            self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            busy = session.opening or session.jobs.running() or session.grapheme_edges is None
            busy = busy or self.window.job_bar.isVisible()
            busy = busy or self.window.late.busy or self.window.workspace.busy
            quiet = 0 if busy and session.text else quiet + 1
            if time.monotonic() > deadline:
                raise TimeoutError("The window did not come to rest.")
            time.sleep(0.02)

    def render(self, folder: Path, files: Sequence[Path]) -> Iterator[Path]:
        """Writes both workspaces, light and dark, on the last file or the sample text; yields paths.

        In the sample text a word is selected, so that the inspector has something to show.
        """
        window = self.window
        if files:
            window.take_files(files)
        else:
            window.session.set_text(sample_text(WELCOME))
            self._select(WORD)
        for space in ("tokens", "pretokens"):
            for scheme in ("light", "dark"):
                yield self._picture(folder, f"{space}-{scheme}", space, scheme)
        window.set_colour_scheme("light")

    def tour(self, folder: Path) -> Iterator[Path]:
        """Writes one picture of every state of the window; yields their paths."""
        for name, space, prepare in self._stops():
            self._reset()
            prepare(self.window)
            for scheme in ("light", "dark"):
                yield self._picture(folder, f"{name}-{scheme}", space, scheme)
        self._reset()

    def _stops(self) -> list[tuple[str, str, Callable[[MainWindow], object]]]:
        def sample(sample_id: str) -> Callable[[MainWindow], object]:
            return lambda window: window.session.set_text(sample_text(sample_id))

        def select(window: MainWindow) -> None:
            window.session.set_text(sample_text("mixed"))
            self.settle()
            window.session.set_annotations("ids")
            self._select("कुछ मीठा")

        def emoji(window: MainWindow) -> None:
            window.session.set_text(sample_text("emoji"))
            window.session.set_annotations("bytes")

        def special(window: MainWindow) -> None:
            window.session.set_text(
                "One text<|endoftext|>and another, with <|fim_prefix|> in it.\n"
            )
            window.session.set_special("all")

        def long(window: MainWindow) -> None:
            paragraphs = sample_text("prose-en") + "\n" + sample_text("code-python")
            window.session.set_text(paragraphs * (1_000_000 // len(paragraphs) + 1))

        def no_tokenizer(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            for entry in window.session.chosen():
                window.session.turn_on(entry.key, False)

        def missing(window: MainWindow) -> None:
            entry = window.session.library.entry("named:p50k_base")
            assert entry is not None
            window.session.set_text(sample_text(WELCOME))
            window.session.set_state(entry, State.FETCHING)
            entry.received, entry.total = 310_000, 836_000
            window.session.library.refresh(entry)

        def bad_file(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            path = Path(self._folder.name) / "notes.txt"
            path.write_bytes("Café\n".encode("latin-1"))
            window.take_files([path])

        def own_pattern(pattern: str) -> Callable[[MainWindow], object]:
            def prepare(window: MainWindow) -> None:
                window.session.set_text(sample_text(WELCOME))
                window.session.set_patterns(["cl100k", "own"])
                window.session.set_own_pattern(pattern)
                window.show_workspace("pretokens")
                time.sleep(0.3)  # the pattern is tried when nobody has typed for a while

            return prepare

        def difference(window: MainWindow) -> None:
            window.session.set_text(sample_text("code-python"))
            window.show_workspace("pretokens")
            self.settle()
            window.next_difference()
            window.next_difference()

        def merges(
            share: float, word: str = WORD, sample_id: str = WELCOME
        ) -> Callable[[MainWindow], object]:
            def prepare(window: MainWindow) -> None:
                window.session.set_text(sample_text(sample_id))
                self.settle()
                window.play_commands.show_merge_page("steps")
                self._select(word)
                view = window.workspace
                assert isinstance(view, MergesView)
                view.steps.set_side_by_side(len(window.session.chosen()) > 1)
                for lane in view.steps.lanes.values():
                    lane.go_to(round(lane.length * share))
                    lane.body.finish_motion()

            return prepare

        def byte_rows(
            text: str, word: str = "", size: QSize = SIZE
        ) -> Callable[[MainWindow], object]:
            def prepare(window: MainWindow) -> None:
                window.resize(size)
                window.session.set_text(text)
                window.show_workspace("bytes")
                self.settle()
                if word:
                    self._select(word)

            return prepare

        def byte_part(window: MainWindow) -> None:
            byte_rows("A part of 東京 🦤")(window)
            window.session.set_current("named:gpt2")
            view = window.workspace
            assert isinstance(view, BytesView)
            view.show_rows()
            view.part.last.setValue(4)
            view.part.first.setValue(2)

        def no_stages(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            window.pipelining.show_pipeline(False)

        def played(
            names: tuple[str, ...], text: str, word: str, share: float, size: QSize = SIZE
        ) -> Callable[[MainWindow], object]:
            def prepare(window: MainWindow) -> None:
                window.resize(size)
                for entry in window.session.chosen():
                    window.session.turn_on(entry.key, False)
                window.take_files([self.small_model(name) for name in names])
                self.settle()
                merges(share, word, text)(window)
                view = window.workspace
                assert isinstance(view, MergesView)
                for lane in view.steps.lanes.values():
                    if isinstance(lane.body, LatticeBody) and share == 1.0:
                        best = lane.body.list.best
                        best.setCurrentIndex(best.model().index(2, 0))

            return prepare

        def palette(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            self.settle()
            window.open_palette()
            assert window.palette_window is not None
            window.palette_window.search.setText("tok")

        def shortcuts(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            self.settle()
            window.show_shortcuts()

        def find(query: str, size: QSize = SIZE) -> Callable[[MainWindow], object]:
            def prepare(window: MainWindow) -> None:
                window.resize(size)
                window.session.set_text(sample_text(WELCOME))
                with resources.as_file(
                    resources.files("tokenarium.resources") / "tokenizers"
                ) as folder:
                    window.late.finding.set_folders([folder])
                    window.late.finding.find_tokenizers()
                    self.settle()
                assert window.late.finding.find_sheet is not None
                window.late.finding.find_sheet.search.setText(query)

            return prepare

        def about_tokenizer(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            self.settle()
            window.late.checking.about_tokenizer()

        def check(window: MainWindow) -> None:
            window.session.set_text(sample_text(WELCOME))
            self.settle()
            window.late.checking.check_reference()

        def check_parts(window: MainWindow) -> None:
            check(window)
            self.settle()
            assert window.late.checking.sheet is not None
            window.late.checking.sheet.show_report(PARTING)

        def chat(
            template: str, size: QSize = SIZE, source: str = "", annotations: Annotations = "none"
        ) -> Callable[[MainWindow], object]:
            def prepare(window: MainWindow) -> None:
                window.resize(size)
                window.session.set_text(sample_text(WELCOME))
                window.session.set_annotations(annotations)
                window.session.set_current("named:o200k_base")
                self.settle()
                window.late.chatting.chat()
                sheet = window.late.chatting.sheet
                assert sheet is not None
                sheet.tabs.setCurrentIndex(1 if source else 0)
                sheet.reset.click()
                sheet.choice.setCurrentIndex(sheet.choice.findText(template))
                sheet.choice.activated.emit(sheet.choice.currentIndex())
                if source:
                    sheet.source.set_text(source)
                    sheet.source_edited.emit(source)

            return prepare

        return [
            ("find", "tokens", find("")),
            ("find-query", "tokens", find("bert")),
            ("find-repository", "tokens", find("someone/their-model")),
            ("find-nothing", "tokens", find("qqqq")),
            ("find-small", "tokens", find("", SMALL)),
            ("about-tokenizer", "tokens", about_tokenizer),
            ("check", "tokens", check),
            ("check-parts", "tokens", check_parts),
            ("welcome", "tokens", sample(WELCOME)),
            ("empty", "tokens", lambda window: window.session.set_text("")),
            ("no-tokenizer", "tokens", no_tokenizer),
            ("selection", "tokens", select),
            ("arabic", "tokens", sample("prose-ar")),
            ("hindi", "tokens", sample("prose-hi")),
            ("emoji", "tokens", emoji),
            ("blanks", "tokens", sample("hard-blanks")),
            ("special-tokens", "tokens", special),
            ("long", "tokens", long),
            ("downloading", "tokens", missing),
            ("error", "tokens", bad_file),
            ("small", "tokens", lambda window: (window.resize(SMALL), sample(WELCOME)(window))),
            ("palette", "tokens", palette),
            ("shortcuts", "tokens", shortcuts),
            ("pretokens", "pretokens", sample(WELCOME)),
            ("merges", "merges", merges(0.5)),
            ("merges-end", "merges", merges(1.0)),
            ("unigram", "merges", played(("unigram",), WELCOME, "Familiar words", 0.5)),
            ("unigram-end", "merges", played(("unigram",), WELCOME, "Familiar words", 1.0)),
            ("unigram-small", "merges", played(("unigram",), WELCOME, "Familiar", 0.5, SMALL)),
            ("wordpiece", "merges", played(("wordpiece",), WELCOME, "phlogiston", 0.4)),
            ("wordpiece-end", "merges", played(("wordpiece",), WELCOME, "phlogiston", 1.0)),
            ("players", "merges", played(("unigram", "wordpiece"), WELCOME, "unfamiliar", 0.5)),
            *why_stops(self),
            *train_stops(self),
            *superword_stops(self),
            ("bytes", "bytes", byte_rows(sample_text(WELCOME), WORD)),
            ("bytes-arabic", "bytes", byte_rows(sample_text("prose-ar"))),
            ("bytes-hindi", "bytes", byte_rows(sample_text("prose-hi"), "रेलगाड़ी")),
            ("bytes-japanese", "bytes", byte_rows(sample_text("prose-ja"), "本屋")),
            ("bytes-emoji", "bytes", byte_rows(ZWJ, "\N{ZERO WIDTH JOINER}")),
            ("bytes-part", "bytes", byte_part),
            ("bytes-small", "bytes", byte_rows(sample_text(WELCOME), WORD, SMALL)),
            ("bytes-empty", "bytes", lambda window: window.session.set_text("")),
            ("no-stages", "tokens", no_stages),
            ("pretokens-empty", "pretokens", lambda window: window.session.set_patterns([])),
            ("pretokens-arabic", "pretokens", sample("prose-ar")),
            ("pretokens-difference", "pretokens", difference),
            ("pretokens-own", "pretokens", own_pattern(r"(?P<word> ?\p{L}+)|(?P<other>.|\n)")),
            ("pretokens-error", "pretokens", own_pattern(r"\p{L}+|(\s+")),
            *training_stops(self),
            ("chat", "tokens", chat("ChatML")),
            ("chat-ids", "tokens", chat("Headers, as Llama 3", annotations="ids")),
            ("chat-small", "tokens", chat("Turns, as Gemma", SMALL)),
            ("chat-error", "tokens", chat("ChatML", source=UNFINISHED)),
            ("chat-guess", "tokens", chat("ChatML", source=BACKWARDS)),
            *size_stops(self, self.small_model),
            *script_stops(self, self.small_model),
            *compare_stops(self),
            *export_stops(self),
            *vocabulary_stops(self),
        ]

    def small_model(self, name: str) -> Path:
        """Returns the path of a small model for the pictures, trained when it is first needed."""
        folder = Path(self._folder.name)
        unigram, wordpiece = folder / "unigram.model", folder / "wordpiece" / "vocab.txt"
        if not unigram.exists():
            text = "\n".join(sample_text(sample) for sample in (WELCOME, "prose-en", "prose-de"))
            wordpiece.parent.mkdir()
            write_wordpiece(write_unigram(text, unigram), wordpiece)
        return unigram if name == "unigram" else wordpiece

    def _select(self, word: str) -> None:
        text_map = self.window.session.text_map
        start = text_map.text.index(word)
        first, last = text_map.char_to_byte([start, start + len(word)]).tolist()
        self.window.session.select(first, last)

    def _reset(self) -> None:
        window, session = self.window, self.window.session
        window.messages.hide()
        if window.palette_window is not None:
            window.palette_window.close()
        for dialog in window.findChildren(QDialog):
            dialog.close()
        window.resize(SIZE)
        window.pipelining.show_pipeline(True)
        session.undo_stack.setIndex(0)
        session.select(0, 0)
        session.set_annotations("none")
        session.set_special("none")
        session.set_patterns(PATTERNS)
        session.set_own_pattern("")
        session.set_current("")
        entry = session.library.entry("named:p50k_base")
        if entry is not None and entry.state is State.FETCHING:
            session.set_state(entry, State.MISSING)
        self.settle()

    def _picture(self, folder: Path, name: str, space: str, scheme: Scheme) -> Path:
        self.window.show_workspace(space)
        self.window.set_colour_scheme(scheme)
        self.settle()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        if not self._grab().save(str(path)):
            sys.exit(f"{path} cannot be written. Choose another folder.")
        return path

    def _grab(self) -> QPixmap:
        """Returns the window as it is seen, with what is open over it."""
        pixmap = self.window.grab()
        for above in self.window.findChildren(QDialog):
            if above.isVisible():
                painter = QPainter(pixmap)
                # The platform's screen may be smaller than the window, and moves dialogs into it.
                left = (self.window.width() - above.width()) // 2
                top = (self.window.height() - above.height()) // 2
                popup = above is self.window.palette_window
                place = self.window.mapFromGlobal(above.pos()) if popup else QPoint(left, top)
                painter.drawPixmap(place, above.grab())
                painter.end()
        return pixmap

    def print_tokens(self) -> None:
        """Prints the first tokens of every tokenizer, with rich."""
        from rich.console import Console
        from rich.table import Table

        console = Console()
        session = self.window.session
        for entry in session.chosen():
            encoded = session.encoded(entry.key)
            if encoded is None or encoded.encoding is None or entry.tokenizer is None:
                continue
            ids = np.asarray(memoryview(encoded.encoding.ids))
            spans = np.asarray(memoryview(encoded.encoding.spans)).reshape(-1, 2)
            size = max(session.text_map.byte_count, 1)
            table = Table(
                title=f"{entry.name}: {len(ids):,} tokens, {size / max(len(ids), 1):.2f} bytes/token",
                title_justify="left",
            )
            table.add_column("#", justify="right")
            table.add_column("id", justify="right")
            table.add_column("token")
            table.add_column("bytes")
            table.add_column("span", justify="right")
            for place, token in enumerate(ids[:SAVED_ROWS].tolist()):
                piece = entry.tokenizer.vocabulary.piece(token)
                start, end = spans[place].tolist()
                # Plain strings would be read as markup: "[b]" is a token of many a text.
                cells = (str(place), str(token), readable(piece), hexadecimal(piece, 12))
                table.add_row(*map(_plain, cells), f"{start} to {end}")
            if len(ids) > SAVED_ROWS:
                table.caption = f"and {len(ids) - SAVED_ROWS:,} more"
            console.print(table)


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text)
