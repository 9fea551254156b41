"""The page Stream of the workspace Tokens: tokens that arrive one by one, and the unstable end of a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QFont, QHideEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QSpinBox, QWidget

import tokenarium_core as tc
from tokenarium.analyses.stream import STREAM
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.text.piece import byte_sign, counted, quoted, readable
from tokenarium.models.text.stream_words import (
    end_sentence,
    prompt_of,
    shown_text,
    step_sentence,
)
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import READING_SIZE, TEXT_SIZE, reading_font, ui_font
from tokenarium.style.theme import GRID, Theme
from tokenarium.views.analysis_page import TextAnalysisPage
from tokenarium.views.kept import Kept, kept_control
from tokenarium.views.workspace import Workspace, soon
from tokenarium.widgets.analysis.tiles_view import tile_of
from tokenarium.widgets.charts.stage_figure import StageFigure
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import CardFrame, named, small_heading
from tokenarium.widgets.players.timed_player import TimedPlayer
from tokenarium.widgets.players.transport import Transport
from tokenarium.widgets.term_marks import TermButton
from tokenarium.widgets.text.token_tiles import ShownTile, TokenTiles
from tokenarium_core.explaining.prompt_end import UnstableEndJob, healing
from tokenarium_core.explaining.streaming import TokenStream

RATES = (2, 5, 20, 50, 100)
"""Tokens per second."""

BEFORE = 10
"""Tokens before the current one that are shown as tiles."""

SHOWN = 900
"""The most characters of the text so far that are shown."""

ALLOWED = 24
"""The most entries that healing allows that are shown as tiles."""

END_MS = 200
"""Milliseconds without a step until the end of the prompt is examined."""

IMPORTS = """
from tokenarium.models.text.stream_words import prompt_of
from tokenarium_core.explaining.prompt_end import healing, unstable_end
"""

PROGRAM = """
(tokenizer,) = TOKENIZERS.values()
end = unstable_end(tokenizer, prompt_of(answer.result, {position}))  # after so many tokens
print(f"{{end.stable}} of {{len(end.ids)}} tokens stay; {{end.continuation!r}} changes the others")
healed = healing(tokenizer, end.ids, min({drop}, len(end.ids)))
print(f"{{len(healed.allowed)}} entries begin with {{healed.prefix!r}}: {{healed.allowed[:20]}} …")
"""


class StreamPage(TextAnalysisPage):
    """A player of the tokens, with what a reader sees after each; below it, the end of the prompt so far."""

    id, title, analysis = STREAM.id, STREAM.title, STREAM

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._connect()

    def more_parts(self) -> list[QWidget]:
        self.stops = self.controls["stop"].widget
        self.arrivals = TimedPlayer(self, float(RATES[1]))
        self.transport: Transport = Transport(self._player_actions())
        self.transport.set_player(self.arrivals)
        self.speed = named(QComboBox(), "Tokens per second", "How fast tokens arrive")
        for rate in RATES:
            self.speed.addItem(f"{rate} tokens/s")
        self.speed.setCurrentIndex(1)
        self.transport.replace_speed(self.speed)
        self.shown = self._reading("What is shown")
        self.alone = self._reading("Each token decoded by itself")
        self.sentence = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.sentence.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.tiles = TokenTiles(36, 16)
        self.end_sentence = QLabel(
            "The answer will be here in a moment.",
            wordWrap=True,
            textFormat=Qt.TextFormat.PlainText,
        )
        self.end_tiles = TokenTiles(36, 16)
        self.drop = named(QSpinBox(), "Tokens that healing drops")
        self.drop.setRange(1, 8)
        self.drop.setMinimumWidth(8 * GRID)
        self.healed = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.allowed = TokenTiles(32, 15)
        self.figure = StageFigure(
            "A stream of tokens", self._drawn, self.as_csv, self._said, self._names
        )
        self.figure.set_source(FigureSource(code=self.python))
        self.figure.problem.connect(self.session.problem)
        self.figure.saved.connect(self.session.requests.tell_saved)
        self._end: UnstableEndJob | None = None
        self._end_soon = soon(self, self._ask_end, END_MS)
        return self._cards()

    def _reading(self, name: str) -> QLabel:
        label = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), name)
        label.setFont(reading_font(READING_SIZE))
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setMinimumWidth(1)
        label.setMinimumHeight(4 * GRID)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _player_actions(self) -> list[tuple[QAction, str]]:
        buttons = []
        for sign, text, run in (
            ("start", "To the start", lambda: self.arrivals.go_to(0, by_hand=True)),
            ("back", "One token back", lambda: self.arrivals.step(-1)),
            ("play", "Play or pause", self.arrivals.toggle),
            ("on", "One token on", lambda: self.arrivals.step(1)),
            ("end", "To the end", lambda: self.arrivals.go_to(self.arrivals.length, by_hand=True)),
        ):
            action = QAction(text, self)
            action.triggered.connect(run)
            buttons.append((action, sign))
        return buttons

    @property
    def head(self) -> list[QWidget]:
        return []  # the stop strings have a row of their own

    def _cards(self) -> list[QWidget]:
        margins = (16, 14, 16, 14)
        self.stage = CardFrame()
        in_column(
            self.transport, self.sentence, self.tiles,
            small_heading("What readers see"), self.shown,
            small_heading("What it would be if each token were decoded by itself"), self.alone,
            into=self.stage, spacing=GRID, margins=margins,
        )  # fmt: skip
        self.end_card = CardFrame()
        unstable = TermButton("unstable token", explanation("unstable token"))
        heals = TermButton("token healing", explanation("token healing"))
        in_column(
            in_row(small_heading("If the prompt ended here (dashed: could change)"), unstable, STRETCH, spacing=4),
            self.end_sentence, self.end_tiles,
            in_row(
                small_heading("Token healing drops the last"), self.drop,
                small_heading("tokens"), heals, STRETCH, spacing=GRID,
            ),
            self.healed, self.allowed, into=self.end_card, spacing=GRID, margins=margins,
        )  # fmt: skip
        for tiles in (self.tiles, self.end_tiles, self.allowed):
            tiles.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        stops = QWidget()
        in_row(
            small_heading("Stop strings"),
            TermButton("stop string", explanation("stop string")),
            (self.stops, 1),
            self.figure.more,
            into=stops,
            spacing=GRID,
        )
        return [stops, self.stage, self.end_card]

    def _connect(self) -> None:
        self.arrivals.moved.connect(self._show_step)
        self.arrivals.playing_changed.connect(lambda on: None if on else self._end_soon.start())
        self.speed.currentIndexChanged.connect(self._set_rate)
        self.drop.valueChanged.connect(self._show_healing)

    def _set_rate(self, place: int) -> None:
        self.arrivals.rate = float(RATES[place])

    # The stream.

    @property
    def made(self) -> TokenStream | None:
        """The complete stream."""
        made: TokenStream | None = self.result
        return made

    @property
    def front(self) -> tc.Tokenizer | None:
        """The tokenizer of the tokens."""
        return self.inputs.subjects[0].tokenizer if self.inputs is not None else None

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        super().ask(text, items[:1])

    def show_parts(self) -> None:
        if self.error:
            self.sentence.setText(self.error)
        else:
            self.arrivals.begin(len(self.result.steps), len(self.result.steps))

    def _show_step(self) -> None:
        stream, front, at = self.made, self.front, self.arrivals.position
        self.figure.show_for(stream is not None)
        if stream is None or front is None:
            return
        self.transport.show_step(at, self.arrivals.length)
        self.transport.count.setText(f"{at:,} of {counted(len(stream.ids), 'token')}")
        theme = self.appearance.theme
        self.shown.setText(_paragraph(self._readers(stream, at, theme)))
        alone = "".join(step.alone for step in stream.steps[max(0, at - SHOWN) : at])[-SHOWN:]
        self.alone.setText(_paragraph(_broken(alone, theme)))
        self.sentence.setText(step_sentence(stream, at))
        self.tiles.show_tiles(self._arrived(stream, front, at))
        if not self.arrivals.playing:
            self._end_soon.start()

    def _readers(self, made: TokenStream, at: int, theme: Theme) -> list[str]:
        """Returns what a reader sees after some tokens, as HTML."""
        step = made.steps[at - 1] if at else None
        shown = shown_text(made, at)
        parts = [_coloured(shown[-SHOWN:], None, None)]
        if step is not None and step.stop:
            parts.append(_coloured(step.stop, theme.bad, theme.bad_ground, struck=True))
            after = made.text[step.shown + len(step.stop) :]
            parts.append(_coloured(after, theme.dim, theme.sunken, struck=True))
        elif step is not None:
            parts.append(_coloured(step.waiting, theme.ask, theme.ask_ground))
            held = "".join(map(byte_sign, step.held))
            parts.append(_coloured(held, theme.bad, theme.bad_ground))
        return parts

    def _arrived(self, made: TokenStream, tokenizer: tc.Tokenizer, at: int) -> list[ShownTile]:
        """Returns the tiles of the last tokens that have arrived."""
        first = max(0, at - BEFORE)
        return [
            tile_of(tokenizer, step.token, index, lit=index == at - 1)
            for index, step in enumerate(made.steps[first:at], first)
        ]

    # The end of the prompt.

    @property
    def prompt(self) -> str:
        """The text so far, without an incomplete character."""
        stream = self.made
        return prompt_of(stream, self.arrivals.position) if stream is not None else ""

    def _ask_end(self) -> None:
        if self.front is None or not self.isVisible():
            return
        job = self._end = UnstableEndJob(self.front, self.prompt)
        self._show_healing()
        self._show_end()
        self.running.slices(
            "Trying continuations",
            job,
            lambda _: self._show_end(),
            self.end_sentence.setText,
            name="end",
        )

    def _show_end(self) -> None:
        job, front = self._end, self.front
        if job is None or front is None:
            return
        end = job.end
        sentence = end_sentence(end, front)
        self.end_sentence.setText(sentence if job.finished else f"{sentence} Trying others …")
        first = max(0, min(end.stable, len(end.ids)) - 4)
        shown = end.ids[first:][:40]
        self.end_tiles.show_tiles(
            [
                tile_of(front, token, index, dashed=index >= end.stable)
                for index, token in enumerate(shown, first)
            ]
        )

    def _show_healing(self) -> None:
        job, front = self._end, self.front
        if job is None or front is None:
            return
        ids = job.end.ids
        healed = healing(front, ids, min(self.drop.value(), len(ids)))
        if not healed.prefix:
            self.healed.setText("There is nothing to drop yet.")
            self.allowed.show_tiles([])
            return
        parts = (
            f" {counted(len(healed.parts), 'shorter entry', 'shorter entries')} may come first, followed by the rest."
            if healed.parts
            else ""
        )
        more = f", the first {ALLOWED} of them here" if len(healed.allowed) > ALLOWED else ""
        begin = "begins" if len(healed.allowed) == 1 else "begin"
        self.healed.setText(
            f"The next token must go on from {quoted(healed.prefix)}:"
            f" {counted(len(healed.allowed), 'entry', 'entries')} {begin} with it{more}.{parts}"
        )
        self.allowed.show_tiles(
            [tile_of(front, token, index) for index, token in enumerate(healed.allowed[:ALLOWED])]
        )

    # Queries of the window.

    def keeps(self) -> Iterable[Kept]:
        return (
            *super().keeps(),
            kept_control("speed", self.speed),
            kept_control("dropped", self.drop),
        )

    def _drawn(self, theme: Theme) -> QWidget:
        """Returns the tokens that have arrived and what a reader sees, in the colours of a theme."""
        drawn, tiles, text = QWidget(), TokenTiles(36, 16), QLabel(wordWrap=True)
        stream, front, at = self.made, self.front, self.arrivals.position
        if stream is not None and front is not None:
            tiles.show_tiles(self._arrived(stream, front, at))
            text.setText(_paragraph(self._readers(stream, at, theme)))
        text.setTextFormat(Qt.TextFormat.RichText)
        text.setFont(reading_font(READING_SIZE))
        text.setPalette(theme.palette())
        width = max(self.stage.width(), 60 * GRID)
        tiles.setFixedHeight(max(1, tiles.heightForWidth(width)))
        text.setFixedHeight(text.heightForWidth(width))
        in_column(tiles, text, into=drawn, spacing=GRID)
        drawn.resize(width, tiles.height() + text.height() + GRID)
        return drawn

    def _said(self) -> str:
        return step_sentence(self.made, self.arrivals.position) if self.made is not None else ""

    def _names(self) -> list[str]:
        return (
            [subject.full_name for subject in self.inputs.subjects]
            if self.inputs is not None
            else []
        )

    @property
    def player(self) -> TimedPlayer:
        """The player of the tokens."""
        return self.arrivals

    def more_program(self) -> tuple[str, str]:
        position, drop = self.arrivals.position, self.drop.value()
        return IMPORTS, PROGRAM.format(position=position, drop=drop)

    @property
    def busy(self) -> bool:
        waits = self._end_soon.isActive() and self.isVisible()
        return super().busy or waits or self.arrivals.playing

    def stop(self) -> None:
        self.arrivals.pause()
        super().stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._end_soon.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stops the work of the page; the end of the prompt is examined again when it is shown."""
        super().hideEvent(event)
        self.arrivals.pause()
        self.running.cancel("end")

    def focus_first(self) -> None:
        self.transport.buttons[2].setFocus()


def _coloured(text: str, colour: QColor | None, ground: QColor | None, struck: bool = False) -> str:
    """Returns a text as HTML, on a background that shows its line ends."""
    if not text:
        return ""
    if colour is None or ground is None:
        return escape(text)
    style = f"background-color:{ground.name()};color:{colour.name()}"
    style += ";text-decoration:line-through" if struck else ""
    shown = escape(readable(text.encode("utf-8", "replace"), 200))
    return f'<span style="{style}">{shown}</span>'


def _broken(text: str, theme: Theme) -> list[str]:
    """Returns a text as HTML, with U+FFFD marked."""
    return [
        f'<span style="background-color:{theme.bad_ground.name()};color:{theme.bad.name()}">{part}</span>'
        if part.startswith("\ufffd")
        else _coloured(part, None, None)
        for part in re.split("(\ufffd+)", text)
    ]


def _paragraph(parts: list[str]) -> str:
    return f'<p style="margin:0;white-space:pre-wrap">{"".join(parts) or "&nbsp;"}</p>'
