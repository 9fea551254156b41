"""The workspace Pre-tokens: the text as tokenizers and patterns split it before any merge, and the differences."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

import tokenarium_core as tc
from tokenarium.models.programs import CodeValue
from tokenarium.models.text.added_in_text import AddedInText, added_in
from tokenarium.models.text.cut_job import CutJob, RunCut
from tokenarium.models.text.differences import CutComparison, difference_sentence
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, next_region, row_of
from tokenarium.models.text.token_counts import measure
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.encodings import SMALL_TEXT, EncodingStatus
from tokenarium.style.markers import Marker
from tokenarium.style.theme import GRID, PAGE_MARGIN, Identity, Theme
from tokenarium.views.decks import Deck
from tokenarium.views.kept import Kept, all_encoded, kept_top
from tokenarium.views.page_program import page_program
from tokenarium.views.pattern_choices import OWN, PatternChoice, PatternChoices
from tokenarium.views.token_rows import offer_token_menu
from tokenarium.views.workspace import PRETOKENS, Workspace, column, soon
from tokenarium.widgets.areas import filled_column
from tokenarium.widgets.compare.difference_bar import DifferenceBar
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.text.bounded_field import set_line
from tokenarium.widgets.text.interlinear_view import (
    InterlinearRow,
    InterlinearView,
    row_of_digit,
)
from tokenarium.widgets.text.legend import Legend, LegendEntry, rule_entries
from tokenarium.widgets.text.text_field import PatternEdit
from tokenarium.widgets.text.token_card import CardFacts
from tokenarium.widgets.text.token_cards import TokenCards
from tokenarium.widgets.veil import Veil
from tokenarium.work.jobs import SLICE_MS
from tokenarium_core.pretokenizers import REMOVED_RULE
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS
from tokenarium_core.progress import Progress

NO_PATTERN = (
    "Nothing is chosen",
    "Choose tokenizers or patterns above: each has a row that shows how it splits the text.",
)

REMOVED_TIP = (
    "Between pre-tokens, and taken out: the model does not see it\nSelects the next one in the text"
)

LOW = 400
"""Pixels: a lower page has no legend."""

COMPILE_AFTER_MS = 200
"""Milliseconds without typing after which a pattern is tried."""

COMPARING = "compare cuts"
"""The key of the job that finds where the cuts of a long text differ."""


IMPORTS = """
from tokenarium.models.text.cut_job import cut_parts, part_rows
from tokenarium.models.text.text_map import TextMap
"""

WAYS_IMPORTS = """
from tokenarium_core.pretokenizers.pattern import pattern
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
"""

PROGRAM = """
text_map = TextMap(TEXT)
rows = [
    {"cut by": name, **row}
    for name, by in WAYS.items()
    for row in part_rows(cut_parts(by, TEXT, SPECIAL), text_map)
]
"""


class PretokensView(Workspace):
    """The text with the pre-tokens of every chosen tokenizer and pattern, and of the user's own pattern.

    Those of a tokenizer come from its actual encoding, with added tokens and normalizer.
    """

    name = PRETOKENS
    switches = (("show_whitespace", "White space"),)

    def prepare(self) -> None:
        session, appearance = self.session, self.appearance
        self._jobs: dict[str, CutJob | RunCut] = {}
        self._runs: dict[str, EncodingStatus] = {}  # the parts in the rows of tokenizers
        self._front = ""
        self._notes: dict[str, str] = {}  # the notes of rows that are incomplete or failed
        self._failed: dict[str, tuple[int, int]] = {}
        self._differences: IntArray = np.empty((0, 2), dtype=np.int32)
        self._own: PreTokenizer | None = None
        self._own_error: tc.PatternError | None = None
        self._try_own = soon(self, self._compile_own, COMPILE_AFTER_MS)
        self.choices = PatternChoices(session)
        self.view = named(InterlinearView(), "Pre-tokens")
        self.view.follow_size(appearance)
        self.cards = TokenCards(chips=True)
        self.legend = Legend()
        self.added = Legend(title="Added tokens")
        self._facts_soon = soon(self, self.show_facts, 0)
        self.pattern_edit = PatternEdit()
        set_line(self.pattern_edit, session.own_pattern)
        self.pattern_edit.written.connect(session.set_own_pattern)
        self.choices.own_chosen.connect(self._begin_own)
        # Queued, as Qt forgets the Tab order of widgets that are not in a window yet.
        self.choices.made_anew.connect(self._put_in_order, Qt.ConnectionType.QueuedConnection)
        self.own_problem = secondary(QLabel(wordWrap=True))
        self._own_line = QWidget()
        in_column(
            self.pattern_edit,
            self.own_problem,
            into=self._own_line,
            spacing=GRID // 2,
            margins=(PAGE_MARGIN, 0, PAGE_MARGIN, 0),
        )
        self.difference_bar = DifferenceBar()
        self._differences_veil = Veil(self.difference_bar, says=False)
        self.difference_bar.stepped.connect(self.go_to_difference)
        self.difference_bar.picked.connect(self._select_difference)
        self.cards.put_before(self.view)
        self._content = QWidget()
        head = in_column(
            self.cards,
            self.legend,
            self.added,
            spacing=GRID,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        in_column(self.difference_bar, self._own_line, head, (self.view, 1), into=self._content)
        body = QWidget()
        in_column((self._content, 1), (self.empty, 1), into=body)
        column(filled_column(self.choices, body=body), into=self)
        for widget in (self, self._content):
            widget.setBackgroundRole(QPalette.ColorRole.Base)
            widget.setAutoFillBackground(True)
        self.view.hovered.connect(session.point_at)
        self.view.picked.connect(session.select)
        offer_token_menu(session, self.view)
        self.view.front_requested.connect(self.put_in_front)
        self.cards.chosen.connect(self.put_in_front)
        self.legend.picked.connect(self._go_to_rule)
        self.added.picked.connect(self._go_to_added)
        session.text_changed.connect(self._stop_cutting)
        session.text_changed.connect(self.when_seen(self._show_text))
        session.text_replaced.connect(self.when_seen(lambda: self.view.scrollTo(0)))
        session.tokenizers_changed.connect(self.when_seen(self._show_choices))
        session.current_changed.connect(self.when_seen(self._show_front))
        session.patterns_changed.connect(self.when_seen(self._patterns_changed))
        session.selection_changed.connect(self.when_seen(self._show_selection))
        session.hover_changed.connect(self.when_seen(self._light))
        session.display_changed.connect(self.when_seen(self._show_display))
        session.encoding_changed.connect(self.when_seen(self._show_runs))
        appearance.changed.connect(self.when_seen(self._show_theme))
        self._compile_own()
        self._show_display()
        self._show_theme()
        self._show_choices()
        self._show_text()

    def python(self) -> str:
        session = self.session
        if not session.has_text or not self.view.rows:
            return ""
        items, cuts = [], []
        for key, layer in self.view.rows.items():
            item = self.item_of(key)
            if item is not None:
                items.append(item)
                cuts.append(
                    f"    {session.short_name(item)!r}: TOKENIZERS[{session.short_name(item)!r}],"
                )
            elif key != OWN:
                cuts.append(f"    {layer.name!r}: pre_tokenizer({key!r}),")
            elif self._own is not None:
                cuts.append(f"    {layer.name!r}: pattern({session.own_pattern!r}),")
        if not cuts:
            return ""
        return page_program(
            session,
            self.name.title,
            IMPORTS,
            PROGRAM,
            text=session.text,
            items=items if items else None,
            special=session.special,
            ways=CodeValue("\n".join(["{", *cuts, "}"]), WAYS_IMPORTS),
        )

    def marked_part(self, name: str) -> QWidget | None:
        return {"text": self.view, "stage": self.view, "counts": self.cards}.get(name)

    def rect_of(self, start: int, end: int) -> QRect | None:
        return self.view.span_rect(start, end)

    def hide_answer(self, hide: bool) -> None:
        self.view.hide_parts(hide)
        self.cards.hide_counts(hide)
        self._differences_veil.cover(hide)
        self._show_legend()

    @property
    def busy(self) -> bool:
        soon = self._facts_soon.isActive() or self._try_own.isActive()
        return (soon or self.view.fading) and self.isVisible()

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("front", lambda: self._front or None, self._keep_front),
            kept_top("scroll", self.view, lambda: all_encoded(self.session)),
        )

    def _keep_front(self, key: object) -> None:
        if key not in self.view.rows:
            raise ValueError
        self.put_in_front(str(key))

    def focus_first(self) -> None:
        self.view.setFocus()

    # The rows.

    def _show_choices(self) -> None:
        self.choices.refresh()
        self._show_rows()

    def _put_in_order(self) -> None:
        """Makes Tab follow the order on the page: the arrows are below the patterns."""
        arrows = self.difference_bar.buttons
        for before, after in pairwise([arrows[-1], *self.choices.buttons.values(), *arrows]):
            QWidget.setTabOrder(before, after)

    def _patterns_changed(self) -> None:
        if self.pattern_edit.text() != self.session.own_pattern:
            set_line(self.pattern_edit, self.session.own_pattern)
        self._try_own.start()
        self._show_choices()

    def _show_rows(self) -> None:
        shown = self.choices.shown()
        rows = [self._row_of(choice) for choice in shown]
        if OWN in self.session.patterns:
            rows.append(InterlinearRow(OWN, "Own pattern", self._neutral(len(PRE_TOKENIZERS))))
        self._own_line.setVisible(OWN in self.session.patterns)
        before, after = list(self.view.rows), [row.key for row in rows]
        self._facts_soon.start()
        if before == after:
            self._show_page()
            return
        self.view.set_rows(rows)
        for key in before:
            if key not in after:
                self._forget(key)
        for choice in shown:
            if choice.key not in before:
                self._cut_by(choice)
        if OWN in after and OWN not in before:
            self._cut_own()
        self._show_front(moves=False)
        self._show_page()
        if set(before) != set(after):
            self._show_differences()
            self._show_selection()

    def _row_of(self, choice: PatternChoice) -> InterlinearRow:
        """Returns a row; a pattern has a grey marker, as a tokenizer may have the same name."""
        if choice.item is not None:
            identity = self.appearance.theme.identity(choice.item.identity)
            return InterlinearRow(choice.key, choice.name, identity)
        place = list(PRE_TOKENIZERS).index(choice.key)
        return InterlinearRow(choice.key, f"Pattern {choice.name}", self._neutral(place))

    def _neutral(self, place: int) -> Identity:
        theme = self.appearance.theme
        marker = tuple(Marker)[place % len(Marker)]
        return Identity(marker, theme.dim, theme.sunken, theme.line, hollow=True)

    def put_in_front(self, key: str) -> None:
        """Paints the pre-tokens of a row on the text, and shows its rules."""
        item = self.item_of(key)
        self._front = key if item is None else ""  # the current tokenizer has this row
        if item is not None:
            self.session.set_current(item.key)
        self._show_front()

    def _show_front(self, moves: bool = True) -> None:
        current = self.session.current
        key = self._front
        if key not in self.view.rows and current is not None:
            key = f"of {current.key}"
        self.view.set_front(key, moves)
        self.show_facts()

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.text_decks import PretokensDeck

        front, session = self.view.front, self.session
        if not (front and session.has_text):
            return None
        return PretokensDeck(session, self.view, self.item_of(front), theme)

    def item_of(self, key: str) -> LibraryItem | None:
        return next((c.item for c in self.choices.shown() if c.key == key), None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Puts a row in front with 1 to 9."""
        place, keys = row_of_digit(event), list(self.view.rows)
        if 0 <= place < len(keys):
            self.put_in_front(keys[place])
        else:
            super().keyPressEvent(event)

    def show_facts(self) -> None:
        """Updates the counts of all rows, and the rules and added tokens of the one in front."""
        self._facts_soon.stop()
        facts, most = [], max((len(layer.parts) for layer in self.view.rows.values()), default=0)
        for key, layer in self.view.rows.items():
            parts, note = layer.parts, self._notes.get(key, "")
            measures = measure(self.session.text_map, parts.ends, parts.removed)
            tip = layer.name
            if measures.bytes_per_part is not None and measures.characters_per_part is not None:
                tip += (
                    f"\n{measures.bytes_per_part:,.2f} bytes per pre-token"
                    f"\n{measures.characters_per_part:,.2f} characters per pre-token"
                )
            selection = self.session.selection
            facts.append(
                CardFacts(
                    key,
                    layer.name,
                    "",
                    layer.identity or self._neutral(0),
                    "pre-token",
                    None
                    if key in self._failed or (key == OWN and self._own is None)
                    else measures.parts,
                    None if selection is None else len(parts.between(*selection)),
                    len(parts) / max(most, 1),
                    0.0,
                    note or "…",
                    f"{tip}\n{note}" if note else tip,
                )
            )
        self.cards.show_facts(facts, self.view.front)
        self._show_legend()
        self._show_added()

    def _show_page(self) -> None:
        if not self.session.has_text:
            self.say_no_text()
        else:
            self.empty.say(*NO_PATTERN)
        shown = bool(self.session.has_text and self.view.rows)
        self._content.setVisible(shown or OWN in self.view.rows)
        self.empty.setVisible(not shown and OWN not in self.view.rows)

    def _show_text(self) -> None:
        self.view.set_text_map(self.session.text_map)
        self._runs.clear()
        self._show_page()
        for choice in self.choices.shown():
            if (
                choice.key in self.view.rows
            ):  # the choice may have changed while the page was hidden
                self._cut_by(choice)
        if OWN in self.view.rows:
            self._cut_own()
        self._show_differences()

    def _cut_by(self, choice: PatternChoice) -> None:
        if choice.pre_tokenizer is not None:
            self._cut(choice.key, choice.pre_tokenizer)
        elif choice.item is not None:
            self._show_run(choice.key, choice.item)

    def _show_runs(self) -> None:
        """Shows the new encodings of the text."""
        changed = [
            self._show_run(choice.key, choice.item)
            for choice in self.choices.shown()
            if choice.item is not None and choice.key in self.view.rows
        ]
        if any(changed):
            self._show_differences()

    def _show_run(self, key: str, item: LibraryItem) -> bool:
        """Shows the pre-tokens of a tokenizer, first those of the beginning of a long text.

        Returns whether they changed.
        """
        encoded = self.session.encoded(item.key)
        before = self._runs.get(key)
        if encoded is None or encoded is before:
            if encoded is None:
                self._forget(key)
                self._clear(key)
            return encoded is None
        encoding = encoded.encoding
        if not encoded.complete and before is not None and not before.complete:
            return False
        self._forget(key)
        self._runs[key] = encoded
        if encoding is None:
            self._failed[key] = (-1, -1)
            self._clear(key)
            self._notes[key] = encoded.error
            return True
        size = self.session.text_map.byte_count
        work = self._jobs[key] = RunCut(encoding, size if encoded.complete else 0)
        progress = work.step(1e9 if size <= SMALL_TEXT else SLICE_MS)
        self._show_parts(key, work.parts, encoded.complete and progress.finished)
        if not progress.finished and encoded.complete:
            self._go_on(key, work)
        return True

    def _cut(self, key: str, pre_tokenizer: PreTokenizer) -> None:
        """Splits a small text at once; splits the first slice of a large one and starts a job for the rest."""
        self._forget(key)
        work = self._jobs[key] = CutJob(pre_tokenizer, self.session.text_map.padded)
        try:
            small = self.session.text_map.byte_count <= SMALL_TEXT
            progress = work.step(1e9 if small else SLICE_MS)
        except tc.PatternError as error:
            self._fail(key, error)
            return
        self._show_parts(key, work.parts, progress.finished)
        if not progress.finished:
            self._go_on(key, work)

    def _go_on(self, key: str, work: CutJob | RunCut) -> None:
        """Starts a job for the rest of a long text, which shows all of it at its end."""

        def take(progress: Progress) -> None:
            if progress.finished:
                self._show_parts(key, work.parts, True)
                self._show_differences()

        def fail(error: tc.TokenariumError) -> None:
            assert isinstance(error, tc.PatternError)
            self._fail(key, error)

        self.session.jobs.start(f"cut {key}", "Cutting into pre-tokens", work, take, fail)

    def _show_parts(self, key: str, parts: TextParts, complete: bool) -> None:
        self.view.set_parts(key, parts)
        self._notes[key] = "" if complete else "so far"
        self._facts_soon.start()

    def _stop_cutting(self) -> None:
        self.session.jobs.cancel(COMPARING)
        for key in self._jobs:
            self.session.jobs.cancel(f"cut {key}")

    def _forget(self, key: str) -> None:
        """Drops the last cut of a row, and ends its job."""
        self.session.jobs.cancel(f"cut {key}")
        self._jobs.pop(key, None)
        self._failed.pop(key, None)
        self._notes.pop(key, None)
        self._runs.pop(key, None)

    def _show_legend(self) -> None:
        parts = self.view.parts
        counts: dict[str, LegendEntry] = {}
        for entry in rule_entries(parts, self.appearance.theme):
            # Two alternatives of a pattern may be one rule to the reader, such as \s+$ and \s+(?!\S).
            before = counts[entry.name].count if entry.name in counts else 0
            tip = REMOVED_TIP if entry.name == REMOVED_RULE else entry.tip
            counts[entry.name] = LegendEntry(entry.name, before + entry.count, entry.colours, tip)
        self.legend.setEntries([entry for entry in counts.values() if entry.count])
        self.legend.focus_before(self.view)

    def _show_added(self) -> None:
        """Shows which added tokens of the tokenizer in front are in the text; they are matched before it is split."""
        item = self.item_of(self.view.front)
        added = self._added_by(item)
        theme = self.appearance.theme
        shown = [
            LegendEntry(
                one.name, one.count, theme.rule_brushes(one.rule), one.about, framed=not one.left
            )
            for one in (added.tokens if added is not None else ())
        ]
        if added is not None:
            self.added.setTitle(added.title, added.about)
        self.added.setEntries(shown)
        self.added.setVisible(bool(shown) and self.height() >= LOW)

    def _added_by(self, item: LibraryItem | None) -> AddedInText | None:
        session = self.session
        if item is None or item.tokenizer is None:
            return None
        return added_in(item.tokenizer, session.text_map, session.special)

    def _go_to_added(self, name: str) -> None:
        """Selects the next occurrence of an added token after the selection; after the last, the first."""
        added = self._added_by(self.item_of(self.view.front))
        tokens = added.tokens if added is not None else ()
        places = next((token.places for token in tokens if token.name == name), ())
        if places:
            place = next_region(np.asarray(places), self.session.selection, 1)
            self.session.select(*places[place])

    def _go_to_rule(self, name: str) -> None:
        """Selects the next pre-token that a rule matched, after the selection; after the last, the first."""
        parts = self.view.parts
        numbers = [number for number, rule in enumerate(parts.rule_names) if rule == name]
        if parts.rules is None or not numbers:
            return
        places = np.flatnonzero(np.isin(parts.rules[:], numbers))
        if not len(places):
            return
        after = self.session.selection[1] if self.session.selection is not None else 0
        next_one = int(np.searchsorted(parts.ends[:][places], after, side="right"))
        self.session.select(*parts.span(int(places[next_one % len(places)])))

    # The user's own pattern.

    def _compile_own(self) -> None:
        self._own = self._own_error = None
        self.pattern_edit.mark(-1, self.appearance.theme.bad)
        self._say_of_own("")
        try:
            if self.session.own_pattern:
                self._own = pattern(self.session.own_pattern)
        except tc.PatternError as error:
            self._own_error = error
        if OWN in self.view.rows:
            self._cut_own()
        self._show_differences()

    def _begin_own(self) -> None:
        """Shows how the user's own pattern splits the text, and puts the cursor into it."""
        self.put_in_front(OWN)
        self.pattern_edit.setFocus()

    def _cut_own(self) -> None:
        if self._own is not None:
            self._cut(OWN, self._own)
            return
        self._clear(OWN)
        if self._own_error is not None:
            self._fail(OWN, self._own_error)
        elif not self.session.own_pattern:
            self._say_of_own("Named groups, as in (?P<word>…), give the alternatives their names.")

    def _fail(self, key: str, error: tc.PatternError) -> None:
        self._forget(key)
        self._failed[key] = (-1, -1)
        if key not in self.view.rows:
            return
        self._clear(key)
        if key == OWN:
            self._say_of_own(str(error), wrong=True)
            if not error.in_text:
                self.pattern_edit.mark(error.position, self.appearance.theme.bad)
        else:
            self._notes[key] = str(error)
        if error.in_text and error.position >= 0:
            text_map = self.session.text_map
            start, end = text_map.char_to_byte([error.position, error.position + 1]).tolist()
            self._failed[key] = (start, end)
            self.view.ensureVisible(start)
            self._light()

    def _clear(self, key: str) -> None:
        self.view.set_parts(key, TextParts.empty())
        self._facts_soon.start()

    def _say_of_own(self, sentence: str, wrong: bool = False) -> None:
        roles = QPalette.ColorRole
        self.own_problem.setForegroundRole(roles.BrightText if wrong else roles.PlaceholderText)
        self.own_problem.setText(sentence)
        self.own_problem.setVisible(bool(sentence))

    # Where the patterns differ.

    @property
    def difference_count(self) -> int:
        return len(self._differences)

    @property
    def walks_differences(self) -> bool:
        return True

    def go_to_difference(self, step: int) -> None:
        if len(self._differences):
            self._select_difference(next_region(self._differences, self.session.selection, step))

    def _select_difference(self, place: int) -> None:
        start, end = self._differences[place].tolist()
        self.session.select(start, end)

    def _show_differences(self) -> None:
        shown = {key: layer.parts for key, layer in self.view.rows.items()}
        size = self.session.text_map.byte_count
        ends = [
            parts.ends[:] for key, parts in shown.items() if key not in self._failed and len(parts)
        ]
        whole = [cuts for cuts in ends if int(cuts[-1]) == size]
        of_items = [key for key in shown if self.item_of(key) is not None]
        waiting = any(key not in self._runs and key not in self._failed for key in of_items)
        compared = len(whole) > 1 and len(whole) == len(ends) and not waiting
        comparison = CutComparison(whole if compared else [])
        self.session.jobs.cancel(COMPARING)
        comparison.step(SLICE_MS)
        if comparison.finished:
            self._show_comparison(comparison, compared, len(ends) + waiting)
            return
        self._show_comparison(CutComparison([]), False, len(ends))

        def take(progress: Progress) -> None:
            if progress.finished:
                self._show_comparison(comparison, True, len(ends))

        jobs = self.session.jobs
        jobs.start(COMPARING, "Comparing the cuts", comparison, take, lambda error: None)

    def _show_comparison(self, comparison: CutComparison, compared: bool, ways: int) -> None:
        """Shows where the cuts of ``ways`` rows differ; ``compared``: whether they were compared."""
        rows = [key for key in self.view.rows if key not in self._failed]
        self._differences = comparison.regions
        count = len(self._differences)
        self.view.set_disputed(comparison.disputed, self._differences, rows)
        if not compared:
            text = "Choose two to compare" if ways < 2 else "Comparing …"
            if self._failed and ways < 2:
                text = "A pattern with an error is not compared"
        elif not count:
            text = "All split this text the same way"
        else:
            text = difference_sentence(count, len(comparison.disputed))
        size = self.session.text_map.byte_count
        shares = self._differences[:, 0] / max(size, 1)
        self.difference_bar.setVisible(size > 0)
        self.difference_bar.show_positions(text, shares, self.appearance.theme.ask)
        self._light()

    def _light(self) -> None:
        selection = self.session.selection
        faults = (place for place in self._failed.values() if place[1] > 0)
        self.view.set_highlight(*(selection or next(faults, (-1, -1))))
        self.view.set_pointed(*(self.session.hover or (-1, -1)))
        nearest = -1
        if selection is not None and len(self._differences):
            place = row_of(self._differences[:, 0], selection[0], "right") - 1
            if place >= 0 and tuple(self._differences[place].tolist()) == selection:
                nearest = place
        self.difference_bar.set_current(nearest)

    def _show_selection(self) -> None:
        self._light()
        self._facts_soon.start()
        if self.session.selection is not None:
            self.view.ensureVisible(self.session.selection[0])

    def seek(self, byte: int) -> None:
        self.view.ensureVisible(byte)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        """Gives the room of a low page to the text."""
        self.legend.setVisible(self.height() >= LOW)

    def _show_display(self) -> None:
        self.view.set_show_whitespace(self.session.show_whitespace)

    def _show_theme(self) -> None:
        rows = {choice.key: self._row_of(choice) for choice in self.choices.shown()}
        own = InterlinearRow(OWN, "Own pattern", self._neutral(len(PRE_TOKENIZERS)))
        self.view.set_rows([rows.get(key, own) for key in self.view.rows])
        self.show_facts()
        self._show_differences()
