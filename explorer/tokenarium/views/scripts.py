"""The workspace Scripts: the entries of each vocabulary by script, on several pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast, get_args

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSplitter, QWidget

import tokenarium_core as tc
from tokenarium.models.charts.chart import GroupedBars
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.programs import program
from tokenarium.models.scripts import script_bars
from tokenarium.models.scripts.script_bars import Scale
from tokenarium.models.scripts.text_scripts import (
    TEXT_RULE,
    CountedTokens,
    TextScriptsJob,
    TokenScripts,
)
from tokenarium.models.scripts.vocabulary_scripts import (
    CLASS_NAMES,
    RULE,
    VocabularyScripts,
    assigned,
    characters_of,
    count_own,
    query_of,
)
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.requests import ShowEntries
from tokenarium.session.session import Session
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.views.kept import (
    Kept,
    index_below,
    kept_scroll,
    kept_sort,
    kept_split,
    text_of,
    watch_split,
    whole_number,
)
from tokenarium.views.page_program import code_of
from tokenarium.views.workspace import SCRIPTS, Page, PagedWorkspace, soon
from tokenarium.widgets.areas import page_area
from tokenarium.widgets.charts.bar_plot import BarCanvas, BarPlot
from tokenarium.widgets.charts.group_canvas import GroupCanvas
from tokenarium.widgets.charts.treemap import TreemapPlot
from tokenarium.widgets.compare.character_table import ScriptTable
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.panel import (
    CardFrame,
    ElidedLabel,
    named,
    secondary,
    strong,
)
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.character_grid import CharacterGrid
from tokenarium_core.progress import Progress

SCALES = (
    ("script_share", "Share"),
    ("script_log", "Log"),
    ("script_difference", "Difference"),
    ("script_ratio", "Ratio"),
    ("script_bytes", "Bytes per entry"),
)
"""The actions that choose the scale of the bars, with the short texts of their buttons."""

LENGTH_RULE = "A bar holds the middle half of a script's entries by their length, in whole characters with any leading space. "


OWN_RULE = (
    "A character has a token of its own if an entry is only that character, without a space before it."
    " The other characters are split into several tokens, or are part of a longer entry."
)


EDGES = (PAGE_MARGIN, GRID // 2, PAGE_MARGIN, PAGE_MARGIN)
"""Pixels around a page."""

AT_ONCE = 64 * 1024
"""The most bytes of text, times tokenizers, that are counted in one frame."""

WHICH = ("All", "With a token", "Without")
"""What the grid can show of a script."""


LENGTHS_IMPORTS = """
from tokenarium.models.programs import rows_of
from tokenarium.models.scripts.script_bars import length_bars
from tokenarium.models.scripts.vocabulary_scripts import VocabularyScripts
"""

LENGTHS_PROGRAM = """
uses = {name: VocabularyScripts(one.vocabulary) for name, one in TOKENIZERS.items()}
chart, _ = length_bars([(name, place, use) for place, (name, use) in enumerate(uses.items())])
rows = rows_of(chart.table())
"""

OWN_IMPORTS = """
from tokenarium.models.scripts.vocabulary_scripts import VocabularyScripts, own_rows
"""

OWN_PROGRAM = """
rows = own_rows({name: VocabularyScripts(one.vocabulary) for name, one in TOKENIZERS.items()})
"""


@dataclass(frozen=True, slots=True)
class CountedVocabulary:
    """A tokenizer that is on, and the classes of its entries."""

    item: LibraryItem
    use: VocabularyScripts


class TokenizerChoice(QComboBox):
    """A list of the tokenizers that are on; one is chosen."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)

    def fill(self, counted: list[CountedVocabulary], key: str) -> None:
        """Lists the tokenizers, and chooses the one with the key, or the first."""
        blocked = self.blockSignals(True)
        self.clear()
        for tokenizer in counted:
            self.addItem(tokenizer.item.display_name, tokenizer.item.key)
        self.setCurrentIndex(max(self.findData(key), 0) if counted else -1)
        self.blockSignals(blocked)

    def chosen(self, counted: list[CountedVocabulary]) -> CountedVocabulary | None:
        """Returns the chosen tokenizer if it is still on, or the first one; None if none is on."""
        key = self.currentData()
        return next(
            (tokenizer for tokenizer in counted if tokenizer.item.key == key),
            next(iter(counted), None),
        )


class CurrentChoice(TokenizerChoice):
    """A choice that follows the tokenizer in front."""

    def __init__(self, session: Session, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self._session = session
        self.activated.connect(lambda: session.set_current(self.currentData() or ""))

    def follow(self, counted: list[CountedVocabulary]) -> CountedVocabulary | None:
        """Lists the tokenizers, and returns the one in front; None if none is on."""
        current = self._session.current
        self.fill(counted, current.key if current is not None else "")
        return self.chosen(counted)


def rule_label(text: str = RULE) -> QLabel:
    """Returns a label with the rule of counting, for use below a chart."""
    label = secondary(QLabel(text, wordWrap=True))
    label.setContentsMargins(0, GRID // 2, 0, 0)
    return label


def _name_of(script: int) -> str:
    """Returns the name of a class of entries, or ""."""
    return CLASS_NAMES[script] if script >= 0 else ""


class _ScriptPage(Page):
    """A plot of classes of entries under controls, and the rule of counting below it."""

    kind: ClassVar[type[BarPlot | TreemapPlot]] = BarPlot
    rule = RULE

    def __init__(self, workspace: ScriptsView) -> None:
        super().__init__(workspace)
        self.host = workspace
        self.plot = self.kind(self.title)
        self.report_plots(self.plot)
        self.plot.picked.connect(
            lambda place: self.host.pick(self._classes[place] if place >= 0 else -1)
        )
        self.plot.opened.connect(lambda place: self.host.open(self._classes[place]))
        self.rule_label = rule_label(self.rule)
        self._classes: list[int] = []
        self._rows = in_column(into=self, spacing=GRID, margins=EDGES)
        self._add_controls()  # before the plot, also in the Tab order
        card = CardFrame()
        in_column((self.plot, 1), self.rule_label, into=card, margins=CARD_MARGIN)
        self._rows.addWidget(card, 1)

    def _add_controls(self) -> None:
        """Adds controls above the plot."""

    def focus_first(self) -> None:
        self.plot.canvas.setFocus()

    def _show(self, chart: GroupedBars, classes: list[int], note: str = "") -> None:
        self._classes = classes
        self.plot.show_chart(chart, note)
        self.choose(self.host.script)

    def choose(self, script: int) -> None:
        """Marks a class in the chart, if it is shown."""
        row = self._classes.index(script) if script in self._classes else None
        cast(GroupCanvas, self.plot.canvas).choose(row)


class _BarsPage(_ScriptPage):
    """Bars, which can be zoomed and scrolled."""

    def keeps(self) -> Iterable[Kept]:
        canvas = cast(BarCanvas, self.plot.canvas)
        return (
            Kept("zoom", lambda: canvas.percent, lambda percent: canvas.zoom_to(whole_number(percent))),
            kept_scroll("top", canvas.scroll_bar, self._is_drawn),
        )  # fmt: skip

    def _is_drawn(self) -> bool:
        """Whether the bars are up to date with the text and the tokenizers."""
        return self.host.follow() and not self.busy


class SharesPage(_BarsPage):
    """The share of each script in each vocabulary."""

    id = "vocabulary"
    title = "Vocabularies by script"
    what, of = "entries", "the vocabulary"
    program_imports = """
from tokenarium.models.programs import rows_of
from tokenarium.models.scripts.script_bars import ScriptCounts, share_bars
from tokenarium.models.scripts.vocabulary_scripts import VocabularyScripts
"""
    program = """
counted = []
for place, (name, tokenizer) in enumerate(TOKENIZERS.items()):
    use = VocabularyScripts(tokenizer.vocabulary)
    counted.append(ScriptCounts(name, place, use.counts, None, use.byte_counts))
chart, _ = share_bars(counted, SCALE, REFERENCE, "entries", "the vocabulary")
rows = rows_of(chart.table())
"""

    def __init__(self, workspace: ScriptsView) -> None:
        super().__init__(workspace)
        self.scale: Scale = "share"
        self._reference = ""

    def _add_controls(self) -> None:
        self.reference = TokenizerChoice(
            "Reference", "The tokenizer that Difference and Ratio compare the others with"
        )
        self.reference.activated.connect(self._choose_reference)
        self._against = secondary(QLabel("against"))
        self._against.setBuddy(self.reference)
        self.scales = named(Segmented(), "What the bars show")
        actions = self.help_with(*(SCALES if self.has_sizes else SCALES[:-1]))
        for action, text in actions:
            action.setIconText(text)
        self.scales.follow([action for action, _ in actions])
        controls, against = QWidget(), QWidget()
        in_row(self._against, self.reference, into=against, spacing=GRID // 2)
        flow = FlowLayout(controls, GRID)
        flow.addWidget(self.scales)
        flow.addWidget(against)
        self._rows.addWidget(controls)

    def counts(self, counted: CountedVocabulary) -> VocabularyScripts | TokenScripts | None:
        """Returns the counts of a tokenizer by class; None if they are not known yet."""
        return counted.use

    @property
    def has_sizes(self) -> bool:
        """Whether entries are shown, which have an average size."""
        return self.what == "entries"

    def waiting(self) -> str:
        """Returns the message while nothing can be shown."""
        return ""

    def keeps(self) -> Iterable[Kept]:
        return (
            Kept("scale", lambda: self.scale, self._show_scale),
            Kept("reference", lambda: self._reference or None, lambda key: self.set_reference(text_of(key))),
            *super().keeps(),
        )  # fmt: skip

    def _show_scale(self, scale: object) -> None:
        if scale not in get_args(Scale):
            raise ValueError
        self.set_scale(cast(Scale, scale))

    def set_scale(self, scale: Scale) -> None:
        """Chooses the scale of the bars; only entries have average sizes."""
        if scale == "bytes" and not self.has_sizes:
            return
        self.scale = scale
        self.refresh()

    def set_reference(self, key: str) -> None:
        """Compares the others with this tokenizer."""
        self._reference = key
        self.refresh()

    def refresh(self) -> None:
        tokenizers = self.host.counted
        self.reference.fill(tokenizers, self._reference)
        compares = self.scale in ("difference", "ratio")
        self.reference.setEnabled(compares)
        self._against.setEnabled(compares)
        shown, keys = [], []
        for tokenizer in tokenizers:
            sums = self.counts(tokenizer)
            if sums is None:
                continue
            keys.append(tokenizer.item.key)
            shown.append(
                script_bars.ScriptCounts(
                    tokenizer.item.name,
                    tokenizer.item.identity,
                    sums.tokens if isinstance(sums, TokenScripts) else sums.counts,
                    sums.cut if isinstance(sums, TokenScripts) else None,
                    None if isinstance(sums, TokenScripts) else sums.byte_counts,
                )
            )
        chosen = self.reference.currentData()
        reference = keys.index(chosen) if chosen in keys else 0
        note = self.waiting()
        if compares and len(tokenizers) < 2:
            note = "Turn on a second tokenizer to compare it with the reference."
            shown = []
        self._show(*script_bars.share_bars(shown, self.scale, reference, self.what, self.of), note)
        self._against_name = shown[reference].title if compares and shown else ""
        self.plot.set_source(FigureSource(self.corpus(), code=self.python))

    def corpus(self) -> str:
        """Returns the caption of the counts."""
        return "All entries of each vocabulary"

    _against_name = ""  # of the reference, if the bars compare

    def python(self) -> str:
        items = [
            tokenizer.item for tokenizer in self.host.counted if self.counts(tokenizer) is not None
        ]
        if not items or (self.scale in ("difference", "ratio") and not self._against_name):
            return ""
        names = [item.name for item in items]
        against = self._against_name
        return program(
            self.title,
            self.program_imports,
            self.program,
            text=self.session.text if self.needs_text else None,
            file=self.session.file if self.needs_text else "",
            tokenizers=[code_of(item) for item in items],
            values={
                **self.settings(),
                "SCALE": self.scale,
                "REFERENCE": names.index(against) if against in names else 0,
            },
        )

    def settings(self) -> dict[str, object]:
        """Returns the other values of its program."""
        return {}

    def _choose_reference(self) -> None:
        self.set_reference(self.reference.currentData())


class TextPage(SharesPage):
    """The share of each script in the tokens of the text, by the characters that they cover."""

    id = "text"
    title = "Tokens of the text by script"
    what, of = "tokens", "the text's tokens"
    program_imports = """
from tokenarium.models.programs import rows_of
from tokenarium.models.scripts.script_bars import ScriptCounts, share_bars
from tokenarium.models.scripts.text_scripts import CountedTokens, text_scripts
from tokenarium.models.text.text_map import TextMap
"""
    program = """
counted = []
for place, (name, tokenizer) in enumerate(TOKENIZERS.items()):
    encoding = tokenizer.encode(TEXT, SPECIAL, add_bos=ADD_BOS, add_eos=ADD_EOS)
    sums = text_scripts(TextMap(TEXT).utf8, CountedTokens.of(tokenizer, encoding))
    counted.append(ScriptCounts(name, place, sums.tokens, sums.cut))
chart, _ = share_bars(counted, SCALE, REFERENCE, "tokens", "the text's tokens")
rows = rows_of(chart.table())
"""
    rule = TEXT_RULE
    needs_text = True

    def __init__(self, workspace: ScriptsView) -> None:
        self._found: dict[str, tuple[tc.Encoding, TokenScripts]] = {}
        super().__init__(workspace)

    def refresh(self) -> None:
        self._count()
        super().refresh()

    def counts(self, counted: CountedVocabulary) -> TokenScripts | None:
        known = self._found.get(counted.item.key)
        return known[1] if known is not None else None

    def corpus(self) -> str:
        return f"The text of the window: {self.session.text_map.byte_count:,} bytes"

    def settings(self) -> dict[str, object]:
        session = self.session
        return {"SPECIAL": session.special, "ADD_BOS": session.add_bos, "ADD_EOS": session.add_eos}

    def waiting(self) -> str:
        return "Counting …" if len(self._found) < len(self.host.counted) else ""

    def _count(self) -> None:
        """Counts the remaining tokens; those of a short text at once."""
        encodings: dict[str, tc.Encoding] = {}
        for tokenizer in self.host.counted:
            encoded = self.session.encoded(tokenizer.item.key)
            if encoded is not None and encoded.tokens is not None and encoded.complete:
                encodings[tokenizer.item.key] = encoded.tokens.whole
        self._found = {
            key: known
            for key, known in self._found.items()
            if key in encodings and encodings[key] is known[0]
        }
        left = {
            one.item.key: CountedTokens.of(
                cast(tc.Tokenizer, one.item.tokenizer), encodings[one.item.key]
            )
            for one in self.host.counted
            if one.item.key in encodings and one.item.key not in self._found
        }
        self.running.cancel()
        if not left:
            return
        work = TextScriptsJob(self.session.text_map.utf8, left)

        def keep() -> None:
            self._found |= {key: (encodings[key], found) for key, found in work.found.items()}

        def take(progress: Progress) -> None:
            keep()
            if progress.finished:
                super(TextPage, self).refresh()

        if self.session.text_map.byte_count * len(left) <= AT_ONCE:
            work.step(float("inf"))
            keep()
        else:
            self.running.slices("Counting scripts", work, take)


class LengthsPage(_BarsPage):
    """The lengths of the entries of each script."""

    id = "lengths"
    title = "Length of entries by script"
    rule = LENGTH_RULE + RULE

    def refresh(self) -> None:
        vocabularies = [
            (tokenizer.item.name, tokenizer.item.identity, tokenizer.use)
            for tokenizer in self.host.counted
        ]
        self._show(*script_bars.length_bars(vocabularies))
        self.plot.set_source(FigureSource("All entries of each vocabulary", code=self.python))

    def python(self) -> str:
        return _vocabularies_program(self.host, self.title, LENGTHS_IMPORTS, LENGTHS_PROGRAM)


class CharactersPage(Page):
    """A table of all scripts next to the characters of one script, for one tokenizer."""

    id = "characters"
    title = "Characters with a token of their own"

    def __init__(self, workspace: ScriptsView) -> None:
        super().__init__(workspace)
        self.table = ScriptTable()
        self.host = workspace
        self.grid = CharacterGrid()
        self.head = strong(ElidedLabel())
        self.choice = CurrentChoice(
            self.session,
            "Tokenizer of the grid",
            "The tokenizer whose tokens are marked in the grid",
        )
        self.table.script_picked.connect(self._show_script)
        self.which = named(QComboBox(), "Which characters are shown")
        self.which.setToolTip("Shows all characters, or those with or without a token of their own")
        self.which.addItems(WHICH)
        self.which.currentIndexChanged.connect(lambda _: self._show_script(self.table.script))
        head = in_row(self.which, self.choice, STRETCH, spacing=GRID)
        right = QWidget()
        self.key = secondary(QLabel("Filled: has a token of its own. Not filled: has none."))
        self.key.setWordWrap(True)
        in_column(
            self.head,
            head,
            (self.grid, 1),
            self.key,
            into=right,
            spacing=GRID // 2,
            margins=(GRID, 0, 0, 0),
        )
        self._halves = halves = QSplitter(
            Qt.Orientation.Horizontal, childrenCollapsible=False, handleWidth=1
        )
        watch_split(halves)
        halves.addWidget(self.table)
        halves.addWidget(right)
        halves.setSizes([700, 300])
        in_column(
            strong(QLabel(self.title)),
            (halves, 1),
            rule_label(OWN_RULE),
            into=self,
            spacing=GRID // 2,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )

    def refresh(self) -> None:
        counted = self.host.counted
        self.choice.follow(counted)
        owns = [count_own(tokenizer.use.own_characters) for tokenizer in counted]
        rows = [
            (number, CLASS_NAMES[number], int(assigned[number]), [int(own[number]) for own in owns])
            for number in np.flatnonzero(assigned).tolist()
        ]
        fresh = self.table.script < 0
        self.table.show_rows([tokenizer.item.name for tokenizer in counted], rows)
        if fresh and owns:
            self.table.choose(CLASS_NAMES.index("Latin"))
        self._show_script(self.table.script)

    def keeps(self) -> Iterable[Kept]:
        table, grid = self.table.verticalScrollBar(), self.grid.verticalScrollBar()
        return (
            kept_sort("sorted", self.table, self._is_filled),
            Kept("script", lambda: _name_of(self.table.script), self._show_kept),
            Kept("which", self.which.currentIndex, lambda place: self.which.setCurrentIndex(index_below(place, len(WHICH)))),
            kept_split("halves", self._halves),
            kept_scroll("top", table, self._is_filled),
            kept_scroll("grid", grid, self._is_filled),
        )  # fmt: skip

    def _show_kept(self, name: object) -> bool:
        script = CLASS_NAMES.index(text_of(name))
        if not self._is_filled():
            return False
        self.choose(script)
        return True

    def _is_filled(self) -> bool:
        """Whether all tokenizers are counted; in a presentation, the page is filled only when it is visible."""
        return self.host.follow() and self.table.script >= 0

    def choose(self, script: int) -> None:
        """Shows the characters of a class, if it has any."""
        if script < len(assigned) and assigned[script]:
            self.table.choose(script)

    def python(self) -> str:
        return _vocabularies_program(self.host, self.title, OWN_IMPORTS, OWN_PROGRAM)

    def focus_first(self) -> None:
        self.table.setFocus()

    def _show_script(self, script: int) -> None:
        one = self.choice.chosen(self.host.counted)
        if script < 0 or one is None:
            return
        codes = characters_of(script)
        marked = one.use.own_characters[codes]
        own, name = int(np.count_nonzero(marked)), CLASS_NAMES[script]
        self.head.setText(f"{name}: {own:,} of {len(codes):,} characters")
        if self.which.currentIndex():
            shown = marked == (self.which.currentIndex() == 1)
            codes, marked = codes[shown], marked[shown]
        self.grid.show_characters(codes, marked, one.item.identity)


class TreemapPage(_ScriptPage):
    """The vocabulary of the current tokenizer."""

    id = "treemap"
    title = "One vocabulary by script"
    kind = TreemapPlot

    def _add_controls(self) -> None:
        self.choice = CurrentChoice(
            self.session, "Tokenizer", "The tokenizer whose vocabulary is shown"
        )
        label = secondary(QLabel("Vocabulary of"))
        self._rows.addLayout(in_row(label, self.choice, STRETCH, spacing=GRID))

    def refresh(self) -> None:
        one = self.choice.follow(self.host.counted)
        if one is None:
            return
        shown = script_bars.ScriptCounts(one.item.name, one.item.identity, one.use.counts)
        self.plot.set_title(f"{one.item.name} by script")
        self._show(*script_bars.share_bars([shown], "share", 0, "entries", "the vocabulary"))
        self.plot.set_source(FigureSource("All entries of the vocabulary", code=self.python))

    def python(self) -> str:
        one = self.choice.chosen(self.host.counted)
        if one is None:
            return ""
        return program(
            self.plot.title,
            SharesPage.program_imports,
            SharesPage.program,
            tokenizers=[code_of(one.item)],
            values={"SCALE": "share", "REFERENCE": 0},
        )


def _vocabularies_program(host: ScriptsView, title: str, imports: str, body: str) -> str:
    """Returns a program on the vocabularies of all tokenizers; empty without any."""
    opened = [code_of(tokenizer.item) for tokenizer in host.counted]
    return program(title, imports, body, tokenizers=opened) if opened else ""


class ScriptsView(PagedWorkspace):
    """Charts of the tokenizers that are on; if one cannot be drawn, a message says why."""

    name = SCRIPTS
    kinds = (SharesPage, TextPage, CharactersPage, TreemapPage, LengthsPage)
    switches = (
        ("script_vocabulary", "Vocabularies"),
        ("script_text", "The text"),
        ("script_characters", "Characters"),
        ("script_treemap", "Treemap"),
        ("script_lengths", "Lengths"),
    )

    def prepare(self) -> None:
        self._uses: dict[str, tuple[tc.Tokenizer, VocabularyScripts]] = {}
        self.script = -1  # the class that was chosen last
        self._soon = soon(self, self.refresh)
        session = self.session
        for signal in (session.text_changed, session.tokenizers_changed, session.current_changed):
            signal.connect(self._soon.start)
        session.encoding_changed.connect(self._start_soon)
        super().prepare()
        self._pages.addWidget(self.empty)

    def _start_soon(self, _key: str) -> None:
        self._soon.start()  # a function without an object would be called after the page has gone

    def keeps(self) -> Iterable[Kept]:
        return (Kept("script", lambda: _name_of(self.script), self._show_kept),)

    def _show_kept(self, name: object) -> None:
        self.pick(CLASS_NAMES.index(text_of(name)) if name else -1)

    def follow(self) -> bool:
        """Shows a change of the text or the tokenizers at once; returns whether all tokenizers are open."""
        if self._soon.isActive():
            self.refresh()
        return not self.session.opening

    # The pages.

    @property
    def shares(self) -> SharesPage | None:
        """The current page, if it shows shares as bars."""
        return self.page if isinstance(self.page, SharesPage) else None

    def frame(self, page: Page) -> QWidget:
        """Returns a scroll area around a page, for windows that are too low for it."""
        return page_area(page)

    def show_chosen(self) -> None:
        self.refresh()
        self._choose()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Updates the tokenizers and the text; a hidden workspace waits until it is shown."""
        self._soon.stop()
        if not self.isVisible():
            return
        if not self.session.chosen():
            self.say_no_tokenizer()
            self._pages.setCurrentWidget(self.empty)
        elif self.page.needs_text and not self.session.has_text:
            self.say_no_text()
            self._pages.setCurrentWidget(self.empty)
        else:
            self.page.refresh()
            super().show_chosen()

    # Queries of the pages.

    @property
    def counted(self) -> list[CountedVocabulary]:
        """The tokenizers that are on, with the classes of their entries, each counted once."""
        tokenizers, uses = [], {}
        for item in self.session.chosen():
            tokenizer = cast(tc.Tokenizer, item.tokenizer)
            known = self._uses.get(item.key)
            if known is None or known[0] is not tokenizer:
                known = tokenizer, VocabularyScripts(tokenizer.vocabulary)
            uses[item.key] = known
            tokenizers.append(CountedVocabulary(item, known[1]))
        self._uses = uses
        return tokenizers

    def pick(self, script: int) -> None:
        """Chooses a class of entries on all pages; -1: none."""
        self.script = script
        self._choose()

    def open(self, script: int) -> None:
        """Chooses a class of entries, and shows them in the workspace Vocabulary."""
        self.pick(script)
        self.session.requests.ask(ShowEntries(query_of(script)))

    def _choose(self) -> None:
        page = self.page
        if isinstance(page, CharactersPage):
            if self.script >= 0:
                page.choose(self.script)
        elif isinstance(page, _ScriptPage):
            page.choose(self.script)
