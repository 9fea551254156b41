"""What a chat template gets besides the messages, and what transformers does to both before it renders them.

Source: ``apply_chat_template`` in huggingface/transformers (``tokenization_utils_base.py``), and ``render_jinja_template``
in its ``utils/chat_template_utils.py``, 5.23.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from tokenarium_core import FormatError

REASONING: Final = ("reasoning_content", "thinking", "reasoning")
"""The names under which a message has its reasoning; most templates read the first."""

TAG: Final = "CONTINUE_FINAL_MESSAGE_TAG "

PASSED: Final = ("messages", "tools", "documents", "add_generation_prompt")
"""The variables that a template always has."""

_OF_FUNCTION: Final = frozenset(
    (
        "conversation",
        "chat_template",
        "tokenize",
        "sanitize_control_tokens",
        "padding",
        "truncation",
        "max_length",
        "return_tensors",
        "return_dict",
        "return_assistant_tokens_mask",
        "tokenizer_kwargs",
    )
)
"""The arguments of ``apply_chat_template`` that no template gets."""


class Inputs(NamedTuple):
    """The variables of a template besides ``messages`` and ``add_generation_prompt``.

    ``tools`` and ``documents`` are lists of objects, None for none. ``variables`` are others by name. ``resumed``: the
    field of the last message that is left open for the model to go on, such as "content"; empty for none.
    """

    tools: list[dict[str, Any]] | None = None
    documents: list[dict[str, Any]] | None = None
    variables: Mapping[str, Any] = MappingProxyType({})
    resumed: str = ""

    def values(self) -> dict[str, Any]:
        """Returns them as JSON values, which `inputs_of` reads."""
        return {**self._asdict(), "variables": dict(self.variables)}

    def without(self, name: str) -> Inputs:
        """Returns the inputs without those with this name."""
        if name == "tools":
            return self._replace(tools=None)
        if name == "documents":
            return self._replace(documents=None)
        return self._replace(
            variables={key: value for key, value in self.variables.items() if key != name}
        )

    @property
    def names(self) -> list[str]:
        """The names of those that are given."""
        lists = [("tools", self.tools), ("documents", self.documents)]
        return [*(name for name, value in lists if value is not None), *self.variables]


def inputs_of(values: Mapping[str, Any]) -> Inputs:
    """Returns the inputs of values by name: ``tools``, ``documents``, ``variables`` and ``resumed``.

    Raises FormatError for what transformers would refuse too.
    """
    for name in ("tools", "documents"):
        given = values.get(name)
        if given is None:
            continue
        if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
            raise FormatError(
                f"{name} must be a JSON list of objects: give {name} as [{{…}}, {{…}}]."
            )
    variables = values.get("variables")
    if variables is not None and not isinstance(variables, Mapping):
        raise FormatError(
            "Give the variables of a template as a JSON object, with their names as keys."
        )
    for name in variables or {}:
        if name in _OF_FUNCTION or name == "messages":
            raise FormatError(f"{name} cannot be a variable of a template: leave it out.")
    return Inputs(
        values.get("tools"),
        values.get("documents"),
        dict(variables or {}),
        str(values.get("resumed") or ""),
    )


def prepared(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Returns messages as templates get them: without the keys that are null, and with the reasoning under its names."""
    made = []
    for message in messages:
        fields = {key: value for key, value in message.items() if value is not None}
        reasoning = next((fields[key] for key in REASONING if fields.get(key) is not None), None)
        if reasoning is not None:
            fields = {"thinking": reasoning, **fields, "reasoning_content": reasoning}
        made.append(fields)
    return made


def opened_end(chat: list[dict[str, Any]], field: str, source: str) -> str:
    """Puts a mark at the end of a field of the last message, and returns the text before it.

    Raises FormatError if there is no text to continue with, or the template does not read the field.
    """
    given = chat[-1].get(field) if chat else None
    if given is None:
        raise FormatError(f"The last message has no {field} to continue: give it one.")
    fields = [field]
    if field in REASONING:  # it is there under several names
        fields = [name for name in REASONING if chat[-1].get(name) == given]
    if not any(name in source for name in fields):
        raise FormatError(f"The template does not read {field}, so it cannot be continued.")
    if isinstance(given, list):
        parts = list(given)
        for index in range(len(parts) - 1, -1, -1):
            part = parts[index]
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                parts[index] = {**part, "text": part["text"] + TAG}
                chat[-1] = {**chat[-1], field: parts}
                return str(part["text"])
        raise FormatError(f"The {field} of the last message has no text to continue.")
    if not isinstance(given, str):
        raise FormatError(
            f"The {field} of the last message is not text, so it cannot be continued."
        )
    chat[-1] = {**chat[-1], **dict.fromkeys(fields, given + TAG)}
    return given


def cut_open(text: str, final: str) -> str:
    """Returns a rendered text up to the mark; FormatError if the template has dropped it, or the text before it."""
    mark = TAG.strip()
    if final.strip() not in text or mark not in text:
        raise FormatError("The template changes the last message, so it cannot be continued.")
    at = text.rindex(mark)
    cut = text[:at]
    return cut if text[at : at + len(TAG)] == TAG else cut.rstrip()
