"""Which added tokens a text holds, and facts about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import tokenarium_core as tc
from tokenarium.models.text.direction import with_its_signs
from tokenarium.models.text.piece import readable
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.added_tokens import AddedMatch, AddedToken, AddedTokens
from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE

LOOKED_THROUGH = 16 * 1024
"""Bytes of a text that are searched for added tokens."""

NAMED = 12
"""Tokens of a text that are named, the most frequent first."""

FLAGS = {
    "special": "found only where special tokens are recognized",
    "normalized": "looked for in the normalized text",
    "lstrip": "takes the spaces before it",
    "rstrip": "takes the spaces after it",
    "single_word": "only where no letter, digit or _ touches it",
}
"""The options of an added token, and what each means."""


@dataclass(frozen=True, slots=True)
class AddedHere:
    """An added token in a text: its places in bytes, the rule of its pre-tokens, or why it is ``left`` as text."""

    name: str
    about: str
    rule: str
    left: str
    places: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        """How often it occurs."""
        return len(self.places)


@dataclass(frozen=True, slots=True)
class AddedInText:
    """The added tokens that a text holds, under a title, and a sentence on the stage."""

    title: str
    about: str
    tokens: tuple[AddedHere, ...]


def added_in(
    tokenizer: tc.Tokenizer, text: TextMap, special: Literal["none", "all"]
) -> AddedInText:
    """Returns which added tokens a tokenizer finds in a text, the most frequent first."""
    all_of_it = text.byte_count <= LOOKED_THROUGH
    looked = text.text
    if not all_of_it:
        looked = text.utf8_of(0, LOOKED_THROUGH).decode("utf-8", "ignore")
    places: dict[tuple[int, str], list[tuple[int, int]]] = {}
    tokens: dict[tuple[int, str], AddedMatch] = {}
    added = tokenizer.added_tokens
    for match in tokenizer.added_token_matches(looked, special) if added.tokens else []:
        key = (match.token.id, match.left)
        places.setdefault(key, []).append((match.start, match.stop))
        tokens[key] = match
    most_first = sorted(places, key=lambda key: -len(places[key]))
    occurring = []
    for key in most_first[:NAMED]:
        token, left = tokens[key].token, tokens[key].left
        name = f"{shown(token.content)} · id {token.id}"
        rule = SPECIAL_RULE if token.special else ADDED_RULE
        about = [name, *facts(added, token)]
        if left:
            name += " · left as text"
            about.append(f"Left as text: {left}.")
        about.append("Selects the next one in the text")
        occurring.append(AddedHere(name, "\n".join(about), rule, left, tuple(places[key])))
    title = "Added tokens" if all_of_it else f"Added tokens of the first {LOOKED_THROUGH >> 10} KB"
    if len(most_first) > NAMED:
        title += f", {NAMED} of {len(most_first):,}"
    about_stage = (
        f"Matched before anything is split: {len(added.tokens):,} of this tokenizer. "
        "Where several begin at one place, the longest is taken."
    )
    return AddedInText(title, about_stage, tuple(occurring))


def facts(added: AddedTokens, token: AddedToken) -> list[str]:
    """Returns sentences on an added token: its options, and the shorter ones that it begins with."""
    lines = [f"{flag}: {FLAGS[flag]}" for flag in token.flags] or ["no flag is set"]
    shorter = added.shorter(token)
    if shorter:
        lines.append(f"The longest is taken; shorter ones that begin there: {_named(shorter)}")
    return lines


def facts_of_id(tokenizer: tc.Tokenizer, token: int) -> tuple[str, ...]:
    """Returns the facts about the added token with an id; empty for none."""
    added = tokenizer.added_tokens
    tokens = added.with_id(token)
    return (f"Added token {shown(tokens[0].content)}", *facts(added, tokens[0])) if tokens else ()


def shown(content: str) -> str:
    """Returns the text of an added token for users."""
    return with_its_signs(readable(content.encode("utf-8", "surrogatepass"), 40))


def _named(tokens: Iterable[AddedToken]) -> str:
    several = list(tokens)
    named = ", ".join(f"{shown(token.content)} (id {token.id})" for token in several[:5])
    return f"{named} and {len(several) - 5:,} more" if len(several) > 5 else named


def id_of(tokenizer: tc.Tokenizer, content: str) -> int:
    """Returns the id of a token by its text, special or not; -1 if it is no entry."""
    added = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    if content in added:
        return added[content]
    return tokenizer.vocabulary.find(content.encode("utf-8", "surrogatepass"))
