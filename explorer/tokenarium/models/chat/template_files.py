"""The chat templates in files, as transformers finds and chooses them, and those that a tokenizer's own file holds.

Source: ``_from_pretrained`` and ``get_chat_template`` in huggingface/transformers' ``tokenization_utils_base.py``, 5.23;
for GGUF files, ``llama_model_chat_template`` in llama.cpp.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium_core import FormatError, NotAvailable
from tokenarium_core.plain_files import read_text
from tokenarium_core.vocabulary import UNKNOWN

CONFIG: Final = "tokenizer_config.json"
SEPARATE: Final = "chat_template.jinja"
ADDITIONAL: Final = "additional_chat_templates"
DEFAULT: Final = "default"
WITH_TOOLS: Final = "tool_use"
"""The template that is chosen where there are tools."""

MOST_TEMPLATES: Final = 100
"""Templates that are read of one folder."""

_SUFFIX: Final = ".jinja"
_LARGEST_FILE: Final = 32 << 20  # bytes: some files of settings list all added tokens


def read_chat_templates(folder: Path, own: Mapping[str, str] | None = None) -> list[ChatTemplate]:
    """Returns the chat templates of a model's folder, the default one first; none where it has none.

    Where there are files of templates, those in the settings do not count. ``own`` are special tokens by name that the
    settings may name otherwise. Raises FormatError for files that are not what they should be.
    """
    tokens = {**(own or {}), **_folder_tokens(folder)}
    sources = _of_files(folder) or _sources(_config(folder / CONFIG))
    return _templates(sources, tokens)


def read_chat_file(path: Path, own: Mapping[str, str] | None = None) -> list[ChatTemplate]:
    """Returns the chat templates of one file, the default one first: a JSON file with the field
    ``chat_template``, or a template itself; special tokens come from the files next to it, else from ``own``.

    Raises FormatError for a file that is neither, NotAvailable for one that cannot be read.
    """
    tokens = {**(own or {}), **_folder_tokens(path.parent)}
    if path.suffix != ".json":
        return _templates({path.stem: _read(path)}, tokens)
    config = _config(path)
    sources = _sources(config)
    if not sources:
        raise FormatError(f"{path.name} has no field chat_template: choose another file.")
    return _templates(sources, tokens | _tokens(config))


def templates_of(tokenizer: tc.Tokenizer) -> list[ChatTemplate]:
    """Returns the chat templates of a tokenizer, the default one first: of its GGUF file, else of its folder.

    Raises FormatError as `read_chat_templates` does.
    """
    own = own_tokens(tokenizer)
    found = _templates(_of_details(tokenizer), own)
    folder = folder_of(tokenizer)
    return found or ([] if folder is None else read_chat_templates(folder, own))


def folder_of(tokenizer: tc.Tokenizer) -> Path | None:
    """Returns the folder that a tokenizer was opened from; None for one that is known by name."""
    source = tokenizer.source.path
    if not source:
        return None
    path = Path(source).absolute()
    if not os.path.exists(path):
        return None
    return path if os.path.isdir(path) else path.parent


def own_tokens(tokenizer: tc.Tokenizer) -> dict[str, str]:
    """Returns the special tokens that a SentencePiece model or a GGUF file itself names, by the names of templates."""
    if tokenizer.source.format not in ("sentencepiece", "gguf"):
        return {}
    special = {id: text for text, id in tokenizer.special_tokens.items()}
    ends = tokenizer.ends
    tokens = {}
    for name, ids in (("bos_token", ends.bos), ("eos_token", ends.eos)):
        if ids and ids[0] in special:
            tokens[name] = special[ids[0]]
    for detail in tokenizer.details:
        if detail.group == "special tokens" and detail.name.endswith("_token"):
            tokens[detail.name] = detail.value
        elif (detail.group, detail.name) == ("trainer", "pad_piece"):
            if detail.value in tokenizer.special_tokens:
                tokens["pad_token"] = detail.value
    vocabulary = tokenizer.vocabulary
    unknown = next((id for id, kind in enumerate(vocabulary.kinds) if kind == UNKNOWN), None)
    if unknown is not None:
        tokens.setdefault("unk_token", vocabulary.surface(unknown))
    return tokens


def chosen(templates: Sequence[ChatTemplate], name: str, with_tools: bool) -> ChatTemplate:
    """Returns the template that transformers takes: that of the name, else ``tool_use`` with tools, else the default one.

    Raises FormatError where there is none of the name, or no default one.
    """
    by_name = {one.name: one for one in templates}
    if name:
        if name not in by_name:
            raise FormatError(f"There is no template {name!r}: there is {', '.join(by_name)}.")
        return by_name[name]
    if with_tools and WITH_TOOLS in by_name:
        return by_name[WITH_TOOLS]
    if DEFAULT in by_name:
        return by_name[DEFAULT]
    raise FormatError(f"None of the templates is the default one: choose {' or '.join(by_name)}.")


def _templates(sources: Mapping[str, str], tokens: Mapping[str, str]) -> list[ChatTemplate]:
    names = sorted(sources, key=lambda name: (name != DEFAULT, name))
    templates = [ChatTemplate(name, sources[name], tokens) for name in names]
    for template in templates:
        template.check()
    return templates


def _of_files(folder: Path) -> dict[str, str]:
    """Returns the templates that are files of a folder, by their names."""
    sources: dict[str, str] = {}
    separate = folder / SEPARATE
    if os.path.isfile(separate):
        sources[DEFAULT] = _read(separate)
    additional = folder / ADDITIONAL
    if os.path.isdir(additional):
        try:
            with os.scandir(additional) as entries:
                names = [one.name for one, _ in zip(entries, range(10_000), strict=False)]
        except OSError as error:
            raise NotAvailable(f"{additional} cannot be read: {error.strerror}.") from error
        names = sorted(name for name in names if name.endswith(_SUFFIX))
        if len(names) > MOST_TEMPLATES:
            raise FormatError(
                f"{ADDITIONAL} has more than {MOST_TEMPLATES} templates: remove those that are not needed."
            )
        for name in names:
            sources[name.removesuffix(_SUFFIX)] = _read(additional / name)
    return sources


def _of_details(tokenizer: tc.Tokenizer) -> dict[str, str]:
    """Returns the templates that a GGUF file holds, by their names."""
    if tokenizer.source.format != "gguf":
        return {}
    sources = {}
    for detail in tokenizer.details:
        if detail.group == "tokenizer" and detail.name.partition(".")[0] == "chat_template":
            sources[detail.name.partition(".")[2] or DEFAULT] = detail.value
    return sources


def _folder_tokens(folder: Path) -> dict[str, str]:
    """Returns the special tokens that the files of a folder name.

    ``special_tokens_map.json`` counts only where the settings do not list all added tokens, and then more than they do.
    """
    config = _config(folder / CONFIG)
    tokens = _tokens(config)
    if "added_tokens_decoder" in config:
        return tokens
    return tokens | _tokens(_config(folder / "special_tokens_map.json"))


def _sources(config: Mapping[str, Any]) -> dict[str, str]:
    """Returns the templates that a file holds, by their names."""
    sources: dict[str, str] = {}
    field = config.get("chat_template")
    if isinstance(field, str):
        sources[DEFAULT] = field
    elif isinstance(field, list):
        if len(field) > MOST_TEMPLATES:
            raise FormatError(f"{CONFIG}: chat_template has more than {MOST_TEMPLATES} templates.")
        for index, item in enumerate(field):
            name = item.get("name") if isinstance(item, dict) else None
            template = item.get("template") if isinstance(item, dict) else None
            if not isinstance(name, str) or not isinstance(template, str):
                raise FormatError(f"{CONFIG}: chat_template[{index}] is not a name and a template.")
            sources[name] = template
    elif field is not None:
        raise FormatError(f"{CONFIG}: chat_template is neither a text nor a list.")
    return sources


def _tokens(config: dict[str, Any]) -> dict[str, str]:
    """Returns the special tokens that a file names, as texts or as objects with their content.

    A model may have others of its own, such as ``image_token``.
    """
    tokens: dict[str, str] = {}
    extra = config.get("extra_special_tokens")
    own = {name: value for name, value in config.items() if name.endswith("_token")}
    if isinstance(extra, dict):
        own |= {str(name): value for name, value in extra.items()}
    for name, value in own.items():
        if isinstance(value, dict):
            value = value.get("content")
        if isinstance(value, str):
            tokens[name] = value
    return tokens


def _config(path: Path) -> dict[str, Any]:
    if not os.path.isfile(path):
        return {}
    try:
        config = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(config, dict):
        raise FormatError(f"{path.name} is not an object.")
    return config


def _read(path: Path) -> str:
    try:
        return read_text(path, _LARGEST_FILE)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path.name} is not UTF-8 at byte {error.start}.") from error
