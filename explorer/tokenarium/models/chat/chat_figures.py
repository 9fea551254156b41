"""All that is shown of a chat that a template has written and a tokenizer has encoded: in the window and on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.chat.chat_notes import ChatNotes, chat_notes
from tokenarium.models.chat.chat_sources import ChatSources, chat_sources
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import ChatTokens, Written, chat_tokens, generated_mask
from tokenarium.models.chat.chat_warnings import ChatWarning, chat_warnings, forged
from tokenarium.models.chat.conversation import Message
from tokenarium.models.chat.origins import UNATTRIBUTED, ChatPart, Origin, in_words
from tokenarium.models.chat.safe_encoding import SafePart, safe_parts
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.piece import counted
from tokenarium.models.text.text_map import TextMap


class ChatFigures(NamedTuple):
    """The tokens of a chat by role and by source, the warnings, the safe way to encode it, and the notes.

    ``mask`` is whether each token is marked as generated; None if the template has no such marks.
    """

    tokens: ChatTokens
    sources: ChatSources
    warnings: list[ChatWarning]
    safe: list[SafePart]
    notes: ChatNotes
    mask: npt.NDArray[np.bool_] | None

    def source_in_words(
        self, place: int, parts: Sequence[ChatPart] | None, roles: Sequence[str]
    ) -> str:
        """Returns what the text of a token comes from; ``parts`` are those of `Written`."""
        if place in self.sources.origins:
            origins = self.sources.origins[place]
        elif parts:
            origins = [parts[int(self.sources.first[place])].origin]
        else:
            origins = [Origin(UNATTRIBUTED)]
        return " and ".join(in_words(origin, roles) for origin in origins)


def chat_figures(
    tokenizer: tc.Tokenizer,
    template: ChatTemplate,
    own: bool,
    messages: Sequence[Message],
    made: Written,
    text_map: TextMap,
    encoding: tc.Encoding,
    unknown: Sequence[str] = (),
) -> ChatFigures:
    """Returns them; ``encoding`` is that of the text with all special tokens, ``own`` and ``unknown`` as in `chat_notes`."""
    ids, spans = array_of(encoding.ids), array_of(encoding.spans).reshape(-1, 2)
    special = tuple(tokenizer.special_tokens.values())
    tokens = chat_tokens(
        made.chat, messages, made.parts, text_map, ids, spans, special, text_loss(tokenizer)
    )
    roles = [message.role for message in messages]
    found = forged(tokenizer, made.parts, text_map, tokens.parts)
    return ChatFigures(
        tokens,
        chat_sources(made.parts, roles, text_map, tokens.parts),
        chat_warnings(tokenizer, template, found, roles, text_map, tokens.parts, made.missing),
        safe_parts(tokenizer, found, text_map, tokens.parts),
        chat_notes(tokenizer, template, own, made, unknown),
        generated_mask(made.chat, text_map, spans) if made.chat.generated else None,
    )


def source_notes(figures: ChatFigures, roles: Sequence[str]) -> list[str]:
    """Returns sentences about tokens of several sources, and about text whose source is unknown."""
    sentences = []
    mixed = figures.sources.origins
    if mixed:
        first = " and ".join(in_words(origin, roles) for origin in next(iter(mixed.values())))
        has = counted(len(mixed), "token has", "tokens have")
        sentences.append(f"{has} text from several sources; the first, from {first}.")
    unknown = sum(row.tokens for row in figures.sources.rows if row.source == UNATTRIBUTED)
    if unknown:
        come = counted(unknown, "token comes", "tokens come")
        sentences.append(
            f"It is unknown what {come} from: the template computes that text in a way that cannot be followed."
        )
    return sentences
