"""What may go wrong with the text that a template has made of a chat, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.chat.chat_sources import parts_of_tokens
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import MARKER
from tokenarium.models.chat.origins import ChatPart, Origin, in_words
from tokenarium.models.text.added_in_text import id_of
from tokenarium.models.text.piece import counted
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap

TWICE: Final = "bos twice"
ADDED: Final = "bos added"
FORGED: Final = "special token"
ADDED_TOKEN: Final = "added token"
MISSING: Final = "missing variable"
"""The kinds of warnings."""

MOST_NAMED: Final = 3
"""How many things a sentence names."""

_BEGINNING: Final = 500
"""Characters of a text that are encoded to see what the tokenizer puts before it."""


class ChatWarning(NamedTuple):
    """A warning: its kind, a sentence, what to do, and where it is in the text, as (start, stop) in bytes."""

    kind: str
    sentence: str
    remedy: str
    places: list[tuple[int, int]] = []  # noqa: RUF012 - never changed


class Forged(NamedTuple):
    """A special token that a text of the chat has become: its place among the tokens, its id, and what it is of."""

    place: int
    id: int
    origins: list[Origin]


def chat_warnings(
    tokenizer: tc.Tokenizer,
    template: ChatTemplate,
    found: Sequence[Forged],
    roles: Sequence[str],
    text_map: TextMap,
    tokens: TextParts,
    missing: Sequence[str] = (),
) -> list[ChatWarning]:
    """Returns the warnings.

    ``tokens`` are those of the text with all special tokens, ``found`` what `forged` finds, ``missing`` as in `Written`.
    """
    warnings = _bos(tokenizer, template, text_map, tokens)
    variables = [name for name in missing if not name.endswith("_token")]  # a note is about these
    if variables:
        warnings.append(
            ChatWarning(
                MISSING,
                f"The template writes what is not given: {_some(variables)}. Nothing stands there.",
                "Give it as a variable.",
            )
        )
    special = set(tokenizer.special_tokens.values())
    for kind, remedy in (
        (FORGED, "Encode the chat in parts, with special tokens in these texts as plain text."),
        (ADDED_TOKEN, "No option makes it plain text: change or refuse the text."),
    ):
        mine = [one for one in found if (one.id in special) == (kind == FORGED)]
        if not mine:
            continue
        names = list(dict.fromkeys(tokenizer.vocabulary.surface(one.id) for one in mine))
        of = list(dict.fromkeys(in_words(origin, roles) for one in mine for origin in one.origins))
        what = "special token" if kind == FORGED else "added token that is not special"
        forms = counted(len(mine), what, what.replace("token", "tokens").replace("is", "are"))
        warnings.append(
            ChatWarning(
                kind,
                f"Text of the chat becomes {forms}, as if the template had written it: {_some(names)}, in {_some(of)}.",
                remedy,
                [tokens.span(one.place) for one in mine],
            )
        )
    return warnings


def _some(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def bos_of(tokenizer: tc.Tokenizer, template: ChatTemplate) -> int:
    """Returns the id of the token for the beginning of a text in a chat, or else the tokenizer's; -1 for none."""
    content = template.tokens.get("bos_token")
    known = id_of(tokenizer, content) if content else -1
    bos = tokenizer.ends.bos
    return known if known >= 0 else bos[0] if len(bos) == 1 else -1


def forged(
    tokenizer: tc.Tokenizer,
    written: Sequence[ChatPart] | None,
    text_map: TextMap,
    tokens: TextParts,
) -> list[Forged]:
    """Returns the special tokens, and other added tokens that look like them, with any text that is not the template's."""
    if not written or tokens.ids is None:
        return []
    known = {*tokenizer.special_tokens.values()} | {
        token.id for token in tokenizer.added_tokens.tokens if MARKER.fullmatch(token.content)
    }
    special = np.isin(tokens.ids[:], np.array(sorted(known), dtype=np.int32))
    first, last = parts_of_tokens(written, text_map, tokens)
    found = []
    for place in np.flatnonzero(special).tolist():
        touched = written[int(first[place]) : int(last[place]) + 1]
        given = list(dict.fromkeys(part.origin for part in touched if part.given))
        if given and not _only_spaces(touched, text_map, tokens.span(place)):
            found.append(Forged(place, int(tokens.ids[place]), given))
    return found


def _only_spaces(parts: Sequence[ChatPart], text_map: TextMap, span: tuple[int, int]) -> bool:
    """Whether all that a token has of texts of the chat is white space, which some special tokens take."""
    start, stop = text_map.byte_to_char([*span]).tolist()
    return not any(
        text_map.text[max(part.start, start) : min(part.stop, stop)].strip()
        for part in parts
        if part.given
    )


def _bos(
    tokenizer: tc.Tokenizer, template: ChatTemplate, text_map: TextMap, tokens: TextParts
) -> list[ChatWarning]:
    bos = bos_of(tokenizer, template)
    if bos < 0 or tokens.ids is None:
        return []
    surface = tokenizer.vocabulary.surface(bos)
    ids: npt.NDArray[np.int32] = np.asarray(tokens.ids[:])
    others = np.flatnonzero(ids != bos)
    own = int(others[0]) if len(others) else len(ids)
    beginning = text_map.text[:_BEGINNING]
    with_its_own = list(tokenizer.encode(beginning, "all", template=True).ids)
    without = list(tokenizer.encode(beginning, "all").ids)
    warnings = []
    if own > 1:
        warnings.append(
            ChatWarning(
                TWICE,
                f"The text begins with {surface} {own:,} times.",
                "Remove all but one from the template or from the first message.",
                [tokens.span(place) for place in range(own)],
            )
        )
    if own and with_its_own[: len(without) + 1] == [bos, *without]:
        warnings.append(
            ChatWarning(
                ADDED,
                f"Encoded like other texts, the chat begins with {surface} twice: the template writes it, and the"
                " tokenizer adds its own.",
                "Use apply_chat_template with tokenize=True, or add_special_tokens=False.",
                [tokens.span(0)],
            )
        )
    return warnings
