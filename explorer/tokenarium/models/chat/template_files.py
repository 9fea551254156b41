"""The chat templates in files, as transformers finds and chooses them, and those that a tokenizer's own file holds.

Source: ``_from_pretrained`` and ``get_chat_template`` in huggingface/transformers' ``tokenization_utils_base.py``, 5.23;
for GGUF files, ``llama_model_chat_template`` in llama.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium_core import FormatError
from tokenarium_core.formats.chat_part import (
    DEFAULT,
    TEMPLATES,
    TOKENS,
    chat_of,
    config_in,
    folder_tokens,
    read_source,
    sources_in,
    sources_of,
    tokens_of,
)

WITH_TOOLS: Final = "tool_use"
"""The template that is chosen where there are tools."""


def read_chat_templates(folder: Path, own: Mapping[str, str] | None = None) -> list[ChatTemplate]:
    """Returns the chat templates of a model's folder, the default one first; none if it has none.

    Where there are files of templates, those in the settings do not count. ``own`` are special tokens by name that the
    settings may name otherwise. Raises FormatError for files that are not what they should be.
    """
    return _templates(sources_in(folder), {**(own or {}), **folder_tokens(folder)})


def read_chat_file(path: Path, own: Mapping[str, str] | None = None) -> list[ChatTemplate]:
    """Returns the chat templates of one file, the default one first: a JSON file with the field
    ``chat_template``, or a template itself; special tokens come from the files next to it, else from ``own``.

    Raises FormatError for a file that is neither, NotAvailable for one that cannot be read.
    """
    tokens = {**(own or {}), **folder_tokens(path.parent)}
    if path.suffix != ".json":
        return _templates({path.stem: read_source(path)}, tokens)
    config = config_in(path)
    sources = sources_of(config)
    if not sources:
        raise FormatError(f"{path.name} has no field chat_template: choose another file.")
    return _templates(sources, tokens | tokens_of(config))


def templates_of(tokenizer: tc.Tokenizer) -> list[ChatTemplate]:
    """Returns the chat templates of a tokenizer, the default one first: see `chat_of`.

    Raises FormatError as `read_chat_templates` does.
    """
    chat = chat_of(tokenizer)
    return _templates(chat[TEMPLATES], chat[TOKENS])


def chosen(templates: Sequence[ChatTemplate], name: str, with_tools: bool) -> ChatTemplate:
    """Returns the template that transformers takes: the one with the name, otherwise ``tool_use`` if there are tools,
    otherwise the default.

    Raises FormatError if there is no template of that name, or no default.
    """
    by_name = {template.name: template for template in templates}
    if name:
        if name not in by_name:
            raise FormatError(
                f"There is no template {name!r}. The templates are {', '.join(by_name)}."
            )
        return by_name[name]
    if with_tools and WITH_TOOLS in by_name:
        return by_name[WITH_TOOLS]
    if DEFAULT in by_name:
        return by_name[DEFAULT]
    raise FormatError(f"No template is the default: choose {' or '.join(by_name)}.")


def _templates(sources: Mapping[str, str], tokens: Mapping[str, str]) -> list[ChatTemplate]:
    names = sorted(sources, key=lambda name: (name != DEFAULT, name))
    templates = [ChatTemplate(name, sources[name], tokens) for name in names]
    for template in templates:
        template.check()
    return templates
