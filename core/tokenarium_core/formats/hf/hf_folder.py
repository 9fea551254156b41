"""What the files next to a tokenizer say about it: special tokens by role, the class, the maximum length.

Next to a `tokenizer.json` they do not affect ids in the tokenizers library, and are only shown;
`hf_slow_settings` applies them if there is no such file. The app renders chat templates, not the core.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import shown
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.settings_files import ADDED, CONFIG, SPECIAL
from tokenarium_core.plain_files import read_file

_FILES: Final = (CONFIG, SPECIAL)
_LISTS: Final = ("additional_special_tokens", "extra_special_tokens")
_LARGEST: Final = 1 << 26


@final
class NamedToken:
    """A token that a file of a folder names: the file, the field, its text, and its id, -1 if the file gives none."""

    def __init__(self, file: str, field: str, content: str, id: int = -1) -> None:
        self.file = file
        self.field = field
        self.content = content
        self.id = id


def named_tokens(folder: Path) -> list[NamedToken]:
    """Returns the special and added tokens named in the files of a folder; unreadable files are ignored."""
    tokens: list[NamedToken] = []
    for file in _FILES:
        fields, _ = _object(folder / file)
        for field, value in fields.items():
            if field == "added_tokens_decoder" and isinstance(value, dict):
                for id, token in value.items():
                    content = _content(token)
                    if content and str(id).isdecimal():
                        tokens.append(NamedToken(file, field, content, int(id)))
            elif field.endswith("_token") or field in _LISTS:
                several: list[object] = [value]
                if isinstance(value, list):
                    several = value
                elif isinstance(value, dict) and field in _LISTS:
                    several = list(value.values())
                contents = [_content(token) for token in several]
                tokens += [NamedToken(file, field, content) for content in contents if content]
    fields, _ = _object(folder / ADDED)
    for content, id in fields.items():
        if content and type(id) is int:
            tokens.append(NamedToken(ADDED, "", content, id))
    return tokens


def folder_details(folder: Path) -> list[Detail]:
    """Returns the settings in the files of a model's folder; an unreadable file is reported as such."""
    details: list[Detail] = []
    for name in _FILES:
        config, fault = _object(folder / name)
        if fault:
            details.append(Detail(name, "not read", fault))
        for field, value in config.items():
            if isinstance(value, dict) and isinstance(value.get("content"), str):
                value = value["content"]
            if field == "chat_template":
                value = "there is one" if isinstance(value, str) else "there are several"
            if field != "added_tokens_decoder" and value is not None:
                details.append(Detail(name, str(field), shown(value)))
    return details


def _object(path: Path) -> tuple[dict[str, object], str]:
    """Returns the fields of a file, none if it does not exist, and why it cannot be read."""
    try:
        if not path.is_file():
            return {}, ""
        config = whole_json(read_file(path, _LARGEST), "it")
    except OSError as error:
        return {}, error.strerror or str(error)
    except FormatError as error:
        return {}, str(error)
    return (config, "") if isinstance(config, dict) else ({}, "it is not an object")


def _content(token: object) -> str:
    """Returns the text of a token, which may have options; empty if it is not a token."""
    value = token.get("content") if isinstance(token, dict) else token
    return value if isinstance(value, str) else ""
