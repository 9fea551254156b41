"""The tokens of a chat by where their text comes from: the template, the user, the assistant, a tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tokenarium.models.chat.chat_tokens import MOST_ROLES
from tokenarium.models.chat.conversation import role_colours
from tokenarium.models.chat.origins import (
    MIXED,
    OTHER_INPUTS,
    ROLE_NAMES,
    TEMPLATES_OWN,
    TOOL_CALLS,
    TOOL_RESULTS,
    TOOLS,
    UNATTRIBUTED,
    ChatPart,
    Origin,
    source_of,
)
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.pretokenizers import REMOVED_RULE

_COLOURS: Final = {
    TEMPLATES_OWN: "start",
    ROLE_NAMES: "generation prompt",
    TOOLS: "other role 1",
    TOOL_CALLS: "other role 2",
    TOOL_RESULTS: "tool",
    OTHER_INPUTS: "other role 1",
    UNATTRIBUTED: REMOVED_RULE,
    MIXED: REMOVED_RULE,
}
"""The names of the colours of sources that are not roles; hatched where there is no single source."""


class SourceCount(NamedTuple):
    """A source, the name of its colour, and how many tokens are of it."""

    source: str
    colour: str
    tokens: int


class ChatSources(NamedTuple):
    """The tokens of a chat, coloured and counted by source.

    The rules of ``parts`` are the numbers of ``rows``. ``first`` is the number of the first part of the text that each
    token has any of; ``origins`` are those of each mixed token, by its place among the tokens.
    """

    parts: TextParts
    rows: list[SourceCount]
    first: npt.NDArray[np.int64]
    origins: dict[int, list[Origin]]


def chat_sources(
    written: Sequence[ChatPart] | None, roles: Sequence[str], text_map: TextMap, tokens: TextParts
) -> ChatSources:
    """Returns the tokens of a chat by source; ``roles`` are those of its messages, ``written`` the parts of its text."""
    whole = (
        written if written is not None else [ChatPart(0, len(text_map.text), Origin(UNATTRIBUTED))]
    )
    names = [source_of(part.origin, roles) for part in whole]
    kinds = list(dict.fromkeys(names))[: MOST_ROLES - 1]
    number = {name: index for index, name in enumerate(kinds)}
    numbers = [number.get(name, len(kinds) - 1) for name in names]
    first, last = parts_of_tokens(whole, text_map, tokens)
    of_part = np.array(numbers or [0], dtype=np.uint8)
    rules = of_part[np.minimum(first, max(len(numbers) - 1, 0))]
    mixed: dict[int, list[Origin]] = {}
    for place in np.flatnonzero(last > first).tolist():
        touched = whole[int(first[place]) : int(last[place]) + 1]
        if len({source_of(part.origin, roles) for part in touched}) > 1:
            mixed[place] = list(dict.fromkeys(part.origin for part in touched))
    if mixed:
        rules[list(mixed)] = len(kinds)
        kinds.append(MIXED)
    colours = {**role_colours(kinds), **_COLOURS}
    counts = np.bincount(rules, minlength=len(kinds)) if len(tokens) else np.zeros(len(kinds))
    parts = TextParts(
        tokens.starts[:],
        tokens.ends[:],
        rules * 2 + (np.arange(len(rules)) % 2).astype(np.uint8),
        ids=tokens.ids[:] if tokens.ids is not None else None,
        rules=rules,
        rule_names=[colours[name] for name in kinds],
        special=tokens.special[:] if tokens.special is not None else None,
    )
    rows = [
        SourceCount(name, colours[name], int(count))
        for name, count in zip(kinds, counts.tolist(), strict=True)
    ]
    return ChatSources(parts, rows, first, mixed)


def parts_of_tokens(
    written: Sequence[ChatPart], text_map: TextMap, tokens: TextParts
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns for each token the numbers of the first and of the last part that it has any of."""
    stops = text_map.char_to_byte([part.stop for part in written])
    starts, ends = np.asarray(tokens.starts[:]), np.asarray(tokens.ends[:])
    first = np.searchsorted(stops, starts, side="right")
    last = np.searchsorted(stops, np.maximum(ends, starts + 1), side="left")
    most = max(len(written) - 1, 0)
    first = np.minimum(first, most)
    return first, np.clip(last, first, most)
