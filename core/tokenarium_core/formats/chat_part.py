"""The chat templates that belong to a tokenizer: in its own file, or in its folder, as transformers finds them.

The core keeps them with a tokenizer and writes them; the app renders them. Source: ``_from_pretrained`` in
huggingface/transformers' ``tokenization_utils_base.py``, 5.23; for GGUF files, ``llama_model_chat_template`` in
llama.cpp.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.archives import archive_kind
from tokenarium_core.formats.settings_files import CONFIG, SPECIAL
from tokenarium_core.plain_files import read_text
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import UNKNOWN

SEPARATE: Final = "chat_template.jinja"
ADDITIONAL: Final = "additional_chat_templates"
DEFAULT: Final = "default"

MOST_TEMPLATES: Final = 100
"""The most templates that are read from one folder."""

CHAT: Final = "chat"
"""The part of `Tokenizer.stored` with the chat templates that a copy preserves, as JSON of `chat_of`."""

TEMPLATES: Final = "templates"
TOKENS: Final = "tokens"

SUFFIX: Final = ".jinja"
_LARGEST_FILE: Final = 32 << 20  # bytes: some files of settings list all added tokens


def chat_of(tokenizer: Tokenizer) -> dict[str, dict[str, str]]:
    """Returns the sources of the chat templates of a tokenizer by name, and the special tokens by the names that they
    use.

    The fields are `TEMPLATES` and `TOKENS`. The templates are those stored in it, else in its
    GGUF file, else in its folder. Raises FormatError for invalid files, NotAvailable for unreadable ones.
    """
    if CHAT in tokenizer.stored:
        stored: dict[str, dict[str, str]] = json.loads(tokenizer.stored[CHAT])
        return stored
    tokens = own_tokens(tokenizer)
    sources = _of_details(tokenizer)
    folder = folder_of(tokenizer)
    if not sources and folder is not None:
        sources = sources_in(folder)
        tokens.update(folder_tokens(folder))
    return {TEMPLATES: sources, TOKENS: tokens}


def keep_chat(old: Tokenizer, new: Tokenizer, renamed: Mapping[str, str] | None = None) -> None:
    """Gives a tokenizer derived from another one its chat templates, with the new names of special tokens."""
    chat = chat_of(old)
    if not chat[TEMPLATES]:
        return
    known = new.special_tokens
    for old_name, name in (renamed or {}).items():
        chat[TEMPLATES] = {
            title: source.replace(old_name, name) for title, source in chat[TEMPLATES].items()
        }
        chat[TOKENS] = {
            title: name if text == old_name else text for title, text in chat[TOKENS].items()
        }
    lost = [text for text in old.special_tokens if text not in known]
    chat[TOKENS] = {title: text for title, text in chat[TOKENS].items() if text not in lost}
    _keep(new, chat)


def keep_read_chat(tokenizer: Tokenizer, field: object, source: str) -> None:
    """Gives a tokenizer the chat templates of a field of its file; FormatError if it is invalid."""
    good = isinstance(field, dict) and field.keys() == {TEMPLATES, TOKENS}
    if good and isinstance(field, dict):
        for part in field.values():
            if not isinstance(part, dict) or not all(type(text) is str for text in part.values()):
                good = False
    if not good:
        raise FormatError(f"{source}: the field 'chat' has no texts of templates and tokens.")
    _keep(tokenizer, field)


def _keep(tokenizer: Tokenizer, chat: Any) -> None:
    tokenizer.stored = {**tokenizer.stored, CHAT: json.dumps(chat).encode()}
    named = [detail.name for detail in tokenizer.details]
    tokenizer.details = tokenizer.details + [
        Detail(CONFIG, name, text) for name, text in chat[TOKENS].items() if name not in named
    ]


def config_of(chat: dict[str, dict[str, str]]) -> bytes:
    """Returns the file `CONFIG` with chat templates, as transformers reads it next to a ``tokenizer.json``."""
    templates = chat[TEMPLATES]
    field: object = [{"name": name, "template": text} for name, text in templates.items()]
    if templates.keys() == {DEFAULT}:
        field = templates[DEFAULT]
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **chat[TOKENS],
        "chat_template": field,
    }
    return json.dumps(config, ensure_ascii=False, indent=1).encode() + b"\n"


def sources_in(folder: Path) -> dict[str, str]:
    """Returns the chat templates of a model folder by name; if there are template files, only these count."""
    return _of_files(folder) or sources_of(config_in(folder / CONFIG))


def folder_of(tokenizer: Tokenizer) -> Path | None:
    """Returns the folder that a tokenizer was opened from; None for one opened by name, or from an archive."""
    source = tokenizer.source.path
    if not source:
        return None
    path = Path(source).absolute()
    if os.path.isdir(path):
        return path
    return path.parent if os.path.exists(path) and not archive_kind(path) else None


def own_tokens(tokenizer: Tokenizer) -> dict[str, str]:
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


def _of_files(folder: Path) -> dict[str, str]:
    """Returns the template files of a folder, by name."""
    sources: dict[str, str] = {}
    separate = folder / SEPARATE
    if os.path.isfile(separate):
        sources[DEFAULT] = read_source(separate)
    additional = folder / ADDITIONAL
    if os.path.isdir(additional):
        try:
            with os.scandir(additional) as entries:
                names = [entry.name for entry, _ in zip(entries, range(10_000), strict=False)]
        except OSError as error:
            raise NotAvailable(f"{additional} cannot be read: {error.strerror}.") from error
        names = sorted(name for name in names if name.endswith(SUFFIX))
        if len(names) > MOST_TEMPLATES:
            raise FormatError(
                f"{ADDITIONAL} has more than {MOST_TEMPLATES} templates: remove those that are not needed."
            )
        for name in names:
            sources[name.removesuffix(SUFFIX)] = read_source(additional / name)
    return sources


def _of_details(tokenizer: Tokenizer) -> dict[str, str]:
    """Returns the templates in a GGUF file, by name."""
    if tokenizer.source.format != "gguf":
        return {}
    sources = {}
    for detail in tokenizer.details:
        if detail.group == "tokenizer" and detail.name.partition(".")[0] == "chat_template":
            sources[detail.name.partition(".")[2] or DEFAULT] = detail.value
    return sources


def folder_tokens(folder: Path) -> dict[str, str]:
    """Returns the special tokens that the files of a folder name.

    ``special_tokens_map.json`` counts only if the settings do not list all added tokens, and then takes precedence.
    """
    config = config_in(folder / CONFIG)
    tokens = tokens_of(config)
    if "added_tokens_decoder" in config:
        return tokens
    return tokens | tokens_of(config_in(folder / SPECIAL))


def sources_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Returns the templates in a file, by name."""
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


def tokens_of(config: dict[str, Any]) -> dict[str, str]:
    """Returns the special tokens that a file names, as texts or as objects with their content.

    A model may define others, such as ``image_token``.
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


def config_in(path: Path) -> dict[str, Any]:
    if not os.path.isfile(path):
        return {}
    source = read_source(path)
    try:
        config = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is not JSON: {error}.") from error
    if not isinstance(config, dict):
        raise FormatError(f"{path.name} is not an object.")
    return config


def read_source(path: Path) -> str:
    try:
        return read_text(path, _LARGEST_FILE)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path.name} is not UTF-8 at byte {error.start}.") from error
