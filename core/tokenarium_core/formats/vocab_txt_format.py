"""BERT's ``vocab.txt``: one WordPiece piece a line, whose id is the number of the line, from 0 on.

The file holds nothing else. What BERT does besides is assumed, and `Tokenizer.details` says so; whether a
text is lower-cased follows from the pieces. Source: ``tokenization.py`` of Google's BERT, and
``BertWordPieceTokenizer`` of Hugging Face tokenizers, which takes blanks off the ends of lines.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.token_decoders import WordPieceDecoder
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.models.wordpiece import MAX_INPUT_CHARS, WordPiece
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.bert_data import PRE_BLANKS
from tokenarium_core.unicode.codepoints import spans_in
from tokenarium_core.vocabulary import (
    CONTINUING,
    CONTROL,
    NORMAL,
    UNKNOWN,
    PieceArena,
    Vocabulary,
)

AFFIX: Final = "##"
_UNKNOWN: Final = "[UNK]"
SPECIAL: Final = ["[PAD]", _UNKNOWN, "[CLS]", "[SEP]", "[MASK]"]
_BLANKS: Final = "".join(
    [chr(point) for first, last in spans_in(PRE_BLANKS) for point in range(first, last + 1)]
)
_UPPER_CASE: Final = re.compile(
    r"^(?!\[.*\]$).*[A-Z]", re.MULTILINE
)  # apart from such as [unused1]


def read_vocab_txt(content: bytes, name: str, lowercase: bool | None = None) -> Tokenizer:
    """Returns the tokenizer of a ``vocab.txt``; ``lowercase`` overrides what its pieces tell.

    Raises FormatError, with the line, for a file that is not UTF-8, has no pieces or no ``[UNK]``, an empty
    line, or a piece that stands in two lines.
    """
    pieces = read_pieces(content, name)
    ids: dict[str, int] = {}
    for token, piece in enumerate(pieces):
        if piece in ids:
            raise FormatError(
                f"Line {token + 1} of {name} has the entry {piece!r}, which line {ids[piece] + 1} has"
                " already: each may stand in a vocabulary once."
            )
        ids[piece] = token
    unknown = ids.get(_UNKNOWN)
    if unknown is None:
        raise FormatError(
            f"{name} has no line {_UNKNOWN}, the token for words that its entries do not make: a vocab.txt of"
            " BERT has one. Is this the vocabulary of another kind of tokenizer?"
        )
    cased = _UPPER_CASE.search("\n".join(pieces)) is not None
    lowers = not cased if lowercase is None else lowercase
    special = {piece: ids[piece] for piece in SPECIAL if piece in ids}
    template = None
    if "[CLS]" in ids and "[SEP]" in ids:
        template = Template("[CLS] … [SEP]", [ids["[CLS]"]], [ids["[SEP]"]])
    return Tokenizer(
        name,
        WordPiece(vocabulary_of(pieces), unknown),
        BertPreTokenizer(),
        of_special(special),
        normalizer=BertNormalizer(lowercase=lowers),
        template=template,
        decoder=WordPieceDecoder(left_out=frozenset(special.values())),
        details=_details(lowers, cased, lowercase is None, list(special)),
    )


def read_pieces(content: bytes, name: str) -> list[str]:
    """Returns the pieces of a ``vocab.txt`` in the order of their ids; FormatError as `read_vocab_txt`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fault = content.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"Line {fault} of {name} is not UTF-8 (byte {error.start} of the file): a vocab.txt is a text,"
            " one entry a line. Save it as UTF-8."
        ) from error
    pieces: list[str] = []
    empty: int | None = None
    for number, line in enumerate(text.split("\n"), 1):
        piece = line.rstrip(_BLANKS) or line.rstrip("\r")
        if piece:
            if empty is not None:
                raise FormatError(
                    f"Line {empty} of {name} is empty: each line of a vocab.txt is an entry, and the ones"
                    " behind it would get wrong ids without it."
                )
            pieces.append(piece)
        elif empty is None:
            empty = number
    if not pieces:
        raise FormatError(f"{name} is empty: a vocab.txt has a line for each entry.")
    return pieces


def vocabulary_of(pieces: list[str]) -> Vocabulary:
    """Returns pieces with the affix ``##`` as a vocabulary."""
    arena = PieceArena(len(pieces))
    for piece in pieces:
        if piece.startswith(AFFIX) and piece != AFFIX:
            arena.add(piece[len(AFFIX) :].encode(), CONTINUING)
        elif piece == _UNKNOWN:
            arena.add(piece.encode(), UNKNOWN)
        else:
            arena.add(piece.encode(), CONTROL if piece in SPECIAL else NORMAL)
    return Vocabulary(arena, (NORMAL,), affix=AFFIX)


def _details(lowers: bool, cased: bool, guessed: bool, special: list[str]) -> list[Detail]:
    """Returns what was assumed of the tokenizer, since the file does not say it."""
    reason = "as was asked for"
    if guessed:
        reason = f"because {'some' if cased else 'no'} entries have upper-case Latin letters"
    return [
        Detail("assumed", "lowercase", f"{'yes' if lowers else 'no'}, {reason}"),
        Detail("assumed", "strip_accents", "as lowercase"),
        Detail("assumed", "clean_text", "yes"),
        Detail("assumed", "handle_chinese_chars", "yes"),
        Detail("assumed", "continuing_subword_prefix", AFFIX),
        Detail("assumed", "max_input_chars_per_word", str(MAX_INPUT_CHARS)),
        Detail("assumed", "special tokens", " ".join(special)),
    ]
