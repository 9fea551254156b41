"""Sentences on a chat that a template wrote: where it is not what transformers makes, and what is odd about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import Written

MOST_NAMED: Final = 8
LONGEST_NAME: Final = 60
"""How many names a sentence has, and how many characters of each."""


def names_in_words(names: Sequence[str]) -> str:
    """Returns names for a sentence: some of them, shortened, and how many more there are."""
    shown = [f"{name[:LONGEST_NAME]}{'…' * (len(name) > LONGEST_NAME)}" for name in names]
    more = len(names) - MOST_NAMED
    return ", ".join(shown[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


class ChatNotes(NamedTuple):
    """``wrong``: why the text, the ids or the parts differ from those in transformers; ``odd``: other remarks."""

    wrong: list[str]
    odd: list[str]


def chat_notes(
    tokenizer: tc.Tokenizer,
    template: ChatTemplate,
    own: bool,
    made: Written,
    unknown: Sequence[str] = (),
) -> ChatNotes:
    """Returns the notes on what was made of a conversation.

    ``own``: the template is the tokenizer's, or was asked for; ``unknown`` as in `conversation.Conversation`.
    """
    wrong, odd = [], []
    if not own:
        wrong.append("The tokenizer has no chat template of its own.")
    if unknown:
        wrong.append(f"Unknown, and not passed to the template: {names_in_words(unknown)}.")
    lost = [name for name in made.undefined if name.endswith("_token")]
    if lost:
        wrong.append(
            f"The template reads {names_in_words(lost)}, which no file defines: nothing is written there."
        )
    wrong += [
        f"{token!r} is a special token in the settings, but is not a token here: transformers adds it."
        for token in dict.fromkeys(template.tokens.values())
        if token and token in made.chat.text and len(tokenizer.encode(token, special="all")) != 1
    ]
    if not made.chat.exact:
        wrong.append(
            "The boundaries between roles are estimated: the template does not write the messages one after another."
        )
    if made.unused:
        odd.append(f"Given, but without effect on the text: {names_in_words(made.unused)}.")
    others = [name for name in made.undefined if name not in lost and name not in made.missing]
    if others:
        odd.append(f"The template also reads {names_in_words(others)}, which is not given.")
    return ChatNotes(wrong, odd)
