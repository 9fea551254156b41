"""The workspace Compare: the chosen tokenizers side by side, on several pages.

This module has the page Differences: where and how they split the text differently.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QKeyEvent, QShowEvent

from tokenarium.models.programs import program
from tokenarium.models.text.differences import (
    KINDS,
    MEANING,
    CutComparison,
    difference_kinds,
    difference_lines,
    difference_sentence,
    token_cuts,
)
from tokenarium.models.text.lost_text import is_doubtful
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, next_region
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.encodings import EncodingStatus
from tokenarium.style.theme import GRID, PAGE_MARGIN, Theme
from tokenarium.views.analysis_page import page_of
from tokenarium.views.compare_diff import DiffPage
from tokenarium.views.compare_migrate import MigratePage
from tokenarium.views.compare_overlap import OverlapPage
from tokenarium.views.compare_overview import OverviewPage
from tokenarium.views.compare_readers import ReadersPage
from tokenarium.views.compare_texts import TextPairPage
from tokenarium.views.decks import Deck
from tokenarium.views.kept import Kept, kept_value
from tokenarium.views.page_program import code_of
from tokenarium.views.token_rows import (
    offer_token_menu,
    offer_tokenizer_menu,
    show_tokens,
    tokenizer_rows,
)
from tokenarium.views.workspace import COMPARE, Page, PagedWorkspace, Workspace, soon
from tokenarium.widgets.areas import filled_column
from tokenarium.widgets.compare.difference_bar import DifferenceBar, KindBar
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import named
from tokenarium.widgets.text.interlinear_view import InterlinearView, row_of_digit
from tokenarium.widgets.text.token_card import CardFacts
from tokenarium.widgets.text.token_cards import TokenCards

TOO_FEW = (
    "Two tokenizers are needed",
    "Click another tokenizer in the library (Ctrl+B) to see where their cuts differ.",
)


IMPORTS = """
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.programs import rows_of
from tokenarium.models.text.differences import CutComparison, difference_kinds, token_cuts
from tokenarium.models.text.differences import difference_lines
from tokenarium.models.text.text_map import TextMap
"""

PROGRAM = """
text_map = TextMap(TEXT)
cuts = {}
for name, tokenizer in TOKENIZERS.items():
    encoding = tokenizer.encode(TEXT, SPECIAL, add_bos=ADD_BOS, add_eos=ADD_EOS)
    cuts[name] = token_cuts(array_of(encoding.spans), text_map.byte_count)
compared = CutComparison(list(cuts.values()))
compared.step(float("inf"))
kinds = difference_kinds(text_map, compared.regions, compared.disputed, list(cuts.values()))
rows = rows_of(difference_lines(text_map, compared.regions, kinds, cuts))
"""


class DifferencesPage(Page):
    """The text with the cuts of each tokenizer, and a tick at each cut that not all tokenizers make."""

    id = "differences"
    title = "Differences"
    follows_text = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        session = self.session
        self._cuts: dict[str, tuple[EncodingStatus, IntArray]] = {}
        self._all: IntArray = np.empty((0, 2), dtype=np.int32)
        self._kinds: npt.NDArray[np.int8] = np.empty(0, np.int8)
        self._disputed: IntArray = np.empty(
            0, dtype=np.int32
        )  # the cuts that not all tokenizers make
        self._keys: list[str] = []  # of the tokenizers that are compared
        self._places = self._all  # the differences to go through: all, or of one kind
        self.bar = DifferenceBar()
        self.kinds = KindBar(KINDS, MEANING)
        self.view = named(InterlinearView(), "Where the cuts differ")
        self.view.follow_size(self.appearance)
        self.cards = TokenCards(chips=True)
        cards = in_row((self.cards, 1), margins=(PAGE_MARGIN, GRID // 2, PAGE_MARGIN, GRID // 2))
        bar = in_column(self.bar, margins=(0, GRID // 2, 0, 0))
        shown = filled_column(bar, self.kinds, cards, body=self.view)
        self.cards.put_before(self.view)
        self._pages = self.fill(shown)
        self._soon = soon(self, self.compare)
        self.bar.stepped.connect(self.go_to_difference)
        self.bar.picked.connect(self._select)
        self.kinds.picked.connect(self._show_places)
        self.view.hovered.connect(session.point_at)
        self.view.picked.connect(session.select)
        offer_token_menu(session, self.view)
        self.view.front_requested.connect(session.set_current)
        offer_tokenizer_menu(session, self.cards)
        session.text_changed.connect(self._show_text)
        session.text_replaced.connect(self._go_to_top)
        session.current_changed.connect(self._show_front)
        session.tokenizers_changed.connect(self._show_rows)
        session.encoding_changed.connect(self._show_encoding)
        session.selection_changed.connect(self._light)
        session.hover_changed.connect(self._light)
        session.display_changed.connect(self._show_display)
        for signal in (session.figures.changed, session.sets.changed):
            signal.connect(self._show_facts)
        self.appearance.changed.connect(self._show_theme)
        self._show_display()
        self._show_text()
        self._show_rows()
        self.compare()

    # The rows.

    def _show_text(self) -> None:
        self.view.set_text_map(self.session.text_map)
        self._show_page()
        self._soon.start()

    def _show_page(self) -> None:
        if not self.session.has_text:
            self.say_no_text()
        elif len(self.session.chosen()) < 2:
            self.say_no_tokenizer(TOO_FEW)
        shown = self.session.has_text and len(self.session.chosen()) > 1
        self._pages.setCurrentIndex(0 if shown else 1)

    def _show_rows(self) -> None:
        items = self.session.chosen()
        self.view.set_rows(tokenizer_rows(items, self.appearance.theme))
        for item in items:
            self._show_encoding(item.key)
        self._show_front()
        self._show_page()
        self._soon.start()

    def _show_front(self) -> None:
        current = self.session.current
        self.view.set_front(current.key if current is not None else "")
        self._show_facts()

    def _show_facts(self) -> None:
        """Shows the counts of all tokenizers."""
        selection = self.session.selection
        facts = []
        for item in self.session.chosen():
            layer, encoded = self.view.rows.get(item.key), self.session.encoded(item.key)
            if layer is None or encoded is None:
                continue
            count = None if encoded.tokens is None else len(encoded.tokens)
            selected = None if selection is None else len(layer.parts.between(*selection))
            identity = self.appearance.theme.identity(item.identity)
            name = item.model_name or item.name
            facts.append(
                CardFacts(
                    item.key,
                    name,
                    "",
                    identity,
                    "token",
                    count,
                    selected,
                    note=encoded.error,
                    lossy=is_doubtful(layer.lost_share(self.session.text_map)),
                    price=self.session.figures.cost_in_short(item.key, count),
                    chosen=item.key in self.session.sets.chosen,
                )
            )
        self.cards.show_facts(facts, self.view.front)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Puts a tokenizer in front with 1 to 9."""
        place, keys = row_of_digit(event), list(self.view.rows)
        if 0 <= place < len(keys):
            self.session.set_current(keys[place])
        else:
            super().keyPressEvent(event)

    def _show_encoding(self, key: str) -> None:
        encoded = self.session.encoded(key)
        item = self.session.library.item(key)
        if key not in self.view.rows or encoded is None or item is None or item.tokenizer is None:
            return
        self._soon.start()
        if encoded.tokens is None:
            self.view.set_parts(key, TextParts.empty())
        else:
            show_tokens(self.view, key, item.tokenizer, encoded, self.session)

    # Differences.

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.compare()

    def compare(self) -> None:
        """Finds where the cuts differ, once all tokenizers have split the text.

        A hidden page waits until it is shown.
        """
        self._soon.stop()
        if not self.isVisible():
            return
        items = [item for item in self.session.chosen() if not self._failed(item)]
        cuts = [one for item in items if (one := self._cuts_of(item)) is not None]
        compared = len(cuts) == len(items) and len(cuts) > 1
        keys = [item.key for item in items]
        comparison = CutComparison(cuts if compared else [])
        comparison.step(float("inf"))
        where, self._all = comparison.disputed, comparison.regions
        self._kinds = difference_kinds(self.session.text_map, self._all, where, cuts)
        self._disputed, self._keys = where, keys
        counts = np.bincount(self._kinds, minlength=len(KINDS)).tolist()
        self.kinds.show_counts(dict(zip(KINDS, counts, strict=True)))
        self._compared = compared
        self._show_places()
        self._show_facts()

    _compared = False

    def _failed(self, item: LibraryItem) -> bool:
        encoded = self.session.encoded(item.key)
        return encoded is not None and bool(encoded.error)

    def _cuts_of(self, item: LibraryItem) -> IntArray | None:
        encoded = self.session.encoded(item.key)
        if encoded is None or encoded.tokens is None or not encoded.complete:
            return None
        known = self._cuts.get(item.key)
        if known is None or known[0] is not encoded:
            spans = encoded.tokens.spans(0, len(encoded.tokens))
            known = encoded, token_cuts(spans, self.session.text_map.byte_count)
            self._cuts[item.key] = known
        return known[1]

    def _show_places(self) -> None:
        kind = self.kinds.kind
        chosen = self._kinds == KINDS.index(kind) if kind else np.full(len(self._all), True)
        self._places = self._all[chosen]
        which = np.searchsorted(self._all[:, 0], self._disputed, side="right") - 1
        marked = self._disputed[chosen[which]]
        self.view.set_disputed(marked, self._places, self._keys)
        count = len(self._places)
        if not self._compared:
            sentence = "Comparing …"
        elif not len(self._all):
            sentence = "All split this text the same way"
        else:
            of_kind = f" of the kind {kind}" if kind else ""
            sentence = difference_sentence(count, len(marked), of_kind)
        shares = self._places[:, 0] / max(self.session.text_map.byte_count, 1)
        self.bar.show_positions(sentence, shares, self.appearance.theme.ask)
        self._light()

    @property
    def walks_differences(self) -> bool:
        return True

    @property
    def difference_count(self) -> int:
        return len(self._places)

    def go_to_difference(self, step: int) -> None:
        if len(self._places):
            self._select(next_region(self._places, self.session.selection, step))

    def _select(self, place: int) -> None:
        start, end = self._places[place].tolist()
        self.session.select(start, end)

    def _light(self) -> None:
        selection = self.session.selection
        self.view.set_highlight(*(selection or (-1, -1)))
        self.view.set_pointed(*(self.session.hover or (-1, -1)))
        if selection is not None:
            self.view.ensureVisible(selection[0])
        self.bar.set_current(self.index_of_difference(selection))
        self._show_facts()

    # Queries of the window.

    def keeps(self) -> Iterable[Kept]:
        return (kept_value("kind", str, lambda: self.kinds.kind, self._choose_kind),)

    def _choose_kind(self, kind: str) -> bool:
        """Goes through the differences of only one kind; returns whether they are known yet."""
        if kind and kind not in KINDS:
            raise ValueError
        if self.busy or self.session.opening:
            return False
        if not self._compared:
            return not kind  # fewer than two tokenizers have no differences to choose from
        self.kinds.choose(kind)
        return True

    def lines(self) -> list[list[str]]:
        cuts = {item.name: self._cuts_of(item) for item in self.session.chosen()}
        return difference_lines(self.session.text_map, self._all, self._kinds, cuts)

    def python(self) -> str:
        session = self.session
        items = [item for item in session.chosen() if not self._failed(item)]
        if not session.has_text or len(items) < 2:
            return ""
        return program(
            self.title,
            IMPORTS,
            PROGRAM,
            text=session.text,
            file=session.file,
            tokenizers=[code_of(item) for item in items],
            values={
                "SPECIAL": session.special,
                "ADD_BOS": session.add_bos,
                "ADD_EOS": session.add_eos,
            },
        )

    def _cut_as(self, start: int, end: int, cuts: Sequence[IntArray | None]) -> list[str]:
        """Returns a part of the text as each tokenizer splits it, with | between the tokens."""
        text_map, pieces = self.session.text_map, []
        for cut in cuts:
            inside = [] if cut is None else cut[(cut > start) & (cut < end)].tolist()
            parts = pairwise([start, *inside, end])
            pieces.append("|".join(text_map.slice(first, last) for first, last in parts))
        return pieces

    def index_of_difference(self, span: tuple[int, int] | None) -> int:
        """Returns the index of the difference with these bytes, or -1."""
        if span is None:
            return -1
        here = np.flatnonzero((self._places == span).all(axis=1))
        return int(here[0]) if len(here) else -1

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.figure_decks import DifferencesDeck

        if not self.difference_count:
            return None
        spans = [(start, end) for start, end in self._places.tolist()]
        return DifferencesDeck(self.session, spans, self._cuts_at, self._show_disputed_in, theme)

    def _go_to_top(self) -> None:
        self.view.scrollTo(0)

    def _cuts_at(self, start: int, end: int) -> list[str]:
        """Returns bytes of the text as each tokenizer that is on splits them."""
        return self._cut_as(start, end, [self._cuts_of(item) for item in self.session.chosen()])

    def _show_disputed_in(self, view: InterlinearView) -> None:
        view.set_disputed(self._disputed, self._places, self._keys)

    def as_text(self) -> str:
        cells = [[repr(cell)[1:-1] for cell in line] for line in self.lines()]
        return "".join("\t".join(line) + "\n" for line in cells)

    @property
    def busy(self) -> bool:
        return (self._soon.isActive() or self.view.fading) and self.isVisible()

    def focus_first(self) -> None:
        self.view.setFocus()

    # Appearance.

    def _show_display(self) -> None:
        self.view.set_show_whitespace(self.session.show_whitespace)
        self.view.set_annotations(self.session.annotations)

    def _show_theme(self) -> None:
        self.view.set_rows(tokenizer_rows(self.session.chosen(), self.appearance.theme))
        self._show_places()


class CompareView(PagedWorkspace):
    """The pages: figures and languages, differences, two texts, overlap, stages and their times, numbers, morphemes, code,
    divergence, bits per byte, unused entries, what two tokenizers do differently, what other programs make of a file, and
    migration."""

    name = COMPARE
    kinds = (
        OverviewPage,
        DifferencesPage,
        TextPairPage,
        OverlapPage,
        page_of("stages"),
        page_of("stage_times"),
        page_of("numbers"),
        page_of("digits"),
        page_of("text_sizes"),
        page_of("superwords"),
        page_of("mingram"),
        page_of("final_style"),
        page_of("morphology"),
        page_of("code"),
        page_of("divergence"),
        page_of("bits"),
        page_of("unused"),
        DiffPage,
        ReadersPage,
        MigratePage,
    )
    switches = tuple((f"compare_{page.id}", page.title) for page in kinds)
