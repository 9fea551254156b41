"""SentencePiece's ``.model`` files: a protobuf message of pieces, trainer and normalizer settings.

`SentencePieces` reads the pieces, `read_settings` the settings. These are written as `Tokenizer.stored` has them, in
the wire format: "trainer_spec", "normalizer_spec", and other fields of the file.

Source: ``src/sentencepiece_model.proto`` in google/sentencepiece.
"""

from __future__ import annotations

import re
from typing import Final, final

from librt.strings import BytesWriter, read_f32_le, write_f32_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.columns import doubled
from tokenarium_core.decoders.sentencepiece_decoder import SentencePieceDecoder
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.parts import DECODER, TEMPLATE
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import (
    BYTES,
    FIXED32,
    VARINT,
    WireReader,
    packed,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_pieces import (
    BPE,
    CHAR,
    PIECE_FIELDS,
    UNIGRAM,
    WORD,
    SentencePieces,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    SentencePieceSettings,
    details_of,
    read_settings,
    shortened,
)
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import (
    dump_sentencepiece_bpe,
    load_sentencepiece_bpe,
    sentencepiece_bpe,
)
from tokenarium_core.models.lookup_models import UnitModel
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import SENTENCEPIECE
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    PLAIN,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Vocabulary,
    load_vocabulary,
)

_PIECES: Final = 1
_TRAINER: Final = 2
_NORMALIZER: Final = 3
_SELF_TEST: Final = 4
_DENORMALIZER: Final = 5
_FIELDS: Final = {
    _PIECES: "pieces",
    _TRAINER: "trainer_spec",
    _NORMALIZER: "normalizer_spec",
    _SELF_TEST: "self_test_data",
    _DENORMALIZER: "denormalizer_spec",
    0: "unknown_fields",  # all others, each with its tag
}


def read_sentencepiece(
    content: bytes, source: str, name: str, out: CacheWriter | None = None
) -> Tokenizer:
    """Returns the tokenizer of a ``.model`` file's content; ``source`` names it in errors.

    The parsed form is written to ``out`` for `load_sentencepiece`, if the model can be cached.

    Raises FormatError, with the byte and the field or with the number of the piece, for a file that is
    truncated or damaged, or that SentencePiece itself would not load.
    """
    file = _ModelFile(content, source)
    trainer = read_settings(_FIELDS[_TRAINER], file.part(_TRAINER), source)
    rules = read_settings(_FIELDS[_NORMALIZER], file.part(_NORMALIZER), source)
    pieces = SentencePieces(
        content,
        file.starts,
        file.stops,
        source,
        rules.escape_whitespaces,
        trainer.byte_fallback,
        trainer.model_type,
    )
    model = _model(trainer.model_type, pieces, source)
    about = _ModelRest(file.parts, pieces.control, pieces.user_defined, pieces.spelling)
    if out is not None and isinstance(model, CharacterBpe):
        about.dump(out)
        out.number(BPE)
        out.complete = dump_sentencepiece_bpe(model, out)
    elif out is not None and isinstance(model, Unigram):
        about.dump(out)
        out.number(UNIGRAM)
        out.number(model.unknown_id)
        out.number(1 if model.byte_fallback else 0)
        model.dump(out)
        out.complete = True
    return _tokenizer(about, model, source, name)


def raw_pieces(
    content: bytes, source: str
) -> tuple[list[tuple[str, float, int]], SentencePieceSettings, SentencePieceSettings]:
    """Returns the pieces of a model with their scores and types, and its trainer's and normalizer's settings.

    All as in the file, independently of the model. Raises FormatError for a damaged file.
    """
    file = _ModelFile(content, source)
    pieces: list[tuple[str, float, int]] = []
    reader = WireReader(content, 0, 0, source, "a piece", PIECE_FIELDS)
    for number in range(len(file.starts)):
        reader.again(i64(file.starts[number]), i64(file.stops[number]))
        text = b""
        score = 0.0
        kind = 1
        while reader.advance():
            if reader.field == 1:
                reader.expect(BYTES)
                text = content[reader.start : reader.stop]
            elif reader.field == 2:
                reader.expect(FIXED32)
                score = read_f32_le(content, reader.start)
            elif reader.field == 3:
                reader.expect(VARINT)
                kind = reader.value
        try:
            pieces.append((text.decode(), score, kind))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"Piece {number} of {source} is {text!r}, which is not UTF-8."
            ) from error
    trainer = read_settings(_FIELDS[_TRAINER], file.part(_TRAINER), source)
    return pieces, trainer, read_settings(_FIELDS[_NORMALIZER], file.part(_NORMALIZER), source)


def load_sentencepiece(cached: CacheReader, source: str, name: str) -> Tokenizer:
    """Returns the tokenizer that `read_sentencepiece` wrote to its ``out``."""
    about = _load_rest(cached)
    if cached.number() == BPE:
        return _tokenizer(about, load_sentencepiece_bpe(cached), source, name)
    unknown = cached.number()
    byte_fallback = cached.number() == 1
    vocabulary = load_vocabulary(cached)
    model = Unigram(vocabulary, unknown, byte_fallback, SENTENCEPIECE, cached)
    return _tokenizer(about, model, source, name)


@final
class _ModelRest:
    """What a file contains besides the pieces.

    ``parts`` are the other fields by number, ``control`` and ``user_defined`` the pieces of these kinds as spelled
    in the file, ``spelling`` is that of the vocabulary.
    """

    def __init__(
        self,
        parts: dict[int, bytes],
        control: dict[str, int],
        user_defined: list[bytes],
        spelling: i64,
    ) -> None:
        self.parts = parts
        self.control = control
        self.user_defined = user_defined
        self.spelling: i64 = spelling

    def part(self, field: int) -> bytes:
        """Returns the content of a field; empty if it is missing."""
        return self.parts.get(field, b"")

    def dump(self, out: CacheWriter) -> None:
        """Writes all of it."""
        out.number(len(self.parts))
        for field, part in self.parts.items():
            out.number(field)
            out.data(part)
        out.number(len(self.control))
        for surface, token in self.control.items():
            out.text(surface)
            out.number(token)
        out.number(len(self.user_defined))
        for piece in self.user_defined:
            out.data(piece)
        out.number(self.spelling)


def _load_rest(cached: CacheReader) -> _ModelRest:
    """Returns what `_ModelRest.dump` wrote."""
    parts: dict[int, bytes] = {}
    for _ in range(cached.number()):
        field = cached.number()
        parts[field] = cached.data()
    control: dict[str, int] = {}
    for _ in range(cached.number()):
        surface = cached.text()
        control[surface] = cached.number()
    user_defined = [cached.data() for _ in range(cached.number())]
    return _ModelRest(parts, control, user_defined, cached.number())


def _tokenizer(about: _ModelRest, model: Model, source: str, name: str) -> Tokenizer:
    trainer = read_settings(_FIELDS[_TRAINER], about.part(_TRAINER), source)
    rules = read_settings(_FIELDS[_NORMALIZER], about.part(_NORMALIZER), source)
    normalizer = _normalizer(rules, trainer.treat_whitespace_as_suffix, about, source)
    denormalizer: SentencePieceNormalizer | None = None
    details = [
        *details_of("trainer", trainer),
        *details_of("normalizer", rules),
    ]
    if _TRAINER not in about.parts:
        what = "UNIGRAM: the file has no trainer_spec, as if it were cut off after its pieces"
        details.append(Detail("assumed", "model_type", what))
    if _DENORMALIZER in about.parts:
        back = read_settings(_FIELDS[_DENORMALIZER], about.part(_DENORMALIZER), source)
        details += details_of("denormalizer", back)
        if back.precompiled_charsmap:
            denormalizer = _denormalizer(back, source)
    details += _self_test(about.part(_SELF_TEST), source)
    tokenizer = Tokenizer(
        name,
        model,
        WholeText(),
        AddedTokens([AddedToken(text, token) for text, token in about.control.items()]),
        normalizer,
        template=_template(trainer, about.control),
        decoder=SentencePieceDecoder(
            trainer.unk_surface.encode(),
            rules.add_dummy_prefix,
            rules.remove_extra_whitespaces,
            denormalizer,
        ),
        details=details,
    )
    tokenizer.stored = {_FIELDS[field]: part for field, part in about.parts.items()}
    return tokenizer


@final
class _ModelFile:
    """The fields of a whole model: the position of each piece, and all others together.

    A field that occurs several times means the concatenation of its parts, as in protobuf.
    """

    def __init__(self, content: bytes, source: str) -> None:
        starts = vec[i32]([0] * 1024)
        stops = vec[i32]([0] * 1024)
        parts: dict[int, list[bytes]] = {}
        count: i64 = 0
        reader = WireReader(content, 0, len(content), source, "the model", _FIELDS)
        while reader.advance():
            field = reader.field
            if field == _PIECES:
                reader.expect(BYTES)
                if count == len(starts):
                    if count >= MAX_IDS:
                        raise FormatError(
                            f"{source} has more than {MAX_IDS:,} pieces, the most that this program holds."
                        )
                    starts = doubled(starts)
                    stops = doubled(stops)
                starts[count] = i32(reader.start)
                stops[count] = i32(reader.stop)
                count += 1
            elif field <= _DENORMALIZER:
                reader.expect(BYTES)
                parts.setdefault(field, []).append(content[reader.start : reader.stop])
            else:
                parts.setdefault(0, []).append(content[reader.tag : reader.stop])
        if count == 0:
            raise FormatError(f"{source} has no pieces: this is not a model, or it is cut off.")
        self.starts = starts[:count]
        self.stops = stops[:count]
        self.parts = {field: b"".join(found) for field, found in parts.items()}

    def part(self, field: int) -> bytes:
        """Returns the content of a field; empty if it is missing."""
        return self.parts.get(field, b"")


def _model(kind: int, pieces: SentencePieces, source: str) -> Model:
    vocabulary = pieces.vocabulary((NORMAL, USER_DEFINED, UNUSED))
    if kind == UNIGRAM:
        return Unigram(vocabulary, pieces.unknown, pieces.byte_fallback)
    if kind == BPE:
        pieces.check_apart(vocabulary)
        return sentencepiece_bpe(vocabulary)
    if kind == WORD or kind == CHAR:
        return UnitModel(vocabulary, pieces.unknown, kind == WORD, pieces.byte_fallback)
    raise FormatError(f"{source} is a model of a kind that this program does not run: {kind}.")


def _normalizer(
    rules: SentencePieceSettings, suffix: bool, about: _ModelRest, source: str
) -> SentencePieceNormalizer:
    blob: bytes = rules.precompiled_charsmap
    return SentencePieceNormalizer(
        shortened(rules.name, 60) or "SentencePiece",
        Charsmap(blob, source) if blob else None,
        rules.add_dummy_prefix,
        rules.remove_extra_whitespaces,
        rules.escape_whitespaces,
        suffix,
        about.user_defined,
        marks=about.spelling == PLAIN,
    )


def _denormalizer(rules: SentencePieceSettings, source: str) -> SentencePieceNormalizer:
    """Returns the stage that SentencePiece applies to a decoded text; no piece is protected there."""
    return SentencePieceNormalizer(
        shortened(rules.name, 60) or "SentencePiece",
        Charsmap(rules.precompiled_charsmap, source),
        rules.add_dummy_prefix,
        rules.remove_extra_whitespaces,
        rules.escape_whitespaces,
        False,
        [],
        marks=True,
    )


def _template(trainer: SentencePieceSettings, control: dict[str, int]) -> Template | None:
    """Returns the control piece ``<s>`` before a text, as in Llama; None if there is none."""
    first: str = trainer.bos_piece or "<s>"
    return Template(f"add_bos: {first}", [control[first]], []) if first in control else None


def _self_test(part: bytes, source: str) -> list[Detail]:
    """Returns the samples that older versions of SentencePiece kept in the file to test themselves."""
    details: list[Detail] = []
    names = {1: "samples"}
    reader = WireReader(part, 0, len(part), source, "the self-test data", names)
    while reader.advance():
        if reader.field == 1 and reader.wire == BYTES:
            texts = {1: "", 2: ""}
            inner = WireReader(
                part, reader.start, reader.stop, source, "a sample", {1: "input", 2: "expected"}
            )
            while inner.advance():
                if inner.field <= 2 and inner.wire == BYTES:
                    texts[inner.field] = part[inner.start : inner.stop].decode("utf-8", "replace")
            details.append(
                Detail("self-test", shortened(texts[1], 2000), shortened(texts[2], 2000))
            )
    return details


# Writing.

_TYPES: Final = {NORMAL: 1, UNKNOWN: 2, CONTROL: 3, USER_DEFINED: 4, UNUSED: 5, BYTE: 6}


def _obstacle(tokenizer: Tokenizer) -> str:
    if _FIELDS[_TRAINER] not in tokenizer.stored:
        return (
            "The file holds what SentencePiece's stages do: merges or paths over characters, its own normalizer, no"
            " pattern that splits a text. This tokenizer has different stages."
        )
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    return {f"{stem}.model": model_content(tokenizer.vocabulary, tokenizer.stored)}


def model_content(vocabulary: Vocabulary, stored: dict[str, bytes]) -> bytes:
    """Returns the file of a model, from its pieces and its settings in the wire format."""
    pieces: list[tuple[str, float, int]] = []
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        # An unused piece with no bytes is the NUL that some converters write, see `SentencePieces`.
        text = vocabulary.surface(token) or "\0"
        pieces.append((text, vocabulary.scores[token], _TYPES[kind]))
    return content_of_pieces(pieces, stored)


def content_of_pieces(pieces: list[tuple[str, float, int]], stored: dict[str, bytes]) -> bytes:
    """Returns the file of a model, from pieces as `raw_pieces` returns them and settings in the wire format."""
    parts = [packed_piece(text, score, kind) for text, score, kind in pieces]
    for number, name in _FIELDS.items():
        if number != _PIECES and name in stored:  # unchanged, even where they hold unknown fields
            parts.append(packed(number, stored[name]) if number else stored[name])
    return b"".join(parts)


def packed_piece(text: str, score: float, kind: int) -> bytes:
    """Returns a piece of a model as its field in the wire format; ``kind`` is its type there, 1 for a normal one."""
    out = BytesWriter()
    out.write(packed(1, text.encode()))
    out.append(2 << 3 | FIXED32)
    write_f32_le(out, score)
    if kind != _TYPES[NORMAL]:
        out.append(3 << 3 | VARINT)
        out.append(kind)
    return packed(_PIECES, out.getvalue())


_FIRST_PIECE: Final = re.compile(rb"\x0a[\x01-\xff][\x01-\x7f]?[\x0a\x15\x18]", re.DOTALL)
_SPECS: Final = re.compile(
    rb"[\x12\x1a\x22\x2a][\x00-\xff][\x00-\x08\x0b\x0e-\x1f\x80-\xff]", re.DOTALL
)
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f]")
"""What no text has, and each piece of a model."""
_FIXED: Final = 0x15
_NUMBER: Final = 0x18


def _recognized(head: FileHead) -> int:
    content = head.content
    if _FIRST_PIECE.match(content) is not None:
        if _is_piece(content):
            return CERTAIN
        # A list of characters, one a line, may begin with an empty line too.
        named = head.name.endswith((".model", ".spm"))
        return LIKELY if named or _CONTROL.search(content) is not None else NO
    if head.name.endswith(".model") and _SPECS.match(content) is not None:
        return LIKELY
    return NO


def _is_piece(content: bytes) -> bool:
    """Returns whether a message in it begins with a string that fits into it, followed by a score or a type: no text does."""
    at = 1
    size = content[at] & 127
    if content[at] & 128:
        at += 1
        size |= content[at] << 7
    at += 1
    if len(content) < at + 2 or content[at] != content[0]:
        return False
    behind = at + 2 + content[at + 1]  # a piece of more than 127 bytes is not the first
    return behind < min(at + size, len(content)) and content[behind] in (_FIXED, _NUMBER)


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_sentencepiece(file.content, file.path.name, file.name, file.out)


def _loaded(cached: CacheReader, file: TokenizerFile) -> Tokenizer:
    return load_sentencepiece(cached, file.path.name, file.name)


FORMAT: Final[Format] = Format(
    "sentencepiece",
    "SentencePiece model",
    "SentencePiece",
    (".model", ".spm", ".v1", ".v2", ".v3"),
    _recognized,
    _opened,
    signs="The first field of the message is a piece with a score or a type.",
    algorithms="BPE, Unigram, words, characters",
    compared="sentencepiece 0.2",
    writes="Models of SentencePiece, and BPE and Unigram with the same stages.",
    own_names=(".model", ".spm"),
    folder_names=("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "source.spm"),
    patterns=("*.model.v*",),
    load=_loaded,
    obstacle=_obstacle,
    write=_written,
    reference="sentencepiece",
    holds=frozenset((TEMPLATE, DECODER)),
)
