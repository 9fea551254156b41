"""Where each character of a chat comes from: the template itself, the role or the content of a message, a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tokenarium.models.chat.chat_inputs import PASSED, REASONING, Inputs
from tokenarium.models.chat.traced_text import TEMPLATE, UNKNOWN, Runs, with_origin

CALLS: Final = "tool_calls"

TOOL_ROLES: Final = ("tool", "ipython", "function")
"""The roles of messages with the results of tools."""

TEMPLATES_OWN: Final = "template"
UNATTRIBUTED: Final = "unknown"
ROLE: Final = "role"
CONTENT: Final = "content"
FIELD: Final = "field"
INPUT: Final = "input"
"""The kinds of origins. ``field`` is any other field of a message, ``input`` what is given besides the messages."""


class Origin(NamedTuple):
    """An origin: its kind, the message, counted from 0, and the name of the field or of the input."""

    kind: str
    message: int = -1
    name: str = ""


class ChatPart(NamedTuple):
    """A part of the text of a chat, in characters, that is all of one origin."""

    start: int
    stop: int
    origin: Origin

    @property
    def given(self) -> bool:
        """Whether it is not the template's own: the name of a role counts as such."""
        return self.origin.kind not in (TEMPLATES_OWN, ROLE)


class Followed(NamedTuple):
    """Where the text of a chat comes from, and the variables that a template writes into it although nothing defines them."""

    parts: list[ChatPart]
    missing: list[str]


class TracedInputs:
    """The variables of a template with their origins, and what the numbers of these mean."""

    def __init__(
        self, messages: Sequence[Mapping[str, Any]], inputs: Inputs, others: Mapping[str, Any]
    ) -> None:
        self._origins = [Origin(TEMPLATES_OWN)]
        assert TEMPLATE == 0
        self.values: dict[str, Any] = {
            **others,
            "messages": [self._message(index, one) for index, one in enumerate(messages)],
        }
        given = {"tools": inputs.tools, "documents": inputs.documents, **inputs.variables}
        for name, value in given.items():
            if name in ("messages", "add_generation_prompt"):
                continue
            self.values[name] = with_origin(value, self._number(Origin(INPUT, name=name)))

    def parts(self, runs: Runs) -> list[ChatPart]:
        """Returns the parts of a text with these origins, in its order."""
        parts, at = [], 0
        for length, number in runs:
            origin = Origin(UNATTRIBUTED) if number == UNKNOWN else self._origins[number]
            parts.append(ChatPart(at, at + length, origin))
            at += length
        return parts

    def _message(self, index: int, message: Mapping[str, Any]) -> dict[str, Any]:
        made = {}
        for key, value in message.items():
            kind = key if key in (ROLE, CONTENT) else FIELD
            made[key] = with_origin(value, self._number(Origin(kind, index, key)))
        return made

    def _number(self, origin: Origin) -> int:
        self._origins.append(origin)
        return len(self._origins) - 1


def source_of(origin: Origin, roles: Sequence[str]) -> str:
    """Returns the name under which an origin is counted and coloured; ``roles`` are those of the messages."""
    if origin.kind in (TEMPLATES_OWN, UNATTRIBUTED):
        return origin.kind
    if origin.kind == ROLE:
        return ROLE_NAMES
    if origin.kind == INPUT:
        return TOOLS if origin.name == "tools" else OTHER_INPUTS
    if origin.name == CALLS:
        return TOOL_CALLS
    role = roles[origin.message]
    if origin.kind == CONTENT or origin.name in REASONING:
        return TOOL_RESULTS if role in TOOL_ROLES else role or "no role"
    return OTHER_INPUTS


def in_words(origin: Origin, roles: Sequence[str]) -> str:
    """Returns an origin for a sentence: the content of message 2 (user)."""
    if origin.kind == TEMPLATES_OWN:
        return "the template"
    if origin.kind == UNATTRIBUTED:
        return "unknown"
    if origin.kind == INPUT:
        return f"the {origin.name}" if origin.name in PASSED else f"the variable {origin.name}"
    return (
        f"the {origin.name} of message {origin.message + 1} ({roles[origin.message] or 'no role'})"
    )


ROLE_NAMES: Final = "role names"
TOOLS: Final = "tool schemas"
TOOL_CALLS: Final = "tool calls"
TOOL_RESULTS: Final = "tool results"
OTHER_INPUTS: Final = "other inputs"
MIXED: Final = "mixed"
"""The names of sources besides the roles; ``mixed`` is for tokens with several."""
