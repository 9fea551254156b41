"""The tokens of the text in a view of several rows, the menu of a token there, and that of a tokenizer on its card."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium.models.text.inspection import TokenPlace
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.encodings import EncodingStatus
from tokenarium.session.requests import ExplainBytes, ShowTokenizerMenu, ShowTokenMenu, TakeCut
from tokenarium.session.session import Session
from tokenarium.style.theme import Theme
from tokenarium.widgets.text.interlinear_view import InterlinearRow, InterlinearView
from tokenarium.widgets.text.token_cards import TokenCards
from tokenarium.widgets.text.token_view import TokenView


def offer_token_menu(session: Session, view: TokenView) -> None:
    """Makes a view request the menu of a token, the card when a token is double-clicked, and the cut that is clicked."""

    def key() -> str:
        row = view.menu_row
        return row if session.library.item(row) is not None else ""

    ask = session.requests.ask
    view.cut_clicked.connect(lambda byte: ask(TakeCut(byte)))
    view.token_activated.connect(lambda start, end: ask(ExplainBytes(start, end, key())))
    view.token_menu_requested.connect(
        lambda point, start, end: ask(ShowTokenMenu(TokenPlace(key(), -1, start, end), point))
    )


def offer_tokenizer_menu(session: Session, cards: TokenCards) -> None:
    """Makes cards bring a tokenizer to the front, choose it for a set, and request its menu."""

    def bring(key: str) -> None:
        session.sets.choose(())
        session.set_current(key)

    cards.chosen.connect(bring)
    cards.choice_toggled.connect(session.sets.toggle)
    cards.menu_requested.connect(
        lambda key, point: session.requests.ask(ShowTokenizerMenu(key, point))
    )


def tokenizer_rows(items: list[LibraryItem], theme: Theme) -> list[InterlinearRow]:
    """Returns the rows of tokenizers, in their colours."""
    return [InterlinearRow(item.key, item.name, theme.identity(item.identity)) for item in items]


def show_tokens(
    view: InterlinearView,
    key: str,
    tokenizer: tc.Tokenizer,
    encoded: EncodingStatus,
    session: Session,
) -> None:
    """Shows the tokens of an encoding, which must exist."""
    tokens = encoded.tokens
    assert tokens is not None, "there is no encoding"
    special = sorted(tokenizer.special_tokens.values()) if session.special == "all" else ()
    parts = TextParts(
        tokens.starts,
        tokens.ends,
        None,
        ids=tokens.ids,
        special_ids=special,
        superword_ids=superword_ids(tokenizer),
    )
    view.set_parts(key, parts, encoded.complete, text_loss(tokenizer))
