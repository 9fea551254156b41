"""A chat as a template writes it: where its text comes from, and the tokens of each role."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_template import (
    NO_INPUTS,
    PROMPT,
    START,
    ChatTemplate,
    ChatText,
)
from tokenarium.models.chat.conversation import Message, role_colours
from tokenarium.models.chat.origins import CONTENT, UNATTRIBUTED, ChatPart
from tokenarium.models.faults import TooMuchError
from tokenarium.models.text.lost_text import SAYS, SIGN, TextLoss, loses, size_of
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap, row_of
from tokenarium_core import FormatError

MARKER: Final = re.compile(r"<[|｜]?[\w/▁-]{1,40}[|｜]?>|\[/?[A-Z_]{2,30}\]")
"""What looks like a special token."""


def contents_of(parts: Sequence[ChatPart] | None) -> list[ChatPart]:
    """Returns the parts that are the contents of messages, one for what is of the same message without a break."""
    contents: list[ChatPart] = []
    for part in parts or []:
        if part.origin.kind == CONTENT:
            last = contents[-1] if contents else None
            if last and last.stop == part.start and last.origin.message == part.origin.message:
                contents[-1] = last._replace(stop=part.stop)
            else:
                contents.append(part)
    return contents


def by_contents(
    chat: ChatText, messages: Sequence[Message], contents: Sequence[ChatPart]
) -> ChatText:
    """Returns a chat whose parts are guessed from the places of the contents, for one that is not exact.

    The marker and the line ends directly after a content belong to it; the rest belongs to the next one.
    """
    if chat.exact or not contents:
        return chat
    text, end = chat.text, len(chat.text)
    first, last = chat.roles[0], chat.roles[-1]
    at = first[1] if first[2] == START and first[1] <= contents[0].start else 0
    roles = [(0, at, START)] if at else []
    if last[2] == PROMPT and last[0] >= contents[-1].stop:
        end = last[0]
    for index, content in enumerate(contents):
        stop = end
        if index + 1 < len(contents):
            limit = contents[index + 1].start
            marker = MARKER.match(text, content.stop, limit)
            stop = marker.end() if marker is not None else content.stop
            while stop < limit and text[stop] == "\n":
                stop += 1
        if stop > at:
            roles.append((at, stop, messages[content.origin.message].role))
        at = stop
    if end < len(text):
        roles.append((end, len(text), PROMPT))
    return chat._replace(roles=roles)


class Written(NamedTuple):
    """What a template makes of a chat, and where each of its characters comes from; ``parts`` is None if that is unknown.

    ``unused`` names what was given to the template and changes nothing of the text; ``undefined`` what the template may
    read and nothing defines, and ``missing`` what of that it writes: nothing stands there.
    """

    chat: ChatText
    parts: list[ChatPart] | None
    unused: list[str] = []  # noqa: RUF012 - never changed
    undefined: list[str] = []  # noqa: RUF012 - never changed
    missing: list[str] = []  # noqa: RUF012 - never changed


def written(
    template: ChatTemplate,
    messages: Sequence[Message],
    prompt: bool,
    inputs: Inputs = NO_INPUTS,
) -> Written:
    """Returns what a template makes of messages; FormatError if it fails."""
    end = time.monotonic() + SECONDS_TO_COMPARE
    chats = [message.as_dict() for message in messages]
    chat = template.render(chats, prompt, inputs)
    found = template.followed(chats, prompt, inputs, chat.text)
    parts = found.parts if found is not None else None
    return Written(
        by_contents(chat, messages, contents_of(parts)),
        parts,
        _unused(template, messages, prompt, inputs, chat.text, end),
        template.undefined(inputs),
        found.missing if found is not None else [],
    )


SECONDS_TO_COMPARE: Final = 1.5
"""How long a template is run again without one thing that it was given, to see what that changes."""


def _unused(
    template: ChatTemplate,
    messages: Sequence[Message],
    prompt: bool,
    inputs: Inputs,
    text: str,
    end: float,
) -> list[str]:
    """Returns what was given besides roles and contents and changes nothing, as far as there is time to find out."""
    chat = [message.as_dict() for message in messages]
    fields = dict.fromkeys(key for message in messages for key in message.others)
    without = [
        *((name, chat, inputs.without(name)) for name in inputs.names),
        *(
            (
                name,
                [{key: message[key] for key in message if key != name} for message in chat],
                inputs,
            )
            for name in fields
            if name != inputs.resumed
        ),
    ]
    unused = []
    for name, messages_left, inputs_left in without:
        if time.monotonic() > end:
            break
        try:
            if template.text_of(messages_left, prompt, inputs_left) == text:
                unused.append(name)
        except FormatError as error:
            if isinstance(error.__cause__, TooMuchError):
                raise
    return unused


MOST_ROLES: Final = 100
"""Roles that are distinguished: the colours of parts are numbered in a byte."""

_OTHERS: Final = "other roles"
_NO_ROLE: Final = "no role"


class RoleCost(NamedTuple):
    """What one role costs: its messages, its tokens, and how many of them the template's own text makes.

    ``colour`` is the name of the role's colour. ``added`` is -1 where the origin of some text is unknown.
    """

    role: str
    colour: str
    messages: int
    tokens: int
    added: int


class ChatTokens(NamedTuple):
    """A chat as tokens: coloured by role, counted by role in the order of the text.

    The rules of ``parts`` are the numbers of ``rows``, named by their colours.
    ``broken`` are the template's markers that are not a single token. ``lost`` is how many places of the text are lost,
    ``lost_share`` their share of its bytes, and ``losing`` what finds them.
    """

    parts: TextParts
    rows: list[RoleCost]
    broken: list[str]
    lost: int = 0
    lost_share: float = 0.0
    losing: TextLoss | None = None

    @property
    def total(self) -> int:
        """How many tokens there are."""
        return len(self.parts)

    @property
    def outside(self) -> int:
        """How many tokens belong to no message."""
        return sum(row.tokens for row in self.rows if row.role in (START, PROMPT))

    @property
    def added(self) -> int:
        """How many tokens the template's own text makes; -1 where that is unknown."""
        if any(row.added < 0 for row in self.rows):
            return -1
        return sum(row.added for row in self.rows)


def chat_tokens(
    chat: ChatText,
    messages: Sequence[Message],
    written_parts: Sequence[ChatPart] | None,
    text_map: TextMap,
    ids: npt.NDArray[np.int32],
    spans: npt.NDArray[np.int32],
    special_ids: Sequence[int] = (),
    losing: TextLoss | None = None,
) -> ChatTokens:
    """Returns the tokens of a chat by role; a token has the role of its first byte.

    ``ids`` (n) and ``spans`` (n × 2, in bytes) are the encoding of ``chat.text``, ``written_parts`` the parts of
    `Written`; without ``losing`` nothing counts as lost.
    """
    names = list(dict.fromkeys(role for _, _, role in chat.roles))
    if len(names) > MOST_ROLES:
        names = [*names[: MOST_ROLES - 1], _OTHERS]
    number = {name: index for index, name in enumerate(names)}
    colours = role_colours([*(message.role for message in messages), *names])
    stops = text_map.char_to_byte([stop for _, stop, _ in chat.roles])
    of_part = np.array(
        [number.get(role, len(names) - 1) for _, _, role in chat.roles] or [0], dtype=np.uint8
    )
    part = np.searchsorted(stops, spans[:, 0], side="right")
    rules = of_part[np.minimum(part, len(of_part) - 1)]
    special = np.isin(ids, np.asarray(special_ids, dtype=np.int32))
    parts = TextParts(
        np.ascontiguousarray(spans[:, 0]),
        np.ascontiguousarray(spans[:, 1]),
        rules * 2 + (np.arange(len(ids)) % 2).astype(np.uint8),
        ids=ids,
        rules=rules,
        rule_names=[colours[name] for name in names],
        special=special if special.any() else None,
    )
    given = [(part.start, part.stop) for part in written_parts or [] if part.given]
    touched = touching(text_map, given, spans)
    doubtful = [
        (part.start, part.stop) for part in written_parts or [] if part.origin.kind == UNATTRIBUTED
    ]
    unknown = touching(text_map, doubtful, spans)
    rows = []
    for name, rule in number.items():
        mine = rules == rule
        known = written_parts is not None and not (mine & unknown).any()
        added = int((mine & ~touched).sum()) if known else -1
        count = sum(number.get(m.role, len(names) - 1) == rule for m in messages)
        outside = name in (START, PROMPT)
        rows.append(
            RoleCost(
                name or _NO_ROLE, colours[name], 0 if outside else count, int(mine.sum()), added
            )
        )
    lost = np.empty((0, 2), dtype=np.int32)
    if losing is not None:
        lost = losing.spans_in(text_map, ids, spans, 0, text_map.byte_count)
    share = size_of(lost) / max(text_map.byte_count, 1)
    broken = _broken(chat.text, written_parts, text_map, spans)
    return ChatTokens(parts, rows, broken, len(lost), share, losing)


def lost_note(tokens: ChatTokens) -> str:
    """Returns a sentence on how much of a chat is lost; empty if nothing is."""
    if not tokens.lost:
        return ""
    return f"{SIGN} It {loses(tokens.lost_share)}, so the counts look better than they are. {SAYS}"


def generated_mask(
    chat: ChatText, text_map: TextMap, spans: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Returns for each token whether it has any of what is between the template's tags ``generation``."""
    return touching(text_map, chat.generated, spans)


def touching(
    text_map: TextMap, parts: Sequence[tuple[int, int]], spans: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Returns for each token whether it has any of some parts of the text, in characters and in order."""
    whole = [(start, stop) for start, stop in parts if stop > start]
    if not whole:
        return np.zeros(len(spans), dtype=np.bool_)
    edges = text_map.char_to_byte(np.array(whole, dtype=np.int32).reshape(-1)).reshape(-1, 2)
    # The first part that ends after the token's start has to begin before its end.
    following = np.searchsorted(edges[:, 1], spans[:, 0], side="right")
    begins = np.append(edges[:, 0], np.int32(text_map.byte_count + 1))[following]
    empty = spans[:, 0] == spans[:, 1]
    return np.asarray(np.where(empty, begins <= spans[:, 0], begins < spans[:, 1]), dtype=np.bool_)


def _broken(
    text: str, parts: Sequence[ChatPart] | None, text_map: TextMap, spans: npt.NDArray[np.int32]
) -> list[str]:
    """Returns the markers in the template's own text that are not a single token, each once."""
    if parts is None:
        return []
    broken: dict[str, None] = {}
    at = 0
    given = [(part.start, part.stop) for part in parts if part.given]
    for start, stop in [*given, (len(text), len(text))]:
        for marker in MARKER.finditer(text, at, start):
            if marker[0] in broken:
                continue
            first, last = text_map.char_to_byte(list(marker.span())).tolist()
            token = row_of(spans[:, 0], first)
            if token >= len(spans) or tuple(spans[token].tolist()) != (first, last):
                broken[marker[0]] = None
        at = stop
    return list(broken)
