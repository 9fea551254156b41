"""What a tokenizer has beside the stages of one text: ids around two texts, chat templates, settings of batches."""

from __future__ import annotations

import json
from typing import Any

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.chat_part import TEMPLATES, TOKENS, chat_of
from tokenarium_core.tokenizer import Tokenizer


def pair_form(field: Any) -> str:
    """Returns what a file puts around two texts, with the type of each part."""
    steps = field.get("processors", [field]) if isinstance(field, dict) else []
    said: list[str] = []
    for step in steps:
        if step.get("type") == "TemplateProcessing":
            parts = step.get("pair")  # which opening a file does not check
            for part in parts if isinstance(parts, list) else [parts]:
                name, inside = (
                    next(iter(part.items())) if isinstance(part, dict) and part else ("", part)
                )
                if not isinstance(inside, dict):
                    said.append(json.dumps(part))
                    continue
                shown = inside.get("id")
                said.append(
                    f"{shown if name == 'Sequence' else repr(shown)}:{inside.get('type_id')}"
                )
        elif step.get("type") in ("BertProcessing", "RobertaProcessing"):
            types = [0, 1] if step["type"] == "BertProcessing" else [0, 0]
            cls, sep = repr(step["cls"][0]), repr(step["sep"][0])
            between = [f"{sep}:0"] * (1 if step["type"] == "BertProcessing" else 2)
            said += [f"{cls}:0", "A:0", *between, f"B:{types[1]}", f"{sep}:{types[1]}"]
    return " ".join(said) or "none"


def chats_of(tokenizer: Tokenizer) -> dict[str, str]:
    """Returns chat templates and the tokens in them by what they are; those that cannot be read as the reason."""
    try:
        chat = chat_of(tokenizer)
    except (FormatError, NotAvailable) as error:
        return {"the template": str(error)}
    sources = {f"the template {name!r}": source for name, source in chat[TEMPLATES].items()}
    if not sources:
        return {}
    return {**sources, **{f"the token {name}": text for name, text in chat[TOKENS].items()}}


def excerpt(text: str, other: str) -> str:
    """Returns a text from where it begins to differ from another."""
    if not text:
        return "none"
    at = 0
    while at < min(len(text), len(other)) and text[at] == other[at]:
        at += 1
    start = max(at - 10, 0)
    return ("…" if start else "") + repr(text[start : at + 40])[1:-1]


def object_of(value: Any) -> dict[str, Any]:
    """Returns the fields of an object; any other value as the field "value"."""
    if isinstance(value, dict):
        return value
    return {} if value is None else {"value": value}
