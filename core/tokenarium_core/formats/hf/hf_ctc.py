"""The `tokenizer.json` that does what ``Wav2Vec2CTCTokenizer`` does; see `ctc_format`."""

from __future__ import annotations

from typing import Any, Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import replace
from tokenarium_core.vocabulary import MAX_IDS

_MOST: Final = 1 << 20  # spaces at an end of a text


def checked_ids(ids: object, source: str) -> dict[str, int]:
    """Returns the entries of a vocabulary with their ids; FormatError, with the entry, for what is none."""
    if not isinstance(ids, dict):
        raise FormatError(f"{source} is not an object of entries and their ids.")
    seen: dict[int, str] = {}
    for entry, token in ids.items():
        if not entry or type(token) is not int or not 0 <= token < MAX_IDS:
            raise FormatError(f"{source}: the entry {entry!r:.40} has the id {token!r:.40}.")
        if token in seen:
            raise FormatError(
                f"{source}: the entries {seen[token]!r:.40} and {entry!r:.40} both have the id {token}."
            )
        seen[token] = entry
    return ids


def special_entries(ids: dict[str, int]) -> list[dict[str, Any]]:
    """Returns the entries of several characters as added tokens, which absorb the white space around them."""
    flags = {"single_word": False, "lstrip": True, "rstrip": True, "normalized": False}
    return [
        {"id": token, "content": entry, **flags, "special": True}
        for entry, token in sorted(ids.items(), key=lambda item: item[1])
        if len(entry) > 1
    ]


def ctc_fields(
    ids: dict[str, int],
    unknown: str,
    padding: str,
    delimiter: str,
    between: str,
    added: list[dict[str, Any]],
) -> dict[str, Any]:
    """Returns the `tokenizer.json`; ``delimiter`` stands for a space, and is decoded as ``between``."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": replace(" ", delimiter),
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": r"[\s\S]"},
            "behavior": "Isolated",
            "invert": False,
        },
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {
                    "type": "CTC",
                    "pad_token": padding,
                    "word_delimiter_token": delimiter,
                    "cleanup": False,
                },
                replace(delimiter, between),
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": _MOST, "stop": _MOST},
            ],
        },
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": unknown},
    }
