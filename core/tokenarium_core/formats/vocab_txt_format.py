"""BERT's ``vocab.txt``: one WordPiece piece per line, whose id is the number of the line, counted from 0.

The file contains nothing else. The rest of BERT's settings is assumed, and `Tokenizer.details` says so; whether a
text is lowercased is inferred from the pieces. Source: ``tokenization.py`` of Google's BERT, and
``BertWordPieceTokenizer`` of Hugging Face tokenizers, which removes whitespace from the ends of lines.
"""

from __future__ import annotations

import re
from typing import Final

from mypy_extensions import i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.token_decoders import StepsDecoder, WordPieceStep
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import (
    CERTAIN,
    HEAD_BYTES,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.parts import (
    DECODER,
    TEMPLATE,
    lost_sentence,
    same_decoder,
    same_template,
)
from tokenarium_core.models.wordpiece import MAX_INPUT_CHARS, WordPiece
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader
from tokenarium_core.unicode.bert_data import PRE_BLANKS
from tokenarium_core.unicode.codepoints import spans_in
from tokenarium_core.vocabulary import (
    CONTINUING,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    PieceArena,
    Vocabulary,
    load_vocabulary,
)

AFFIX: Final = "##"
UNKNOWN_PIECE: Final = "[UNK]"
FIRST_PIECE: Final = "[CLS]"
LAST_PIECE: Final = "[SEP]"
_UNKNOWN_LINE: Final = re.compile(rb"(?:^|\n)\[UNK\]\r?(?:\n|\Z)")
SPECIAL: Final = ["[PAD]", UNKNOWN_PIECE, FIRST_PIECE, LAST_PIECE, "[MASK]"]
_OTHERS: Final = frozenset([piece.encode() for piece in SPECIAL if piece != UNKNOWN_PIECE])
_BLANKS: Final = "".join(
    [chr(point) for first, last in spans_in(PRE_BLANKS) for point in range(first, last + 1)]
)
_UPPER_CASE: Final = re.compile(
    r"^(?!\[.*\]$).*[A-Z]", re.MULTILINE
)  # except for such as [unused1]


def read_vocab_txt(content: bytes, name: str, lowercase: bool | None = None) -> Tokenizer:
    """Returns the tokenizer of a ``vocab.txt``; ``lowercase`` overrides what is inferred from its pieces.

    Raises FormatError, with the line, for a file that is not UTF-8, has no pieces or no ``[UNK]``, or has a
    duplicate piece. An empty line, or one of white space, is an entry that no text produces,
    and that decodes to nothing.
    """
    return _described(*_read(content, name, lowercase))


def _read(content: bytes, name: str, lowercase: bool | None = None) -> tuple[Tokenizer, bool, str]:
    """Returns the tokenizer, whether it makes letters lowercase, and why."""
    pieces = read_pieces(content, name)
    ids: dict[str, int] = {}
    for token, piece in enumerate(pieces):
        if piece and piece in ids:
            raise FormatError(
                f"Line {token + 1} of {name} has the entry {piece!r}, which line {ids[piece] + 1} already has: each"
                " entry may occur only once."
            )
        ids[piece] = token
    if UNKNOWN_PIECE not in ids:
        raise FormatError(
            f"{name} has no line {UNKNOWN_PIECE}, the token for words that its entries do not make, which a vocab.txt of"
            " BERT has. It may be the list of another kind of tokenizer: open the tokenizer's folder instead."
        )
    cased = _UPPER_CASE.search("\n".join(pieces)) is not None
    lowers = not cased if lowercase is None else lowercase
    special = {piece: ids[piece] for piece in SPECIAL if piece in ids}
    tokenizer = bert_tokenizer(name, pieces, special, lowers)
    reason = "as requested"
    if lowercase is None:
        reason = f"because {'some' if cased else 'no'} entries have upper-case Latin letters"
    return tokenizer, lowers, reason


def _described(tokenizer: Tokenizer, lowers: bool, reason: str) -> Tokenizer:
    tokenizer.details = bert_details("assumed", lowers, reason, list(tokenizer.special_tokens))
    return tokenizer


def _opened(file: TokenizerFile) -> Tokenizer:
    tokenizer, lowers, reason = _read(file.content, file.path.name)
    out = file.out
    model = tokenizer.model
    if out is not None and isinstance(model, WordPiece):
        out.number(1 if lowers else 0)
        out.text(reason)
        out.number(model.unknown)
        special = tokenizer.special_tokens
        out.number(len(special))
        for piece, token in special.items():
            out.text(piece)
            out.number(token)
        model.dump(out)
        out.complete = True
    tokenizer.name = file.name
    return _described(tokenizer, lowers, reason)


def _loaded(cached: CacheReader, file: TokenizerFile) -> Tokenizer:
    lowers = cached.number() == 1
    reason = cached.text()
    unknown = cached.number()
    special: dict[str, int] = {}
    for _ in range(cached.number()):
        piece = cached.text()
        special[piece] = cached.number()
    model = WordPiece(load_vocabulary(cached), unknown, cached=cached)
    return _described(_of_model(file.name, model, special, lowers), lowers, reason)


def bert_tokenizer(
    name: str,
    pieces: list[str],
    special: dict[str, int],
    lowercase: bool,
    unknown: str = UNKNOWN_PIECE,
    first: str = FIRST_PIECE,
    last: str = LAST_PIECE,
) -> Tokenizer:
    """Returns a tokenizer with BERT's stages and these pieces, by their ids.

    ``special`` has the ids of the special tokens. ``unknown`` is the piece for words that the others cannot form;
    ``first`` and ``last`` are added around a text if both are special tokens.
    """
    model = WordPiece(vocabulary_of(pieces, list(special), unknown), pieces.index(unknown))
    return _of_model(name, model, special, lowercase, first, last)


def _of_model(
    name: str,
    model: WordPiece,
    special: dict[str, int],
    lowercase: bool,
    first: str = FIRST_PIECE,
    last: str = LAST_PIECE,
) -> Tokenizer:
    template = None
    if first in special and last in special:
        template = Template(f"{first} … {last}", [special[first]], [special[last]])
    return Tokenizer(
        name,
        model,
        BertPreTokenizer(),
        of_special(special),
        normalizer=BertNormalizer(lowercase=lowercase),
        template=template,
        decoder=StepsDecoder([WordPieceStep()], frozenset(special.values())),
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
    lines = text.split("\n")
    if lines[-1] in ("", "\r"):
        lines.pop()  # the end of the last line
    pieces = [line.rstrip(_BLANKS) for line in lines]  # as tokenizers reads them
    if not any(pieces):
        raise FormatError(f"{name} is empty: a vocab.txt has a line for each entry.")
    return pieces


def vocabulary_of(
    pieces: list[str], special: list[str] = SPECIAL, unknown: str = UNKNOWN_PIECE
) -> Vocabulary:
    """Returns pieces with the affix ``##`` as a vocabulary."""
    controls = frozenset(special)
    arena = PieceArena(len(pieces))
    empty = -1  # the last line counts of several that are the same
    for token, piece in enumerate(pieces):
        if not piece:
            empty = token
    for token, piece in enumerate(pieces):
        if not piece:
            arena.add(b"", NORMAL if token == empty else UNUSED)
        elif piece.startswith(AFFIX) and piece != AFFIX:
            arena.add(piece[len(AFFIX) :].encode(), CONTINUING)
        elif piece == unknown:
            arena.add(piece.encode(), UNKNOWN)
        else:
            arena.add(piece.encode(), CONTROL if piece in controls else NORMAL)
    return Vocabulary(arena, (NORMAL,), affix=AFFIX)


def bert_details(section: str, lowers: bool, reason: str, special: list[str]) -> list[Detail]:
    """Returns the settings of BERT's stages, which a ``vocab.txt`` does not contain.

    ``reason`` is that of ``lowers``.
    """
    return [
        Detail(section, "lowercase", f"{'yes' if lowers else 'no'}, {reason}"),
        Detail(section, "strip_accents", "as lowercase"),
        Detail(section, "clean_text", "yes"),
        Detail(section, "handle_chinese_chars", "yes"),
        Detail(section, "continuing_subword_prefix", AFFIX),
        Detail(section, "max_input_chars_per_word", str(MAX_INPUT_CHARS)),
        Detail(section, "special tokens", " ".join(special)),
    ]


def _obstacle(tokenizer: Tokenizer) -> str:
    model = tokenizer.model
    if not isinstance(model, WordPiece):
        return "The file holds the entries of WordPiece, and this is a model of another kind."
    normalizer = tokenizer.normalizer
    if (
        not isinstance(normalizer, BertNormalizer)
        or not isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
        or tokenizer.splitter is not None
    ):
        return "Programs that read the file prepare a text as BERT does, and this tokenizer prepares it differently."
    if (
        not normalizer.clean_text
        or not normalizer.handle_chinese_chars
        or normalizer.strip_accents not in (None, normalizer.lowercase)
    ):
        return "Programs that read the file normalize a text with BERT's settings, and this tokenizer has different ones."
    if model.max_input_chars != MAX_INPUT_CHARS or model.vocabulary.affix != AFFIX:
        return f"Programs that read the file accept words of up to {MAX_INPUT_CHARS} characters and the prefix {AFFIX}."
    for token in range(len(model.vocabulary)):
        kind: i64 = i64(model.vocabulary.kinds[token])
        if kind == UNUSED:
            return f"Each line is an id, and the id {token} has no entry."
    try:
        again = read_vocab_txt(_content(tokenizer), "vocab.txt")
    except FormatError as error:
        return f"Its entries do not make a vocab.txt: {error}"
    guessed = again.normalizer
    if isinstance(guessed, BertNormalizer) and guessed.lowercase != normalizer.lowercase:
        return "Whether a text is lower-cased follows from the entries, and for these the answer would be wrong."
    if again.special_tokens != tokenizer.special_tokens:
        return "Special tokens are known by BERT's names, and this tokenizer has different ones."
    same_model = again.model
    if isinstance(same_model, WordPiece) and same_model.unknown != model.unknown:
        return f"The token for unknown words is {UNKNOWN_PIECE}, and this tokenizer has a different one."
    for added in tokenizer.added_tokens.tokens:
        if added.flags != ["special"]:
            return f"The format has special tokens without options, and {added.content!r} has some."
    for part, same in (
        (TEMPLATE, same_template(again.template, tokenizer.template)),
        (DECODER, same_decoder(again.decoder, tokenizer.decoder)),
    ):
        if not same:
            return lost_sentence(part)
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    return {f"{stem}.txt": _content(tokenizer)}


def _content(tokenizer: Tokenizer) -> bytes:
    vocabulary = tokenizer.vocabulary
    return "".join([f"{vocabulary.surface(token)}\n" for token in range(len(vocabulary))]).encode()


def _recognized(head: FileHead) -> int:
    """A line ``[UNK]`` makes a vocabulary likely; so do a usual name and continuations, whose reader then names what is missing.

    A text has whitespace within its lines, and no other of BERT's pieces.
    """
    named = UNKNOWN_PIECE.encode() in head.content
    unknown = named and _UNKNOWN_LINE.search(head.content) is not None
    if head.is_object or not (unknown or (head.name == "vocab.txt" and b"\n##" in head.content)):
        return NO
    lines = head.content[:HEAD_BYTES].split(b"\n")[:-1]
    if not unknown:
        return NO if any(b" " in line or b"\t" in line for line in lines) else LIKELY
    if any(b" " in line or b"\t" in line or not line.strip() for line in lines):
        return LIKELY
    others = [line for line in lines if line.strip() in _OTHERS or line.startswith(b"##")]
    return CERTAIN if others else LIKELY


FORMAT: Final[Format] = Format(
    "vocab.txt",
    "BERT's vocab.txt",
    "vocab.txt",
    (".txt",),
    _recognized,
    _opened,
    signs="One of the lines is `[UNK]`, no line has white space, and others are entries of BERT.",
    algorithms="WordPiece",
    compared="tokenizers 0.23",
    writes="WordPiece with the stages and the special tokens of BERT.",
    folder_names=("vocab.txt",),
    load=_loaded,
    obstacle=_obstacle,
    write=_written,
    reference="tokenizers",
    holds=frozenset((TEMPLATE, DECODER)),
)
