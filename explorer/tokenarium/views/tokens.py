"""The workspace Tokens: the text with the tokens of one tokenizer on it, and strips of the others under it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QRect
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

import tokenarium_core as tc
from tokenarium.models.compare.prices import cost_text
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, loses
from tokenarium.models.text.piece import percent
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import ABOUT
from tokenarium.models.text.token_counts import TokenCounts, measure, ratio_text
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.models.tokenizers.tokenizer_facts import ends_note, ends_rows
from tokenarium.resources.glossary import explanation
from tokenarium.session.encodings import EncodingStatus
from tokenarium.style.theme import GRID, PAGE_MARGIN, Theme
from tokenarium.views.kept import Kept, all_encoded, kept_top
from tokenarium.views.page_program import page_program
from tokenarium.views.token_rows import (
    offer_token_menu,
    offer_tokenizer_menu,
    show_tokens,
    tokenizer_rows,
)
from tokenarium.views.workspace import TOKENS, Page, PagedWorkspace, column, soon
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import ElidedLabel, named, secondary
from tokenarium.widgets.text.cost_popup import CostPopup
from tokenarium.widgets.text.interlinear_view import InterlinearView, row_of_digit
from tokenarium.widgets.text.legend import Legend, lost_entry
from tokenarium.widgets.text.token_card import CardFacts
from tokenarium.widgets.text.token_cards import TokenCards
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.views.decks import Deck


COUNTING_MS = 4.0
"""Milliseconds that counting may take at once, for each tokenizer."""

COUNTED_AT_ONCE = 20_000
"""The most tokens that are counted at once; more are counted by a job."""

COUNTS_AFTER_MS = 25
"""Milliseconds after a change until the cards follow: the tokens themselves come first."""

LOW = 630
"""Pixels: in a lower view the cards and the lines of the text are lower too."""

CUT_NOTES = (
    f"Lost: how much of the text is lost, so the counts look better than they are. {SAYS}\n"
    "In a character: tokens whose last byte is not the last byte of a character.\n"
    "In a grapheme: tokens that end between two characters that readers see as one (a "
    "letter and its mark, a joined emoji).\n"
    f"{ABOUT}"
)


PROGRAM = """
rows = []
for name, tokenizer in TOKENIZERS.items():
    encoding = tokenizer.encode(TEXT, SPECIAL, add_bos=ADD_BOS, add_eos=ADD_EOS)
    figures = token_figures(tokenizer, TEXT, encoding, SELECTION)
    rows.append({"tokenizer": name, **figures, "ids": list(encoding.ids)})
"""


class TokensPage(Page):
    """The first page, which the workspace fills."""

    id = "tokens"
    title = "Tokens"
    follows_text = True

    view: InterlinearView

    def python(self) -> str:
        session = self.session
        items = session.chosen()
        if not session.has_text or not items:
            return ""
        return page_program(
            session,
            self.title,
            "from tokenarium.models.text.token_counts import token_figures",
            PROGRAM,
            text=session.text,
            items=items,
            selection=session.selection,
            special=session.special,
            add_bos=session.add_bos,
            add_eos=session.add_eos,
        )

    def keeps(self) -> Iterable[Kept]:
        return (kept_top("scroll", self.view, lambda: all_encoded(self.session)),)

    def hide_answer(self, hide: bool) -> None:
        assert isinstance(self._workspace, TokensView)
        self._workspace.hide_tokens(hide)

    def focus_first(self) -> None:
        self.view.setFocus()


class TokensView(PagedWorkspace):
    """A card for every tokenizer that is on, and the comparison in one scroll area.

    And pages of questions about a text.
    """

    name = TOKENS
    kinds = (TokensPage,)
    switches = (
        ("tokens_page", "Tokens"),
        ("tokens_perturb", "Perturb"),
        ("tokens_stream", "Stream"),
        ("tokens_ways", "Ways"),
        ("tokens_covering", "Covering"),
        ("annotate_none", "Bars"),
        ("annotate_ids", "Ids"),
        ("annotate_bytes", "Bytes"),
        ("show_whitespace", "White space"),
        ("recognise_special", "Special tokens"),
        ("token_cost", "Cost …"),
        ("add_bos", "BOS"),
        ("add_eos", "EOS"),
    )
    terms: ClassVar = {"recognise_special": "special token"}

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.text_decks import TokensDeck

        is_text = self.page.id == TokensPage.id and self.session.has_text
        return TokensDeck(self.session, theme) if is_text else super().deck(theme)

    @classmethod
    def kind_of(cls, page_id: str) -> type[Page]:
        """Returns the class of a page; pages of questions are loaded on first use."""
        if page_id in ("perturb", "covering"):
            from tokenarium.views.analysis_page import page_of

            return page_of(page_id)
        if page_id == "stream":
            from tokenarium.views.tokens_stream import StreamPage

            return StreamPage
        if page_id == "ways":
            from tokenarium.views.tokens_ways import WaysPage

            return WaysPage
        return super().kind_of(page_id)

    def prepare(self) -> None:
        super().prepare()
        appearance = self.appearance
        self.view = named(InterlinearView(), "Tokens")
        self.view.follow_size(appearance)
        self.cards = TokenCards(keys=True)
        self.ends = secondary(ElidedLabel())
        self.ends.hide()
        self.legend = Legend(title="")
        self.legend.hide()
        self._cost_popup: CostPopup | None = None
        self._shown: dict[str, EncodingStatus | None] = {}  # by key: the parts of a row
        self._counts: dict[str, TokenCounts] = {}
        self._facts_soon = soon(self, self.show_facts, COUNTS_AFTER_MS)
        self._build()
        self._connect()
        self._show_text()
        self._show_display()
        self._show_rows()

    def _build(self) -> None:
        head = QWidget()
        self._head = in_column(self.cards, self.legend, self.ends, into=head)
        self._fit_head()
        self.cards.put_before(self.view)
        page = self.page_of(TokensPage.id)
        assert isinstance(page, TokensPage)
        page.view = self.view
        content = QStackedWidget()
        content.addWidget(column(head, self.view, grows=self.view))
        content.addWidget(self.empty)
        column(content, into=page)
        self._content = content
        for widget in (self, page, head):
            widget.setBackgroundRole(QPalette.ColorRole.Base)
            widget.setAutoFillBackground(True)

    def _connect(self) -> None:
        session = self.session
        self.view.hovered.connect(session.point_at)
        self.view.picked.connect(session.select)
        self.view.front_requested.connect(session.set_current)
        offer_token_menu(session, self.view)
        offer_tokenizer_menu(session, self.cards)
        session.sets.changed.connect(self.when_seen(self.show_facts))
        self.cards.chosen.connect(session.set_current)
        self.legend.picked.connect(lambda _: self._select_lost())
        session.text_changed.connect(self._stop_counting)
        session.text_changed.connect(self.when_seen(self._show_text))
        session.text_replaced.connect(self.when_seen(lambda: self.view.scrollTo(0)))
        self._rows_changed = self.when_seen(self._show_rows)
        session.tokenizers_changed.connect(self._rows_changed)
        session.encoding_changed.connect(self._encoding_changed)
        session.graphemes_changed.connect(self.when_seen(self._facts_soon.start))
        session.selection_changed.connect(self.when_seen(self._show_selection))
        session.hover_changed.connect(self.when_seen(self._light))
        session.current_changed.connect(self.when_seen(self._show_front))
        session.display_changed.connect(self.when_seen(self._show_display))
        session.figures.changed.connect(self.when_seen(self.show_facts))
        self.appearance.changed.connect(self.when_seen(self._show_theme))

    @property
    def shows_tools(self) -> bool:
        return self._page == TokensPage.id

    @property
    def busy(self) -> bool:
        shows = (self._facts_soon.isActive() or self.view.fading) and self.isVisible()
        return shows or super().busy

    def bring_up(self, byte: int) -> None:
        self.view.scrollTo(byte, -GRID)

    def rect_of(self, start: int, end: int) -> QRect | None:
        seen = self._page == TokensPage.id
        return self.view.span_rect(start, end) if seen else None

    def hide_tokens(self, hide: bool) -> None:
        """Hides the tokens and their counts, or shows them; the text stays."""
        self.view.hide_parts(hide)
        self.cards.hide_counts(hide)
        self._show_legend()

    def strips_of(self, key: str) -> list[QRect]:
        return self.view.strip_rects(key) if self._page == TokensPage.id else []

    def marked_part(self, name: str) -> QWidget | None:
        if self._page != TokensPage.id:
            return super().marked_part(name)
        return {"text": self.view, "stage": self.view, "counts": self.cards}.get(name)

    def _items(self) -> list[LibraryItem]:
        return [
            item
            for item in self.session.library
            if item.on and item.state in (State.OPEN, State.OPENING)
        ]

    # The text and its tokens.

    def _show_text(self) -> None:
        self.view.set_text_map(self.session.text_map)
        self._show_page()

    def _show_page(self) -> None:
        if not self.session.has_text:
            self.say_no_text()
        elif not self.view.rows:
            self.say_no_tokenizer()
        shown = self.session.has_text and self.view.rows
        self._content.setCurrentIndex(0 if shown else 1)

    def _show_rows(self) -> None:
        items = self._items()
        before = set(self.view.rows)
        self.view.set_rows(tokenizer_rows(items, self.appearance.theme))
        self._show_page()
        for item in items:
            encoded = self.session.encoded(item.key)
            if (
                item.key not in before
                or encoded is None
                or self._shown.get(item.key) is not encoded
            ):
                self._show_encoding(item.key)
        self._bring_forward(moves=False)
        self._light_selection()
        self.show_facts()

    def _encoding_changed(self, key: str) -> None:
        if self.isVisible():
            self._show_encoding(key)
        else:
            self._rows_changed()

    def _show_encoding(self, key: str) -> None:
        item = self.session.library.item(key)
        if key not in self.view.rows or item is None:
            return
        encoded = self._shown[key] = self.session.encoded(key)
        self._facts_soon.start()
        if item.tokenizer is None or encoded is None or encoded.tokens is None:
            self._counts.pop(key, None)
            # After an edit the parts that it did not touch stay until the tokenizer has had its turn.
            if item.tokenizer is None or encoded is not None or not self.view.rows[key].waits:
                self.view.set_parts(key, TextParts.empty())
            return
        show_tokens(self.view, key, item.tokenizer, encoded, self.session)

    # The counts.

    def _stop_counting(self) -> None:
        for key in self._counts:
            self.session.jobs.cancel(f"count {key}")
        self._counts.clear()

    def _count_all(self) -> None:
        """Counts new tokens, after they are painted."""
        for key in self.view.rows:
            encoded, item = self.session.encoded(key), self.session.library.item(key)
            if encoded is not None and item is not None and item.tokenizer is not None:
                self._count(key, item.tokenizer, encoded)

    def _count(self, key: str, tokenizer: tc.Tokenizer, encoded: EncodingStatus) -> None:
        """Counts new tokens: few at once, many in a job."""
        tokens = encoded.tokens
        if tokens is None:
            return
        counts = self._counts.get(key)
        if counts is None or not counts.goes_on_to(tokens):
            counts = self._counts[key] = TokenCounts(tokenizer, self.session.text_map)
        counts.take(tokens, self.session.grapheme_edges, encoded.complete)
        if self.session.encodes_much:
            return
        if len(tokens) <= COUNTED_AT_ONCE:
            counts.step(COUNTING_MS)
        waits = encoded.complete and not counts.finished
        if waits and not self.session.jobs.runs(f"count {key}"):

            def show(progress: Progress) -> None:
                if progress.finished and self._counts.get(key) is counts:
                    self.show_facts()

            jobs = self.session.jobs
            jobs.start(f"count {key}", "Counting tokens", counts, show, lambda error: None)

    def show_facts(self) -> None:
        """Updates the counts of the text and of the selection on the cards."""
        self._facts_soon.stop()
        self._count_all()
        items = [item for item in self._items() if item.key in self.view.rows]
        totals = {item.key: self._total(item.key) for item in items}
        selected = {item.key: self._selected(item.key) for item in items}
        most = max((count or 0 for count in totals.values()), default=0)
        front = self.view.front
        compared = selected if selected.get(front) else totals
        name = next((item.model_name or item.name for item in items if item.key == front), "")
        facts = []
        for item in items:
            key = item.key
            total, chosen = totals[key], selected[key]
            count, of_front = compared[key], compared.get(front)
            compares = count and key != front and not any(map(self._not_compared, (key, front)))
            ratio = ratio_text(count or 0, of_front or 0, name) if compares else ""
            notes = [ratio, *self._notes(item)]
            facts.append(
                CardFacts(
                    key,
                    item.model_name or item.name,
                    item.encoding_name,
                    self.appearance.theme.identity(item.identity),
                    "token",
                    total,
                    chosen,
                    (total or 0) / most if most else 0.0,
                    (chosen or 0) / most if most else 0.0,
                    " · ".join(note for note in notes if note),
                    self._tip(item, total),
                    " · ".join(self._costs(key, total or 0)),
                    self._is_lossy(key),
                    self.session.figures.cost_in_short(key, total),
                    key in self.session.sets.chosen,
                )
            )
        self.cards.show_facts(facts, front)
        self._show_ends(items)
        self._show_legend()

    def _show_ends(self, items: list[LibraryItem]) -> None:
        """Shows which ids are put around the text, if any."""
        chosen = (self.session.add_bos, self.session.add_eos)
        lines = [
            f"{self.session.short_name(item)}: {ends_note(item.tokenizer, *chosen)}"
            for item in items
            if item.tokenizer is not None
        ]
        self.ends.setVisible(any(chosen) and bool(lines))
        self.ends.setText("   ·   ".join(lines))
        self.ends.set_tip(
            "\n".join([*lines, "", *explanation("BOS and EOS").splitlines()]) if any(chosen) else ""
        )

    def _show_legend(self) -> None:
        """Explains the hatched parts, if there are any."""
        key = self._losing_key
        entries = []
        if key is not None and not self.view.hides_parts:
            name, theme = self.view.rows[key].name, self.appearance.theme
            entries.append(lost_entry(self._counts[key].lost, theme, name))
        self.legend.setEntries(entries)
        self.legend.setVisible(bool(entries))

    @property
    def _losing_key(self) -> str | None:
        """The tokenizer whose lost text is counted: the one in front if it loses some, or else the first that does."""
        keys = [self.view.front, *self.view.rows]
        return next((key for key in keys if key in self._counts and self._counts[key].lost), None)

    def _select_lost(self) -> None:
        """Selects the next part of the text that is lost; after the last, the first."""
        key = self._losing_key
        if key is None:
            return
        text = self.session.text_map
        after = self.session.selection[0] if self.session.selection is not None else -1
        place = self.view.rows[key].next_lost(text, after)
        if place is not None:
            self.session.select(*place)

    def _total(self, key: str) -> int | None:
        encoded = self.session.encoded(key)
        return None if encoded is None or encoded.tokens is None else len(encoded.tokens)

    def _selected(self, key: str) -> int | None:
        """How many tokens the selection touches; None without a selection."""
        selection = self.session.selection
        if selection is None or self._total(key) is None:
            return None
        return len(self.view.rows[key].parts.between(*selection))

    def _notes(self, item: LibraryItem) -> list[str]:
        encoded, counts = self.session.encoded(item.key), self._counts.get(item.key)
        if encoded is None or encoded.tokens is None:
            waits = State.OPENING.value if item.tokenizer is None else "waiting for its turn"
            return [encoded.error if encoded is not None else waits]
        measures = measure(self.session.text_map, encoded.tokens.ends)
        notes: list[str] = []
        if item.key == self.view.front and measures.bytes_per_part is not None:
            notes.insert(0, f"{measures.bytes_per_part:.2f} bytes per token")
        if counts is None:
            return notes
        if encoded.error:
            whole = self.session.text_map.byte_count
            notes.insert(0, f"the first {measures.bytes / 1e6:,.1f} of {whole / 1e6:,.1f} MB")
        elif not (encoded.complete and counts.finished):
            notes.insert(0, "so far")
        if counts.lost:
            notes.insert(0, f"{SIGN} {loses(counts.lost_share)}")
        return notes

    def _is_lossy(self, key: str) -> bool:
        """Whether too much of the text is lost for its tokens to be compared with others."""
        counts = self._counts.get(key)
        return counts is not None and is_doubtful(counts.lost_share)

    def _not_compared(self, key: str) -> bool:
        """Whether text is lost, or only the beginning of the text can be encoded."""
        encoded = self.session.encoded(key)
        if self._is_lossy(key):
            return True
        return encoded is not None and encoded.tokens is not None and bool(encoded.error)

    def _cut_notes(self, key: str) -> list[str]:
        """The counts of the cuts, in words."""
        counts, notes = self._counts.get(key), []
        if counts is not None and counts.in_character:
            notes.append(f"{counts.in_character:,} in a character")
        if counts is not None and counts.in_grapheme:
            notes.append(f"{counts.in_grapheme:,} in a grapheme")
        if counts is not None and counts.superwords:
            notes.append(f"{counts.superwords:,} superword{'s' * (counts.superwords != 1)}")
        return notes

    def _costs(self, key: str, tokens: int, whole: bool = False) -> list[str]:
        """The share of the context window that tokens fill, and their cost, if these were entered.

        ``whole``: in whole words and with every model, for a tooltip.
        """
        figures, costs = self.session.figures, []
        window, currency = figures.context_tokens, figures.price_list.currency
        if window:
            size = f"a context window of {window:,} tokens" if whole else compact(window)
            costs.append(f"{percent(tokens / window)} of {size}")
        said = [cost_text(one, tokens, currency, whole) for one in figures.prices_of(key)]
        if whole:
            return costs + [f"Costs {one}" for one in said]
        more = [f"{len(said) - 1:,} more"] if len(said) > 1 else []
        return costs + said[:1] + more

    def _tip(self, item: LibraryItem, total: int | None) -> str:
        encoded = self.session.encoded(item.key)
        if total is None or encoded is None or encoded.tokens is None:
            return item.name
        measures = measure(self.session.text_map, encoded.tokens.ends)
        so_far = "" if encoded.complete else "So far: "
        lines = [item.name]
        if measures.bytes_per_part is not None and measures.characters_per_part is not None:
            lines += [
                f"{so_far}{measures.bytes_per_part:.2f} bytes per token: "
                f"{measures.bytes:,} bytes in UTF-8 ÷ {measures.parts:,}",
                f"{so_far}{measures.characters_per_part:.2f} characters per token: "
                f"{measures.characters:,} code points ÷ {measures.parts:,}",
            ]
        if item.tokenizer is not None and (self.session.add_bos or self.session.add_eos):
            lines += [f"{name}: {value}" for name, value in ends_rows(item.tokenizer)]
        lines += [*self._costs(item.key, measures.parts, whole=True), *self._cut_notes(item.key)]
        if encoded.error:
            lines += ["", encoded.error]
        return "\n".join([*lines, "", CUT_NOTES])

    def ask_cost(self) -> None:
        """Asks for a context window and a price, below the cards that will show them."""
        if self._cost_popup is None:
            self._cost_popup = CostPopup(self)
            self._cost_popup.changed.connect(self.session.figures.set_cost)
            self._cost_popup.prices_wanted.connect(lambda: self.trigger("prices"))
        session = self.session
        self._cost_popup.open_under(
            self.cards, session.figures.context_tokens, session.figures.price_per_million
        )

    # The tokenizer in front, the selection, and the hover.

    def _show_front(self) -> None:
        self._bring_forward()
        self.show_facts()

    def _bring_forward(self, moves: bool = True) -> None:
        current = self.session.current
        self.view.set_front(current.key if current is not None else "", moves)

    def _put_in_front(self, place: int) -> None:
        keys = list(self.view.rows)
        if place < len(keys):
            self.session.set_current(keys[place])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Puts a tokenizer in front with 1 to 9."""
        place = row_of_digit(event)
        if place >= 0:
            self._put_in_front(place)
        else:
            super().keyPressEvent(event)

    def _light(self) -> None:
        self.view.set_highlight(*(self.session.selection or (-1, -1)))
        self.view.set_pointed(*(self.session.hover or (-1, -1)))

    def _show_selection(self) -> None:
        self._light_selection()
        self.show_facts()

    def _light_selection(self) -> None:
        self._light()
        if self.session.selection is not None:
            self.view.ensureVisible(self.session.selection[0])

    def seek(self, byte: int) -> None:
        self.view.ensureVisible(byte)

    # Appearance.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()

    def _fit_head(self) -> None:
        """Leaves more room to the text where there is little."""
        low = self.height() < LOW
        self.cards.set_low(
            low or self.appearance.fills_room
        )  # in a lesson, the text is what counts
        self.view.set_dense(low)
        self._head.setContentsMargins(PAGE_MARGIN, 0 if low else GRID * 3 // 2, PAGE_MARGIN, GRID)
        self._head.setSpacing(GRID if low else 10)

    def _show_display(self) -> None:
        self.view.set_show_whitespace(self.session.show_whitespace)
        self.view.set_annotations(self.session.annotations)
        self.view.viewport().update()  # bytes may be in another base

    def _show_theme(self) -> None:
        self._fit_head()
        self.cards.set_keys(
            not self.appearance.fills_room
        )  # in a lesson they may answer its question
        self.view.set_rows(tokenizer_rows(self._items(), self.appearance.theme))
        self.show_facts()


def compact(count: int) -> str:
    """Returns a number in short form.

    >>> compact(128_000), compact(1_000_000), compact(8_192)
    ('128k', '1M', '8,192')
    """
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count and count % size == 0:
            return f"{count // size:,}{letter}"
    return f"{count:,}"
