"""SentencePiece's ``.spm.fb`` files, for its lite runtime: the pieces and settings of a ``.model`` as a FlatBuffer.

They are read into the fields of that ``.model``, whose ids result. The tries and boundaries that the file has besides are
not read. The runtime itself gives other ids than sentencepiece where user-defined pieces overlap: on a Unigram model with
``qqqq``, ``qqqqqqqqqq`` and others, for 268 of 3,282 texts, all of which have them (0.2.3).

Source: ``lite/sentencepiece_lite.fbs`` and ``sentencepiece_model_converters.cc`` of sentencepiece 0.2.3.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_f32_le, read_i32_le
from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Format, TokenizerFile
from tokenarium_core.formats.sentencepiece.flat_tables import FlatTable
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    content_of_pieces,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import VARINT, packed, varint
from tokenarium_core.formats.sentencepiece.sentencepiece_pieces import BPE, UNIGRAM
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

_MODEL: Final = (
    "pieces",
    "scores",
    "int_scores",
    "types",
    "unk_id",
    "unk_surface",
    "model_type",
    "normalizer_spec",
    "pieces_trie_blob",
    "prefix_matcher_trie_blob",
    "char_bigram_trie_blob",
    "has_direct_mappings",
    "is_direct_mapping",
    "bos_id",
    "eos_id",
    "pad_id",
)
_NORMALIZER: Final = (
    "name",
    "precompiled_charsmap",
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "treat_whitespace_as_suffix",
)
_PIECES: Final = 0
_SCORES: Final = 1
_INT_SCORES: Final = 2
_TYPES: Final = 3
_UNK_ID: Final = 4
_UNK_SURFACE: Final = 5
_MODEL_TYPE: Final = 6
_SPEC: Final = 7
_TRIE: Final = 8
_FIRST_SPECIAL: Final = 13  # bos_id, eos_id and pad_id
_SUFFIX: Final = 5

_NORMAL_TYPE: Final = 1
_BYTE_TYPE: Final = 6
_FIRST_BYTE: Final = "<0x00>"
_NEGATIVE: Final = 1 << 64  # a negative number has all 64 bits in the wire format

# Fields of TrainerSpec.
_TRAINER_TYPE: Final = 3
_TRAINER_SUFFIX: Final = 24
_TRAINER_FALLBACK: Final = 35
_TRAINER_UNK_ID: Final = 40
_TRAINER_UNK_SURFACE: Final = 44
_TRAINER_SPECIAL: Final = ((41, 46), (42, 47), (43, 48))  # the id and the piece


def model_of(content: bytes, source: str) -> bytes:
    """Returns the content of the ``.model`` file with the same pieces and settings; ``source`` names the file in errors.

    Raises FormatError, with the byte and the field, for a file that is damaged or cut off.
    """
    start = int.from_bytes(content[:4], "little")
    model = FlatTable(content, start, source, _MODEL)
    kind = model.number(_MODEL_TYPE, 1, UNIGRAM)
    pieces = _pieces(model, kind == BPE)
    trainer = [_number(_TRAINER_TYPE, kind), _number(_TRAINER_UNK_ID, model.number(_UNK_ID, 4, 0))]
    surface = model.content(_UNK_SURFACE)
    if model.has(_UNK_SURFACE):
        trainer.append(packed(_TRAINER_UNK_SURFACE, surface))
    if any(text == _FIRST_BYTE and type == _BYTE_TYPE for text, _, type in pieces):
        trainer.append(_number(_TRAINER_FALLBACK, 1))
    for index, (id_field, piece_field) in enumerate(_TRAINER_SPECIAL):
        id = model.number(_FIRST_SPECIAL + index, 4, -1)
        trainer.append(_number(id_field, id))
        if 0 <= id < len(pieces):
            trainer.append(packed(piece_field, pieces[id][0].encode()))
    stored: dict[str, bytes] = {}
    spec = model.table(_SPEC, _NORMALIZER)
    if spec is not None:
        trainer.append(_number(_TRAINER_SUFFIX, spec.number(_SUFFIX, 1, 0)))
        rules = [packed(1, spec.content(0)), packed(2, spec.content(1))]
        rules += [_number(field + 1, spec.number(field, 1, 1)) for field in (2, 3, 4)]
        stored["normalizer_spec"] = b"".join(rules)
    stored["trainer_spec"] = b"".join(trainer)
    return content_of_pieces(pieces, stored)


def _pieces(model: FlatTable, is_bpe: bool) -> list[tuple[str, float, int]]:
    data = model.data
    start, count = model.vector(_PIECES, 4)
    if count > MAX_IDS:
        raise FormatError(
            f"{model.source} has more than {MAX_IDS:,} pieces, the most that this program holds."
        )
    scores, scored = model.vector(_INT_SCORES if is_bpe else _SCORES, 4)
    types, typed = model.vector(_TYPES, 1)
    if scored != count or typed != count:
        raise FormatError(
            f"{model.source} is damaged: it has {count:,} pieces, {scored:,} scores and {typed:,} types."
        )
    pieces: list[tuple[str, float, int]] = []
    left: i64 = len(data)  # a file may refer to one long string many times
    for id in range(count):
        text = model.string_at(start + 4 * id, "pieces")
        left -= len(text)
        if left < 0:
            raise FormatError(f"{model.source} is damaged: its pieces are longer than the file.")
        at: i64 = scores + 4 * id
        score = float(read_i32_le(data, at)) if is_bpe else read_f32_le(data, at)
        kind: i64 = data[types + id]
        try:
            pieces.append((text.decode(), score, kind or _NORMAL_TYPE))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"Piece {id} of {model.source} is {text!r}, which is not UTF-8."
            ) from error
    return pieces


def _number(field: int, value: int) -> bytes:
    return varint(field << 3 | VARINT) + varint(value if value >= 0 else value + _NEGATIVE)


def is_flat_model(content: bytes) -> bool:
    """Returns whether a file begins as such a model does: its table is at the front, and has pieces, types and a trie."""
    try:
        start = int.from_bytes(content[:4], "little")
        model = FlatTable(content, start, "", _MODEL)
        return model.has(_PIECES) and model.has(_TYPES) and model.has(_TRIE)
    except FormatError:
        return False


def _recognized(head: FileHead) -> int:
    return CERTAIN if head.name.endswith(".fb") and is_flat_model(head.content) else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    name = file.name.removesuffix(".spm")
    return read_sentencepiece(model_of(file.content, file.path.name), file.path.name, name)


FORMAT: Final[Format] = Format(
    "sentencepiece-lite",
    "SentencePiece FlatBuffer",
    "SentencePiece FlatBuffer",
    (".spm.fb",),
    _recognized,
    _opened,
    signs="A FlatBuffer whose first table has pieces, their types and a trie.",
    algorithms="BPE by scores; Unigram",
    compared="sentencepiece 0.2.3, with the .model it was made from",
    own_names=(".spm.fb",),
)
