"""The workspace Pre-tokens: the text as tokenizers and patterns cut it, before any merge, and where they differ."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

import tokenarium_core as tc
from tokenarium.models.text.added_in_text import added_in
from tokenarium.models.text.cut_job import CutJob, RunCut
from tokenarium.models.text.differences import CutComparison, difference_sentence
from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.text.text_map import IntArray, next_place
from tokenarium.models.text.token_counts import measure
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.encodings import SMALL_TEXT, EncodingStatus
from tokenarium.style.theme import GRID
from tokenarium.views.pattern_choices import OWN, PatternChoice, PatternChoices
from tokenarium.views.workspace import PRETOKENS, Workspace, soon
from tokenarium.widgets.compare.difference_bar import DifferenceBar
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import MARGIN, secondary
from tokenarium.widgets.text.cut_stack import CutStack
from tokenarium.widgets.text.legend import Legend, LegendEntry, rule_entries
from tokenarium.widgets.text.measure_header import MeasureHeader
from tokenarium.widgets.text.text_field import PatternEdit
from tokenarium.work.jobs import SLICE_MS
from tokenarium_core.pretokenizers import REMOVED_RULE

NO_PATTERN = (
    "Nothing is chosen",
    "Choose tokenizers or patterns above: each cuts the text in a row of its own.",
)

REMOVED_TIP = (
    "Between pre-tokens, and taken out: the model does not see it\nSelects the next one in the text"
)

COMPILE_AFTER_MS = 200
"""Milliseconds without typing after which a pattern is tried."""

COMPARING = "compare cuts"
"""The key of the job that finds where the cuts of a long text differ."""


class PretokensView(Workspace):
    """A row for every chosen tokenizer and pattern, and one for the user's own pattern.

    The row of a tokenizer shows its actual encoding, with added tokens and normalizer.
    """

    name = PRETOKENS
    switches = (("show_whitespace", "Whitespace"),)

    def prepare(self) -> None:
        session, appearance = self.session, self.appearance
        self._jobs: dict[str, CutJob | RunCut] = {}
        self._runs: dict[str, EncodingStatus] = {}  # what the rows of tokenizers show
        self._legends: dict[str, Legend] = {}
        self._added: dict[str, Legend] = {}
        self._failed: dict[str, tuple[int, int]] = {}
        self._differences: IntArray = np.empty((0, 2), dtype=np.int32)
        self._own: tc.PreTokenizer | None = None
        self._own_error: tc.PatternError | None = None
        self._try_own = soon(self, self._compile_own, COMPILE_AFTER_MS)
        self.choices = PatternChoices(session)
        self.stack = CutStack(appearance.theme)
        self.pattern_edit = PatternEdit()
        self.pattern_edit.setText(session.own_pattern)
        self.pattern_edit.written.connect(session.set_own_pattern)
        self.choices.own_chosen.connect(self.pattern_edit.setFocus)
        # Queued: Qt forgets the Tab order of widgets that are not in a window yet.
        self.choices.made_anew.connect(self._put_in_order, Qt.ConnectionType.QueuedConnection)
        self.own_problem = secondary(QLabel(wordWrap=True))
        self._own_line = QWidget()
        in_column(
            self.pattern_edit,
            self.own_problem,
            into=self._own_line,
            spacing=GRID // 2,
            margins=(MARGIN, 0, MARGIN, GRID),
        )
        self.difference_bar = DifferenceBar()
        self.difference_bar.stepped.connect(self.go_to_difference)
        self.difference_bar.picked.connect(self._select_difference)
        in_column(self.choices, self.difference_bar, (self.stack, 1), (self.empty, 1), into=self)
        self.stack.hovered.connect(session.point_at)
        self.stack.picked.connect(lambda _, start, end: session.select(start, end))
        session.text_changed.connect(self._stop_cutting)
        session.text_changed.connect(self.when_seen(self._show_text))
        session.text_replaced.connect(self.when_seen(self.stack.scroll_to_top))
        session.tokenizers_changed.connect(self.when_seen(self._show_choices))
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

    @property
    def last_control(self) -> QWidget | None:
        return self.stack.last_view

    def focus_first(self) -> None:
        first = next(iter(self.stack.rows.values()), None)
        (first.view if first is not None else self).setFocus()

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
            self.pattern_edit.setText(self.session.own_pattern)
        self._try_own.start()
        self._show_choices()

    def _show_rows(self) -> None:
        shown = self.choices.shown()
        headers: list[tuple[str, MeasureHeader | None]] = []
        for choice in shown:
            known = choice.key in self.stack.rows
            headers.append((choice.key, None if known else self._header_of(choice)))
        if OWN in self.session.patterns:
            known = OWN in self.stack.rows
            headers.append((OWN, None if known else MeasureHeader("Own pattern", "pre-token")))
        else:
            self._own_line.setParent(None)  # it outlives its row
        self._mark_rows()
        if [key for key, _ in headers] == list(self.stack.rows):
            self._show_page()
            return
        new = [key for key, header in headers if header is not None]
        gone = [key for key in self.stack.rows if key not in dict(headers)]
        self.stack.set_rows(headers)
        for key in gone:
            self._forget(key)
            del self._legends[key]
            self._added.pop(key, None)
        offers = {choice.key: choice for choice in shown}
        for key in new:
            row = self.stack.rows[key]
            if key in offers and offers[key].item is not None:
                added = self._added[key] = Legend(theme=self.appearance.theme, title="Added tokens")
                added.picked.connect(lambda name, key=key: self._go_to_added(key, name))
                added.setContentsMargins(MARGIN, 0, MARGIN, GRID // 2)
                row.add_line(added)
            if key == OWN:
                row.add_line(self._own_line)
                self._own_line.show()
            self._legends[key] = Legend(theme=self.appearance.theme)
            self._legends[key].picked.connect(lambda name, key=key: self._go_to_rule(key, name))
            self._legends[key].setContentsMargins(MARGIN, 0, MARGIN, GRID // 2)
            row.add_line(self._legends[key])
        for choice in shown:
            if choice.key in new:
                self.stack.rows[choice.key].header.name.set_tip(choice.about)
                self._cut_by(choice)
        if OWN in new:
            self._cut_own()
        self._show_page()
        if new or gone:
            self._show_differences()
            self._show_selection()

    def _header_of(self, choice: PatternChoice) -> MeasureHeader:
        """Returns the header of a new row: a tokenizer has its marker there, as it may be named like a pattern."""
        if choice.item is None:
            return MeasureHeader(f"Pattern {choice.name}", "pre-token")
        identity = self.appearance.theme.identity(choice.item.identity)
        return MeasureHeader(choice.name, "pre-token", identity)

    def _mark_rows(self) -> None:
        """Gives the rows of tokenizers their markers and names from the library."""
        theme = self.appearance.theme
        for choice in self.choices.shown():
            if choice.item is not None and choice.key in self.stack.rows:
                self.stack.rows[choice.key].header.name.setText(choice.name)
                self.stack.mark_rows({choice.key: theme.identity(choice.item.identity)})

    def _show_page(self) -> None:
        if not self.session.text:
            self.say_no_text()
        else:
            self.empty.say(*NO_PATTERN)
        shown = bool(self.session.text and self.stack.rows)
        self.stack.setVisible(shown)
        self.empty.setVisible(not shown)

    def _show_text(self) -> None:
        self.stack.set_text_map(self.session.text_map)
        self._runs.clear()
        self._show_page()
        for choice in self.choices.shown():
            if (
                choice.key in self.stack.rows
            ):  # another may have been chosen while the page was hidden
                self._cut_by(choice)
        if OWN in self.stack.rows:
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
            if choice.item is not None and choice.key in self.stack.rows
        ]
        if any(changed):
            self._show_differences()

    def _show_run(self, key: str, item: LibraryItem) -> bool:
        """Shows the pre-tokens of a tokenizer, of a long text first its beginning; returns whether they changed."""
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
            self.stack.rows[key].header.say(encoded.error, encoded.error)
            return True
        size = self.session.text_map.byte_count
        work = self._jobs[key] = RunCut(encoding, size if encoded.complete else 0)
        progress = work.step(1e9 if size <= SMALL_TEXT else SLICE_MS)
        self._show_parts(key, work.parts, encoded.complete and progress.finished)
        self._show_added(key, item)
        if not progress.finished and encoded.complete:
            self._go_on(key, work)
        return True

    def _cut(self, key: str, pre_tokenizer: tc.PreTokenizer) -> None:
        """Cuts a small text at once; cuts the first slice of a large one and starts a job for the rest."""
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

        def take(progress: tc.Progress) -> None:
            if progress.finished:
                self._show_parts(key, work.parts, True)
                self._show_differences()

        def fail(error: tc.TokenariumError) -> None:
            assert isinstance(error, tc.PatternError)
            self._fail(key, error)

        self.session.jobs.start(f"cut {key}", "Cutting into pre-tokens", work, take, fail)

    def _show_parts(self, key: str, parts: TextSpans, complete: bool) -> None:
        row = self.stack.rows[key]
        row.show_parts(parts)
        measures = measure(self.session.text_map, parts.ends, parts.removed)
        row.header.show_measures(measures, complete)
        row.header.say("" if complete else "so far")
        self._show_legend(key)

    def _stop_cutting(self) -> None:
        self.session.jobs.cancel(COMPARING)
        for key in self._jobs:
            self.session.jobs.cancel(f"cut {key}")

    def _forget(self, key: str) -> None:
        """Drops the last cut of a row, and ends its job."""
        self.session.jobs.cancel(f"cut {key}")
        self._jobs.pop(key, None)
        self._failed.pop(key, None)
        self._runs.pop(key, None)

    def _show_legend(self, key: str) -> None:
        parts = self.stack.rows[key].view.segmentation
        counts: dict[str, LegendEntry] = {}
        for entry in rule_entries(parts, self.appearance.theme):
            # Two alternatives of a pattern may be one rule to the reader, such as \s+$ and \s+(?!\S).
            before = counts[entry.name].count if entry.name in counts else 0
            tip = REMOVED_TIP if entry.name == REMOVED_RULE else entry.tip
            counts[entry.name] = LegendEntry(entry.name, before + entry.count, entry.colours, tip)
        self._legends[key].setEntries([entry for entry in counts.values() if entry.count])
        self._legends[key].focusBefore(self.stack.rows[key].view)

    def _show_added(self, key: str, item: LibraryItem) -> None:
        """Shows which added tokens the text has; they are found before the text is cut."""
        session, theme = self.session, self.appearance.theme
        assert item.tokenizer is not None
        found = added_in(item.tokenizer, session.text_map, session.special)
        shown = [
            LegendEntry(
                one.name, one.count, theme.rule_brushes(one.rule), one.about, framed=not one.left
            )
            for one in found.tokens
        ]
        self._added[key].setTitle(found.title, found.about)
        self._added[key].setEntries(shown)
        self._added[key].setVisible(bool(shown))

    def _go_to_added(self, key: str, name: str) -> None:
        """Selects the next place of an added token after the selection; after the last, the first."""
        item = next(c.item for c in self.choices.shown() if c.key == key)
        if item is None or item.tokenizer is None:
            return
        found = added_in(item.tokenizer, self.session.text_map, self.session.special)
        places = next((one.places for one in found.tokens if one.name == name), ())
        if places:
            place = next_place(np.asarray(places), self.session.selection, 1)
            self.session.select(*places[place])

    def _go_to_rule(self, key: str, name: str) -> None:
        """Selects the next pre-token that a rule cut, after the selection; after the last, the first."""
        parts = self.stack.rows[key].view.segmentation
        numbers = [number for number, rule in enumerate(parts.rule_names) if rule == name]
        if parts.rules is None or not numbers:
            return
        places = np.flatnonzero(np.isin(parts.rules, numbers))
        if not len(places):
            return
        after = self.session.selection[1] if self.session.selection is not None else 0
        next_one = int(np.searchsorted(parts.ends[places], after, side="right"))
        self.session.select(*parts.span(int(places[next_one % len(places)])))

    # The pattern of one's own.

    def _compile_own(self) -> None:
        self._own = self._own_error = None
        self.pattern_edit.mark(-1, self.appearance.theme.bad)
        self._say_of_own("")
        try:
            if self.session.own_pattern:
                self._own = tc.pattern(self.session.own_pattern)
        except tc.PatternError as error:
            self._own_error = error
        if OWN in self.stack.rows:
            self._cut_own()
        self._show_differences()

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
        if key not in self.stack.rows:
            return
        self._clear(key)
        if key == OWN:
            self._say_of_own(str(error), wrong=True)
            if not error.in_text:
                self.pattern_edit.mark(error.position, self.appearance.theme.bad)
        else:
            self.stack.rows[key].header.say(str(error))
        if error.in_text and error.position >= 0:
            text_map = self.session.text_map
            start, end = text_map.char_to_byte([error.position, error.position + 1]).tolist()
            self._failed[key] = (start, end)
            self.stack.rows[key].view.ensureVisible(start)
            self._light()

    def _clear(self, key: str) -> None:
        row = self.stack.rows[key]
        row.show_parts(TextSpans.empty())
        row.header.clear()
        self._show_legend(key)

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
            self._select_difference(next_place(self._differences, self.session.selection, step))

    def _select_difference(self, place: int) -> None:
        start, end = self._differences[place].tolist()
        self.session.select(start, end)

    def _show_differences(self) -> None:
        rows = {key: row for key, row in self.stack.rows.items() if key not in self._failed}
        rows = {key: row for key, row in rows.items() if len(row.view.segmentation)}
        size = self.session.text_map.byte_count
        ends = [row.view.segmentation.ends for row in rows.values()]
        whole = [cuts for cuts in ends if int(cuts[-1]) == size]
        waiting = any(key not in self._runs and key not in self._failed for key in self._added)
        compared = len(whole) > 1 and len(whole) == len(ends) and not waiting
        comparison = CutComparison(whole if compared else [])
        self.session.jobs.cancel(COMPARING)
        comparison.step(SLICE_MS)
        if comparison.finished:
            self._show_comparison(comparison, compared, len(ends) + waiting)
            return
        self._show_comparison(CutComparison([]), False, len(ends))

        def take(progress: tc.Progress) -> None:
            if progress.finished:
                self._show_comparison(comparison, True, len(ends))

        jobs = self.session.jobs
        jobs.start(COMPARING, "Comparing the cuts", comparison, take, lambda error: None)

    def _show_comparison(self, comparison: CutComparison, compared: bool, ways: int) -> None:
        """Shows where the cuts of ``ways`` ways to cut differ; ``compared``: whether they were compared."""
        rows = [key for key in self.stack.rows if key not in self._failed]
        self._differences = comparison.places
        count = len(self._differences)
        self.stack.set_disputed(comparison.disputed, rows)
        if not compared:
            text = "Choose two to compare them" if ways < 2 else "Comparing …"
            if self._failed and ways < 2:
                text = "One with a fault is not compared"
        elif not count:
            text = "All cut this text alike"
        else:
            text = difference_sentence(count, len(comparison.disputed))
        size = self.session.text_map.byte_count
        shares = self._differences[:, 0] / max(size, 1)
        self.difference_bar.setVisible(size > 0)
        self.difference_bar.show_places(text, shares, self.appearance.theme.ask)
        self._light()

    def _light(self) -> None:
        selection = self.session.selection
        self.stack.light(selection, self.session.hover)
        for key, place_of_error in self._failed.items():
            if key in self.stack.rows and place_of_error[1] > 0:
                self.stack.rows[key].view.setHighlight(*place_of_error)
        found = -1
        if selection is not None and len(self._differences):
            place = int(np.searchsorted(self._differences[:, 0], selection[0], side="right")) - 1
            if place >= 0 and tuple(self._differences[place].tolist()) == selection:
                found = place
        self.difference_bar.set_current(found)

    def _show_selection(self) -> None:
        self._light()
        if self.session.selection is not None:
            self.stack.ensure_visible(self.session.selection[0])

    def seek(self, byte: int) -> None:
        self.stack.ensure_visible(byte)

    def _show_display(self) -> None:
        self.stack.set_display(self.session.show_whitespace, "none")

    def _show_theme(self) -> None:
        self.stack.set_theme(self.appearance.theme)
        self._mark_rows()
        for key, legend in self._legends.items():
            legend.setTheme(self.appearance.theme)
            self._show_legend(key)
        for choice in self.choices.shown():
            if choice.item is not None and choice.key in self._added:
                self._added[choice.key].setTheme(self.appearance.theme)
                self._show_added(choice.key, choice.item)
        self._show_differences()
