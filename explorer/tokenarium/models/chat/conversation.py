"""A conversation as the user writes it, how it is saved, and the templates to start from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tokenarium.models.chat.chat_inputs import Inputs, inputs_of
from tokenarium.models.chat.chat_template import NO_INPUTS, ChatTemplate
from tokenarium_core import FormatError
from tokenarium_core.bounded_json import JsonBounds, read_json

ROLES: Final = ("system", "user", "assistant", "tool")
"""The roles that templates know most often; any other text is a role too."""


_COLOURED: Final = frozenset((*ROLES, "developer", "start", "generation prompt"))
_OTHER_COLOURS: Final = ("other role 1", "other role 2")


BOUNDS: Final = JsonBounds(16 << 20, 100, 200_000, 64 << 20)
"""How much a conversation may be."""

_SETTINGS: Final = "chat_template_kwargs"
"""Under this name servers take the variables of a template."""


class Message(NamedTuple):
    """A message of a conversation.

    ``given`` is the whole message if it has more than a role and a text as its content, such as ``tool_calls``; otherwise
    None. ``content`` is the text that is shown and edited: empty where ``given`` has parts, null or nothing there.
    """

    role: str
    content: str
    given: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Returns the message as templates read it, with its keys as they came."""
        if self.given is None:
            return {"role": self.role, "content": self.content}
        made = dict(self.given)
        if self.role or "role" in made:
            made["role"] = self.role
        if isinstance(made.get("content"), str) or (self.content and not self.parts):
            made["content"] = self.content
        return made

    @property
    def parts(self) -> list[Any] | None:
        """The parts of the content, where it is a list of them."""
        content = (self.given or {}).get("content")
        return content if isinstance(content, list) else None

    @property
    def others(self) -> list[str]:
        """The names of its fields besides role and content; null counts as absent."""
        given = self.given or {}
        return [
            key
            for key, value in given.items()
            if key not in ("role", "content") and value is not None
        ]

    def texts(self) -> list[str]:
        """Returns the texts of its content: one, or that of each part that has one."""
        if self.parts is None:
            return [self.content]
        return [part["text"] for part in self.parts if _has_text(part)]

    def with_texts(self, texts: Sequence[str]) -> dict[str, Any]:
        """Returns the message as templates read it, with other texts in the places of `texts`."""
        made = self.as_dict()
        if self.parts is None:
            if isinstance(made.get("content"), str):
                made["content"] = texts[0]
            return made
        waiting = iter(texts)
        made["content"] = [
            {**part, "text": next(waiting)} if _has_text(part) else part for part in self.parts
        ]
        return made


def _has_text(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


class Conversation(NamedTuple):
    """Messages, and what the template gets besides them.

    ``prompt``: whether to add the generation prompt; None if nothing says so. ``unknown`` are the names of what
    was found besides the messages and is not passed on: no template gets it.
    """

    messages: list[Message]
    inputs: Inputs = NO_INPUTS
    prompt: bool | None = None
    unknown: tuple[str, ...] = ()


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


def to_json(messages: Sequence[Message], inputs: Inputs = NO_INPUTS) -> str:
    """Returns messages as a line of JSON: a list, or an object where there is more than messages."""
    # With escapes: a lone surrogate has no UTF-8, in which settings are written.
    return json.dumps(as_json(messages, inputs))


def as_json(messages: Sequence[Message], inputs: Inputs = NO_INPUTS) -> Any:
    """Returns a conversation as JSON values, which `read_conversation` reads."""
    chat = [message.as_dict() for message in messages]
    if inputs == NO_INPUTS:
        return chat
    made: dict[str, Any] = {"messages": chat}
    lists = {"tools": inputs.tools, "documents": inputs.documents}
    made.update({name: value for name, value in lists.items() if value is not None})
    if inputs.variables:
        made[_SETTINGS] = dict(inputs.variables)
    if inputs.resumed:
        made["continue_final_message"] = inputs.resumed
    return made


def from_json(line: str) -> list[Message] | None:
    """Returns the messages of such a line, or None."""
    conversation = conversation_of(line)
    return None if conversation is None else conversation.messages


def conversation_of(line: str) -> Conversation | None:
    """Returns the conversation of such a line, or None."""
    try:
        return read_conversation(line)
    except FormatError:
        return None


def read_conversation(text: str, source: str = "It") -> Conversation:
    """Returns the conversation that JSON holds: a list of messages, or an object with it as ``messages``.

    Such an object may have ``tools``, ``documents``, ``chat_template_kwargs``, ``add_generation_prompt`` and
    ``continue_final_message``, as requests to servers have them. FormatError, which begins with ``source``, for anything
    else.
    """
    parsed = read_json(text.encode("utf-8", "surrogatepass"), source, BOUNDS)
    fields = parsed if isinstance(parsed, dict) else {"messages": parsed}
    messages = fields.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise FormatError(
            f"{source} has no messages: it needs a list of objects with role and content."
        )
    return conversation_from(
        [
            message_of(message, f"{source}: message {index}")
            for index, message in enumerate(messages, 1)
        ],
        {name: value for name, value in fields.items() if name != "messages"},
    )


def conversation_from(messages: list[Message], fields: Mapping[str, Any]) -> Conversation:
    """Returns a conversation of messages and the other fields of such an object; FormatError for wrong values."""
    settings = fields.get(_SETTINGS)
    if settings is not None and not isinstance(settings, dict):
        raise FormatError(
            f"{_SETTINGS} must be a JSON object, with the names of the variables as keys."
        )
    # What is a variable of every template is that one, wherever it stands.
    values = {name: value for name, value in fields.items() if name in _TAKEN}
    variables = dict(settings or {})
    values.update({name: variables.pop(name) for name in _TAKEN if name in variables})
    resumed = values.get("continue_final_message") or ""
    if resumed is True:
        resumed = "content"
    prompt = values.get("add_generation_prompt")
    if not isinstance(resumed, str) or not isinstance(prompt, bool | None):
        raise FormatError("add_generation_prompt and continue_final_message must be true or false.")
    inputs = inputs_of({**values, "variables": variables, "resumed": resumed})
    unknown = tuple(name for name in fields if name not in _TAKEN and name != _SETTINGS)
    return Conversation(messages, inputs, prompt, unknown)


_TAKEN: Final = ("tools", "documents", "add_generation_prompt", "continue_final_message")


def message_of(one: Mapping[str, Any], source: str = "A message") -> Message:
    """Returns the message of an object; FormatError if its role or content is not one that templates know."""
    role, content = one.get("role"), one.get("content")
    if not isinstance(role, str):
        raise FormatError(f"{source} has no role: give it one, such as user.")
    if not isinstance(content, str | list | None):
        raise FormatError(f"{source} has a content that is not a text, a list of parts or null.")
    plain = one.keys() == {"role", "content"} and isinstance(content, str)
    text = content if isinstance(content, str) else ""
    return Message(role, text, None if plain and list(one) == ["role", "content"] else dict(one))


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
    known = (index for index, start in enumerate(STARTS) if all(map(knows, start.markers)))
    return next(known, 0)
