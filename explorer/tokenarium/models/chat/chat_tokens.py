"""A chat as a template writes it: where the contents of its messages are, and the tokens of each role."""

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
from tokenarium.models.faults import TooMuchError
from tokenarium.models.text.lost_text import SAYS, SIGN, TextLoss, loses, size_of
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap, row_of
from tokenarium_core import FormatError

MARKER: Final = re.compile(r"<[|｜]?[\w/▁-]{1,40}[|｜]?>|\[/?[A-Z_]{2,30}\]")
"""What looks like a special token."""

_PLACE: Final = re.compile("\ue0f0([0-9]+)\ue0f1")


class Content(NamedTuple):
    """Where the content of a message is in the text, in characters; messages count from 0."""

    start: int
    stop: int
    message: int


def contents_of(
    template: ChatTemplate,
    messages: Sequence[Message],
    prompt: bool,
    text: str,
    inputs: Inputs = NO_INPUTS,
) -> list[Content] | None:
    """Returns where the contents of messages are in the rendered text, in its order; those of parts are one each.

    The chat is rendered again with a mark in the place of each content. None if the template changes
    contents other than by trimming, so that they cannot be found.
    """
    texts: list[tuple[str, int]] = []  # with the message that each is of
    marked = []
    for index, message in enumerate(messages):
        own = message.texts()
        marks = [f"\ue0f0{len(texts) + at}\ue0f1" for at in range(len(own))]
        marked.append(message.with_texts(marks))
        texts += [(text, index) for text in own]
    if any("\ue0f0" in text for text, _ in texts):
        return None
    try:
        frame = _PLACE.split(template.text_of(marked, prompt, inputs))
    except FormatError:
        return None
    at = len(frame[0])
    if not text.startswith(frame[0]):
        return None
    contents: list[Content] = []
    for number, following in zip(frame[1::2], frame[2::2], strict=True):
        if int(number) >= len(texts):
            return None
        content, message_index = texts[int(number)]
        for form in (content, content.strip(), content.lstrip(), content.rstrip()):
            if text.startswith(form, at) and text.startswith(following, at + len(form)):
                contents.append(Content(at, at + len(form), message_index))
                at += len(form) + len(following)
                break
        else:
            return None
    return contents if at == len(text) else None


def by_contents(
    chat: ChatText, messages: Sequence[Message], contents: Sequence[Content]
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
            roles.append((at, stop, messages[content.message].role))
        at = stop
    if end < len(text):
        roles.append((end, len(text), PROMPT))
    return chat._replace(roles=roles)


class Written(NamedTuple):
    """What a template makes of a chat, and where the contents of the messages are in it.

    ``unused`` names what was given to the template and changes nothing of the text; ``undefined`` what the template may
    read and nothing defines.
    """

    chat: ChatText
    contents: list[Content] | None
    unused: list[str] = []  # noqa: RUF012 - never changed
    undefined: list[str] = []  # noqa: RUF012 - never changed


def written(
    template: ChatTemplate,
    messages: Sequence[Message],
    prompt: bool,
    inputs: Inputs = NO_INPUTS,
) -> Written:
    """Returns what a template makes of messages; FormatError if it fails."""
    end = time.monotonic() + SECONDS_TO_COMPARE
    chat = template.render([message.as_dict() for message in messages], prompt, inputs)
    contents = contents_of(template, messages, prompt, chat.text, inputs)
    return Written(
        by_contents(chat, messages, contents or []),
        contents,
        _unused(template, messages, prompt, inputs, chat.text, end),
        template.undefined(inputs),
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


def is_counted(messages: Sequence[Message], inputs: Inputs) -> bool:
    """Returns whether all that the template is given are the roles and the contents of messages.

    Otherwise more of the text is the user's own than the contents, and what the template adds is not known.
    """
    return inputs._replace(resumed="") == NO_INPUTS and not any(
        message.others for message in messages
    )


MOST_ROLES: Final = 100
"""Roles that are distinguished: the colours of parts are numbered in a byte."""

_OTHERS: Final = "other roles"
_NO_ROLE: Final = "no role"


class RoleCost(NamedTuple):
    """What one role costs: its messages, its tokens, and how many of them the template's own text makes.

    ``colour`` is the name of the role's colour. ``added`` is -1 where it is unknown because the template changes contents.
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
    contents: list[Content] | None,
    text_map: TextMap,
    ids: npt.NDArray[np.int32],
    spans: npt.NDArray[np.int32],
    special_ids: Sequence[int] = (),
    counted: bool = True,
    losing: TextLoss | None = None,
) -> ChatTokens:
    """Returns the tokens of a chat by role; a token has the role of its first byte.

    ``ids`` (n) and ``spans`` (n × 2, in bytes) are the encoding of ``chat.text``, ``contents`` what
    `contents_of` gives; ``counted`` what `is_counted` does; without ``losing`` nothing counts as lost.
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
    written = _touched(text_map, contents or [], spans)
    rows = []
    for name, rule in number.items():
        mine = rules == rule
        known = counted and (contents is not None or name in (START, PROMPT))
        added = int((mine & ~written).sum()) if known else -1
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
    broken = _broken(chat.text, contents, text_map, spans)
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
    return _touched(text_map, [Content(*span, 0) for span in chat.generated], spans)


def _touched(
    text_map: TextMap, contents: list[Content], spans: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Returns for each token whether it holds any of a content."""
    whole = [(start, stop) for start, stop, _ in contents if stop > start]
    if not whole:
        return np.zeros(len(spans), dtype=np.bool_)
    edges = text_map.char_to_byte(np.array(whole, dtype=np.int32).reshape(-1)).reshape(-1, 2)
    # The first content that ends after the token's start has to begin before its end.
    following = np.searchsorted(edges[:, 1], spans[:, 0], side="right")
    begins = np.append(edges[:, 0], np.int32(text_map.byte_count + 1))[following]
    empty = spans[:, 0] == spans[:, 1]
    return np.asarray(np.where(empty, begins <= spans[:, 0], begins < spans[:, 1]), dtype=np.bool_)


def _broken(
    text: str, contents: list[Content] | None, text_map: TextMap, spans: npt.NDArray[np.int32]
) -> list[str]:
    """Returns the markers in the template's own text that are not a single token, each once."""
    if contents is None:
        return []
    broken: dict[str, None] = {}
    at = 0
    for start, stop, _ in [*contents, Content(len(text), len(text), 0)]:
        for marker in MARKER.finditer(text, at, start):
            if marker[0] in broken:
                continue
            first, last = text_map.char_to_byte(list(marker.span())).tolist()
            token = row_of(spans[:, 0], first)
            if token >= len(spans) or tuple(spans[token].tolist()) != (first, last):
                broken[marker[0]] = None
        at = stop
    return list(broken)
