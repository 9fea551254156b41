"""A conversation as a person writes it: messages with their roles, and how it is kept between two runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

ROLES: Final = ("system", "user", "assistant", "tool")
"""The roles that templates know most often; any other text is a role too."""


_COLOURED: Final = frozenset((*ROLES, "developer", "start", "generation prompt"))
_OTHER_COLOURS: Final = ("other role 1", "other role 2")


class Message(NamedTuple):
    """What one side says."""

    role: str
    content: str

    def as_dict(self) -> dict[str, str]:
        """Returns the message as templates read it."""
        return {"role": self.role, "content": self.content}


SAMPLE: Final = (
    Message("system", "You plan short walks. Answer in the language that you are asked in."),
    Message("user", "Wir haben zwei Stunden und einen Hund. Wohin können wir gehen?"),
    Message(
        "assistant",
        "Am Fluss entlang bis zur alten Mühle und zurück: eben, schattig, und der Hund darf baden.",
    ),
    Message("user", "雨が降ったら、どこへ行けばいいですか。"),
)
"""A conversation to begin with, in three languages."""


def to_json(messages: Sequence[Message]) -> str:
    """Returns messages as a line of JSON."""
    # With escapes: a lone surrogate has no UTF-8, in which settings are written.
    return json.dumps([message.as_dict() for message in messages])


def from_json(line: str) -> list[Message] | None:
    """Returns the messages of such a line, None where it is something else."""
    try:
        kept: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(kept, list):
        return None
    messages = []
    for one in kept:
        role = one.get("role") if isinstance(one, dict) else None
        content = one.get("content") if isinstance(one, dict) else None
        if not isinstance(role, str) or not isinstance(content, str):
            return None
        messages.append(Message(role, content))
    return messages


def next_role(messages: Sequence[Message]) -> str:
    """Returns the role of a message that is added: whoever's turn it is."""
    return "assistant" if messages and messages[-1].role == "user" else "user"


def role_colours(roles: Iterable[str]) -> dict[str, str]:
    """Returns for each role the name of its colour: its own if it is known, else one of those for others."""
    colours: dict[str, str] = {}
    others = 0
    for role in roles:
        if role in _COLOURED:
            colours[role] = role
        elif role not in colours:
            colours[role] = _OTHER_COLOURS[others % len(_OTHER_COLOURS)]
            others += 1
    return colours
