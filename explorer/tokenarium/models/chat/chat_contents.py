"""Where the contents of messages stand in what a template wrote, and the parts of the roles by them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from tokenarium.models.chat.chat_template import PROMPT, START, ChatTemplate, ChatText
from tokenarium.models.chat.conversation import Message
from tokenarium_core import FormatError

MARKER: Final = re.compile(r"<[|｜]?[\w/▁-]{1,40}[|｜]?>|\[/?[A-Z_]{2,30}\]")
"""What looks like a special token."""

_PLACE: Final = re.compile("\ue0f0([0-9]+)\ue0f1")


class Content(NamedTuple):
    """A place in the text, in characters, where the content of a message stands; messages count from 0."""

    start: int
    stop: int
    message: int


def contents_of(
    template: ChatTemplate, messages: Sequence[Message], prompt: bool, text: str
) -> list[Content] | None:
    """Returns where the contents of messages stand in the rendered text, in its order.

    The chat is rendered once more with a mark in the place of each content. None where the template does
    more with them than trim them, so that they are not to be found between its own words.
    """
    if any("\ue0f0" in message.content for message in messages):
        return None
    marked = [
        {"role": message.role, "content": f"\ue0f0{place}\ue0f1"}
        for place, message in enumerate(messages)
    ]
    try:
        frame = _PLACE.split(template.text_of(marked, prompt))
    except FormatError:
        return None
    at = len(frame[0])
    if not text.startswith(frame[0]):
        return None
    contents: list[Content] = []
    for number, behind in zip(frame[1::2], frame[2::2], strict=True):
        content = messages[int(number)].content
        for form in (content, content.strip(), content.lstrip(), content.rstrip()):
            if text.startswith(form, at) and text.startswith(behind, at + len(form)):
                contents.append(Content(at, at + len(form), int(number)))
                at += len(form) + len(behind)
                break
        else:
            return None
    return contents if at == len(text) else None


def by_contents(
    chat: ChatText, messages: Sequence[Message], contents: Sequence[Content]
) -> ChatText:
    """Returns a chat whose parts are guessed by where the contents stand, for one that is not exact.

    To a content belong the marker and the line ends directly behind it; what follows is the next one's.
    """
    if chat.exact or not contents:
        return chat
    text, end = chat.text, len(chat.text)
    first, last = chat.roles[0], chat.roles[-1]
    at = first[1] if first[2] == START and first[1] <= contents[0].start else 0
    roles = [(0, at, START)] if at else []
    if last[2] == PROMPT and last[0] >= contents[-1].stop:
        end = last[0]
    for place, content in enumerate(contents):
        stop = end
        if place + 1 < len(contents):
            limit = contents[place + 1].start
            marker = MARKER.match(text, content.stop, limit)
            stop = marker.end() if marker is not None else content.stop
            while stop < limit and text[stop] == "\n":
                stop += 1
        if stop > at:
            roles.append((at, stop, messages[content.message].role))
        at = stop
    if end < len(text):
        roles.append((end, len(text), PROMPT))
    return ChatText(text, roles, False)


class Written(NamedTuple):
    """What a template has written of a chat, and where the contents of its messages stand in it."""

    chat: ChatText
    contents: list[Content] | None


def written(template: ChatTemplate, messages: Sequence[Message], prompt: bool) -> Written:
    """Returns what a template makes of messages; FormatError where it fails."""
    chat = template.render([message.as_dict() for message in messages], prompt)
    contents = contents_of(template, messages, prompt, chat.text)
    return Written(by_contents(chat, messages, contents or []), contents)
