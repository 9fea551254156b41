"""The ``vocab.json`` of models of speech that are trained with CTC, such as wav2vec 2.0: characters and their ids.

``|`` stands for the space between words; entries of several characters, such as ``<pad>``, are special tokens. A character
without an entry is the unknown token. Decoding does what is done with the output of a model: equal ids in a row are
one, and the padding goes. Source: ``Wav2Vec2CTCTokenizer`` in transformers' ``tokenization_wav2vec2.py``.

It is opened as the ``tokenizer.json`` that does the same, which it can be saved as.
"""

from __future__ import annotations

import json
from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import (
    CERTAIN,
    HEAD_BYTES,
    NO,
    FileHead,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.hf.hf_ctc import checked_ids, ctc_fields, special_entries
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.tokenizer import Tokenizer

_DELIMITER: Final = "|"
_UNKNOWN: Final = ("<unk>", "[UNK]")
_PADDING: Final = ("<pad>", "[PAD]")
_SPEECH: Final = frozenset([_DELIMITER, *_PADDING, "<s>"])
_MARKS: Final = [f'"{name}"'.encode() for name in sorted(_SPEECH)]
_BRACKETS: Final = ("<>", "[]")


def read_ctc(content: bytes, source: str, name: str) -> Tokenizer:
    """Returns the tokenizer of such a vocabulary; ``source`` names the file in errors.

    Raises FormatError, with the entry, for an id that is not a number, out of range or another's, for an empty entry, and
    for a vocabulary without padding or an unknown token.
    """
    ids = checked_ids(whole_json(content, source), source)
    unknown = _first_of(_UNKNOWN, ids)
    padding = _first_of(_PADDING, ids)
    if not unknown or not padding or _DELIMITER not in ids:
        raise FormatError(
            f"{source} has no entry {_DELIMITER} for the space, or none of {', '.join(_UNKNOWN)}, or none of"
            f" {', '.join(_PADDING)}: its own names for them are in settings that are not read."
        )
    file = ctc_fields(ids, unknown, padding, _DELIMITER, " ", special_entries(ids))
    tokenizer = read_huggingface(json.dumps(file).encode(), name)
    tokenizer.details = [
        Detail("assumed", "unk_token", unknown),
        Detail("assumed", "pad_token", padding),
        Detail("assumed", "word_delimiter_token", _DELIMITER),
        Detail("assumed", "do_lower_case", "no: letters are as the entries have them"),
        Detail("assumed", "decoding", "equal ids in a row are one, as in the output of a model"),
    ]
    return tokenizer


def _first_of(names: tuple[str, ...], ids: dict[str, int]) -> str:
    return next((name for name in names if name in ids), "")


def _recognized(head: FileHead) -> int:
    """A small object of single characters, among them one between words, and of tokens in brackets."""
    if not head.is_object or head.fields or len(head.content) >= HEAD_BYTES:
        return NO  # it is decided before the first field is read
    if not any(mark in head.content for mark in _MARKS):
        return NO
    try:
        entries = whole_json(head.content, head.name)
    except FormatError:
        return NO
    alike = (
        isinstance(entries, dict)
        and len(entries) > 1
        and all(type(token) is int for token in entries.values())
        and not _SPEECH.isdisjoint(entries)
        and all(len(name) == 1 or name[:1] + name[-1:] in _BRACKETS for name in entries)
    )
    return CERTAIN if alike else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_ctc(file.content, file.path.name, file.name)


FORMAT: Final[Format] = Format(
    "ctc",
    "characters of a speech model (CTC)",
    "CTC characters",
    (".json",),
    _recognized,
    _opened,
    signs="A small object of single characters and ids, `|` or `<pad>` among them, and of tokens in brackets.",
    algorithms="characters",
    compared="transformers 5 (Wav2Vec2CTCTokenizer)",
)
