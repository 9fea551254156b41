"""A conversation as the user writes it, how it is saved, and the templates to start from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from tokenarium.models.chat.chat_template import ChatTemplate

ROLES: Final = ("system", "user", "assistant", "tool")
"""The roles that templates know most often; any other text is a role too."""


_COLOURED: Final = frozenset((*ROLES, "developer", "start", "generation prompt"))
_OTHER_COLOURS: Final = ("other role 1", "other role 2")


class Message(NamedTuple):
    """A message of a conversation."""

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
    """Returns the messages of such a line, or None."""
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
    """Returns the role of the next message: whoever's turn it is."""
    return "assistant" if messages and messages[-1].role == "user" else "user"


def role_colours(roles: Iterable[str]) -> dict[str, str]:
    """Returns for each role the name of its colour: its own for a known role, else one of those for others."""
    colours: dict[str, str] = {}
    others = 0
    for role in roles:
        if role in _COLOURED:
            colours[role] = role
        elif role not in colours:
            colours[role] = _OTHER_COLOURS[others % len(_OTHER_COLOURS)]
            others += 1
    return colours


_CHATML: Final = """\
{% for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}
"""

_HEADERS: Final = """\
{{ bos_token }}
{%- for message in messages %}
<|start_header_id|>{{ message.role }}<|end_header_id|>

{{ message.content | trim }}<|eot_id|>
{%- endfor %}
{%- if add_generation_prompt %}
<|start_header_id|>assistant<|end_header_id|>

{% endif %}
"""

_TURNS: Final = """\
{{ bos_token }}
{%- for message in messages %}
    {%- set follows = loop.previtem is defined and loop.previtem.role == 'system' %}
    {#- There is no turn of the system: it opens the turn of the user. -#}
    {%- if not (follows and message.role == 'user') %}
        {{- '<start_of_turn>' }}
        {{- {'assistant': 'model', 'system': 'user'}.get(message.role, message.role) ~ '\\n' }}
    {%- endif %}
    {{- message.content | trim }}
    {{- '\\n\\n' if message.role == 'system' else '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<start_of_turn>model\\n' }}
{%- endif %}
"""


class Start(NamedTuple):
    """A template to start from; ``markers`` are the special tokens that it writes."""

    title: str
    source: str
    tokens: dict[str, str]
    markers: tuple[str, ...]

    def template(self) -> ChatTemplate:
        """Returns the template."""
        return ChatTemplate(self.title, self.source, self.tokens)


STARTS: Final = (
    Start("ChatML", _CHATML, {}, ("<|im_start|>", "<|im_end|>")),
    Start(
        "Headers, as Llama 3",
        _HEADERS,
        {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>"},
        ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    Start(
        "Turns, as Gemma",
        _TURNS,
        {"bos_token": "<bos>", "eos_token": "<eos>"},
        ("<start_of_turn>", "<end_of_turn>"),
    ),
)


def best_start(knows: Callable[[str], bool]) -> int:
    """Returns the number of the start whose markers a tokenizer knows, or 0."""
    known = (place for place, start in enumerate(STARTS) if all(map(knows, start.markers)))
    return next(known, 0)
