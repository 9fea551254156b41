"""What the files beside a `tokenizer.json` say of it: special tokens by their part, the class, the longest text.

They change no id, as far as the tokenizers library is concerned, and are shown as they are stored. Chat templates are
rendered by the app, not by the core.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import shown
from tokenarium_core.formats.whole_json import whole_json

_FILES: Final = ("tokenizer_config.json", "special_tokens_map.json")
_LARGEST: Final = 1 << 26


def folder_details(folder: Path) -> list[Detail]:
    """Returns the settings in the files of a model's folder; of a file that cannot be read, that it cannot."""
    details: list[Detail] = []
    for name in _FILES:
        path = folder / name
        if not path.is_file():
            continue
        try:
            if path.stat().st_size > _LARGEST:
                raise ValueError("it is too large")
            config = whole_json(path.read_bytes(), "it")
            if not isinstance(config, dict):
                raise ValueError("it is not an object")
        except (OSError, ValueError, FormatError) as error:
            details.append(Detail(name, "not read", str(error)))
            continue
        for field, value in config.items():
            if isinstance(value, dict) and isinstance(value.get("content"), str):
                value = value["content"]
            if field == "chat_template":
                value = "there is one" if isinstance(value, str) else "there are several"
            if field != "added_tokens_decoder" and value is not None:
                details.append(Detail(name, str(field), shown(value)))
    return details
