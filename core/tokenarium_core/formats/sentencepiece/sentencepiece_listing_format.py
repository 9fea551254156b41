"""SentencePiece's ``.vocab`` listing: each piece of a model, a tab, and its score, for people to read.

```
<unk>	0
▁the	-3.25841
```

It is opened as the ``.model`` of these pieces. The listing has neither the kind of the model, nor the types of its pieces,
nor how it normalizes a text: the first two are inferred, the third is assumed, and `Tokenizer.details` says so. Where the
model lies beside it, it is refused. Source: ``SaveVocab`` in sentencepiece's ``trainer_interface.cc``.
"""

from __future__ import annotations

import math
import re
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
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    content_of_pieces,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_pieces import (
    BPE,
    CHAR,
    UNIGRAM,
    WORD,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    MODEL_TYPES,
    SentencePieceSettings,
)
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

# A piece is a line, but for one of line feeds, perhaps behind ▁; a score is a float with six digits, never above 0.
_ROW: Final = re.compile(
    rb"([^\n]+?|(?:\xe2\x96\x81)?\n+)\t(-(?:inf|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?)|0)\r?(?:\n|\Z)"
)
_UNKNOWN: Final = ("<unk>", "[UNK]", "<UNK>")
_UNKNOWN_ROWS: Final = tuple([f"{name}\t0".encode() for name in _UNKNOWN])
_BYTE_NAME: Final = re.compile(r"<0x[0-9A-F]{2}>")
_BRACKETS: Final = ("<>", "[]")
_LEAST: Final = 3
_SUFFIX: Final = ".vocab"
_MODEL: Final = ".model"
_MARK: Final = "▁"

_NORMAL: Final = 1  # types of pieces, as a model has them
_UNKNOWN_TYPE: Final = 2
_CONTROL: Final = 3
_USER_DEFINED: Final = 4
_BYTE: Final = 6


def read_listing(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a listing; ``source`` names it in errors.

    Raises FormatError, with the line, for anything but a piece, a tab and a score; for a piece that was there before; if
    no piece is that for what the others do not make; and as `read_sentencepiece`.
    """
    rows = _rows(content, source)
    unknown = next((name for name in _UNKNOWN if (name, 0.0) in rows), "")
    if not unknown:
        raise FormatError(
            f"{source} has none of {', '.join(_UNKNOWN)} with the score 0, the piece for what the others do not make."
        )
    names = {name for name, _ in rows}
    falls_back = all(f"<0x{byte:02X}>" in names for byte in range(256))
    pieces: list[tuple[str, float, int]] = []
    kind = _kind([row for row in rows if not _says_nothing(row[1])])
    for name, score in rows:
        type = _NORMAL
        if name == unknown:
            type = _UNKNOWN_TYPE
        elif _says_nothing(score):
            type = _USER_DEFINED
            if len(name) > 2 and name[:1] + name[-1:] in _BRACKETS:
                type = _BYTE if falls_back and _BYTE_NAME.fullmatch(name) else _CONTROL
        pieces.append((name, score, type))
    trainer = SentencePieceSettings("trainer_spec")
    trainer.put("model_type", kind)
    trainer.put("byte_fallback", falls_back)
    trainer.put("unk_piece", unknown)
    rules = SentencePieceSettings("normalizer_spec")
    rules.put("name", "identity")
    stored = {"trainer_spec": trainer.content(), "normalizer_spec": rules.content()}
    tokenizer = read_sentencepiece(content_of_pieces(pieces, stored), source, source)
    tokenizer.details = [
        Detail("assumed", "normalization", "none but of spaces: the listing does not have it"),
        Detail("assumed", "add_dummy_prefix", "yes: a text begins with a space, as in most models"),
        Detail("assumed", "model_type", f"{MODEL_TYPES[kind]}, by the scores and the pieces"),
        Detail(
            "assumed",
            "control symbols",
            "pieces in brackets with the score 0, never made of a text",
        ),
        Detail("assumed", "user-defined symbols", "other pieces with the score 0"),
        Detail("assumed", "byte_fallback", "yes" if falls_back else "no"),
        Detail("assumed", "scores", "rounded to six digits"),
    ]
    return tokenizer


def is_listed(name: str, present: set[str]) -> bool:
    """Returns whether a file only lists the pieces of a model which is among the names ``present``."""
    stem = name.removesuffix(_SUFFIX)
    return stem != name and f"{stem}{_MODEL}" in present


def _rows(content: bytes, source: str) -> list[tuple[str, float]]:
    rows: list[tuple[str, float]] = []
    lines: dict[str, int] = {}
    at = 0
    number = 1
    while at < len(content):
        match = _ROW.match(content, at)
        if match is None:
            raise FormatError(f"Line {number} of {source} is not a piece, a tab and a score.")
        raw = match[1]
        try:
            piece = raw.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"Line {number} of {source} is not UTF-8.") from error
        if piece in lines:
            raise FormatError(
                f"Line {number} of {source} has the piece {piece[:60]!r}, which line {lines[piece]} already has."
            )
        if len(rows) == MAX_IDS:
            raise FormatError(f"{source} has more pieces than the {MAX_IDS:,} that fit.")
        lines[piece] = number
        rows.append((piece, float(match[2])))
        number += 1 + raw.count(b"\n")
        at = match.end()
    return rows


def _says_nothing(score: float) -> bool:
    """Returns whether a score is 0, that of pieces that were not learned; the first merge of BPE has -0."""
    return score == 0.0 and math.copysign(1.0, score) > 0.0


def _kind(normal: list[tuple[str, float]]) -> int:
    """Returns the kind of the model: BPE's scores are -0, -1, -2, …; pieces of words begin them, or are characters."""
    if normal and all(score == -float(number) for number, (_, score) in enumerate(normal)):
        return BPE
    if all(len(name) == 1 for name, _ in normal):
        return CHAR
    return WORD if all(name.startswith(_MARK) for name, _ in normal) else UNIGRAM


def _recognized(head: FileHead) -> int:
    """Pieces with scores, an unknown one of the score 0 among them. Counts, which others write, are above 0."""
    content = head.content[:HEAD_BYTES]
    if not any(row in content for row in _UNKNOWN_ROWS):
        return NO
    at = 0
    count = 0
    while at < len(content):
        match = _ROW.match(content, at)
        if match is None:
            whole = b"\n" not in content[at:].lstrip(b"\n") and len(content) == HEAD_BYTES
            break_off = whole and count >= _LEAST
            return CERTAIN if break_off else NO
        at = match.end()
        count += 1
    return CERTAIN if count >= _LEAST else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    model = file.path.with_suffix(_MODEL)
    if file.path.suffix == _SUFFIX and model.is_file():
        raise FormatError(
            f"{file.path.name} only lists the pieces of {model.name}, which lies beside it and has all of the tokenizer:"
            f" open {model.name}."
        )
    tokenizer = read_listing(file.content, file.path.name)
    tokenizer.name = file.name
    return tokenizer


FORMAT: Final[Format] = Format(
    "sentencepiece-listing",
    "SentencePiece's .vocab listing",
    ".vocab listing",
    (_SUFFIX,),
    _recognized,
    _opened,
    signs="Each of the first lines is a piece, a tab and a score that is not above 0; one is `<unk>` with 0.",
    algorithms="Unigram, BPE, words, characters",
    compared="sentencepiece 0.2, by models without normalization and their listings",
)
