"""The ``tokenizer.bin`` of llama2.c: scores and texts by id, after the length of the longest text.

All numbers have 4 bytes, the lowest first: the length; then for each entry its score (a float), the length of its text,
and the text. The entries 0 to 2 are ``<unk>`` and the begin and the end of a text, 3 to 258 are the bytes (``<0x00>`` …),
the others come from SentencePiece's BPE, with a space instead of ``▁``.

A text gets a space in front. A character without an entry becomes its bytes; then the two neighbours that make the entry
of the highest score are joined, again and again. Sources: ``export`` in karpathy/llama2.c's ``tokenizer.py``, ``encode``
and ``decode`` in its ``run.c``. Of the earlier layouts, the first had no scores, and the second spelled bytes as
characters; their program could not encode all texts, so they are refused.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Final, final

from librt.vecs import vec

from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Files, Format, named_after_file
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import CharacterCut
from tokenarium_core.models.bpe.hf_bpe import HfSymbols
from tokenarium_core.models.bpe.piece_merges import PieceSymbols, merges_of_pieces
from tokenarium_core.normalizers.normalizer import Prepend
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNKNOWN,
    PieceArena,
    Vocabulary,
)

_FIRST_BYTE: Final = 3
_BOS: Final = 1
_EOS: Final = 2
_ENDS: Final = {"<s>": _BOS, "</s>": _EOS}
_LOWEST: Final = -1e10  # merges of this score and below are never made
_OLDEST: Final = b"\x05\0\0\0<unk>\x05\0\0\0\n<s>\n"
_LIKE_BYTE: Final = re.compile(rb"<0x[0-9a-fA-F]")
_AGAIN: Final = (
    "Export it again with the tokenizer.py of llama2.c, from the tokenizer.model that it came from."
)


@final
class Llama2cDecoder(Decoder):
    """Joins the pieces; the space at the beginning of a text, or after the token that begins one, is left out."""

    def __init__(self, left_out: frozenset[int]) -> None:
        super().__init__("llama2.c", left_out)

    def choosing(self, special: frozenset[int], skips: bool) -> Decoder:
        """Returns this decoder with special tokens left out, or written; see `Decoder.choosing`."""
        return Llama2cDecoder(special if skips else frozenset())

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the bytes of a text; see `Decoder.decode`."""
        if not ids:
            return b""
        parts: list[bytes] = []
        first = 0
        for index in range(len(ids)):
            if ids[index] == _BOS:
                parts.append(self._part(vocabulary, ids[first:index]))
                parts.append(super().decode(vocabulary, [_BOS]))
                first = index + 1
        parts.append(self._part(vocabulary, ids[first:]))
        return b"".join(parts)

    def _part(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        text = super().decode(vocabulary, ids)
        if ids and text and vocabulary.piece(ids[0]).startswith(b" "):
            return text[1:]
        return text


def read_llama2c(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a ``tokenizer.bin``; ``source`` names it in errors.

    Raises FormatError, with the entry, for a file that is cut off, a text that is not UTF-8 or was there before, a score
    that is not a number, bytes that are not the entries 3 to 258, and texts that llama2.c would mistake for bytes.
    """
    if content.startswith(_OLDEST):
        raise FormatError(
            f"{source} is of the first version of llama2.c, without scores, so that no text can be encoded. {_AGAIN}"
        )
    texts, scores = _entries(content, source)
    ids = {text: token for token, text in enumerate(texts)}
    _check_entries(texts, ids, source)
    arena = PieceArena(len(texts))
    for token, text in enumerate(texts):
        if _FIRST_BYTE <= token < _FIRST_BYTE + 256:
            arena.add(bytes([token - _FIRST_BYTE]), BYTE)
        else:
            kind = UNKNOWN if token == 0 else CONTROL if token < _FIRST_BYTE else NORMAL
            arena.add(text, kind)
    arena.scores = vec[float](scores)
    vocabulary = Vocabulary(arena, (NORMAL,))
    for byte in range(256):
        vocabulary.spelled[_FIRST_BYTE + byte] = f"<0x{byte:02X}>"
    for name, token in _ENDS.items():
        vocabulary.spelled[token] = name
    symbols = PieceSymbols(vocabulary)
    if len(symbols.codes) > 1:
        raise FormatError(
            f"{source} has entries with the character {chr(symbols.codes[1])!r}, which is not an entry, so that"
            " llama2.c never makes them."
        )
    merges = merges_of_pieces(symbols)
    characters = HfSymbols(vocabulary, -1, False, "", "", True, False)
    cut: CharacterCut | None = None
    if characters.may_cut(merges.table) and not merges.ambiguous:
        cut = CharacterCut(vocabulary, merges.table, [0], PrefixMatcher([], []))
    tokenizer = Tokenizer(
        source,
        CharacterBpe(vocabulary, merges, characters, cut),
        WholeText(),
        of_special(_ENDS),
        normalizer=Prepend(" "),
        decoder=Llama2cDecoder(frozenset([_BOS])),
    )
    tokenizer.details = [
        Detail("llama2.c", "max_token_length", str(int.from_bytes(content[:4], "little"))),
        Detail("llama2.c", "bos_token", "<s>"),
        Detail("llama2.c", "eos_token", "</s>"),
    ]
    return tokenizer


def _entries(content: bytes, source: str) -> tuple[list[bytes], list[float]]:
    texts: list[bytes] = []
    scores: list[float] = []
    at = 4
    longest = int.from_bytes(content[:4], "little")
    while at < len(content):
        token = len(texts)
        if at + 8 > len(content):
            raise FormatError(f"{source} ends too early, in the entry {token}.")
        score, size = struct.unpack_from("<fI", content, at)
        at += 8
        if size > longest:
            raise FormatError(
                f"{source}: the entry {token} has {size:,} bytes, and the longest has {longest:,}."
            )
        if at + size > len(content):
            raise FormatError(f"{source} ends too early, in the entry {token}.")
        if not math.isfinite(score) or score <= _LOWEST:
            raise FormatError(f"{source}: the entry {token} has the score {score}.")
        if token >= MAX_IDS:
            raise FormatError(f"{source} has more entries than the {MAX_IDS:,} that fit.")
        texts.append(content[at : at + size])
        scores.append(score)
        at += size
    return texts, scores


def _check_entries(texts: list[bytes], ids: dict[bytes, int], source: str) -> None:
    """Raises FormatError unless llama2.c finds each entry by its text, and mistakes none for a byte."""
    for byte in range(256):
        token = _FIRST_BYTE + byte
        if token >= len(texts) or texts[token] != b"<0x%02X>" % byte:
            raise FormatError(
                f"{source}: the entry {token} is not <0x{byte:02X}>, the byte that llama2.c takes there. {_AGAIN}"
            )
    if b" " not in ids:
        raise FormatError(
            f"{source} has no entry of one space, which llama2.c puts before each text."
        )
    for token, text in enumerate(texts):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise FormatError(f"{source}: the entry {token} is not UTF-8.") from error
        if not text or b"\0" in text:
            raise FormatError(f"{source}: the entry {token} is empty, or has a zero byte in it.")
        if ids[text] != token:
            raise FormatError(
                f"{source}: the entries {token} and {ids[text]} are the same text, {text[:40].decode('utf-8', 'replace')!r}."
            )
        is_byte = _FIRST_BYTE <= token < _FIRST_BYTE + 256
        odd = _LIKE_BYTE.search(text) is not None
        if is_byte or token < _FIRST_BYTE:
            splits = range(1, len(text))
            odd = any(text[:size] in ids and text[size:] in ids for size in splits)
        if odd:
            raise FormatError(
                f"{source}: the entry {token}, {text.decode()!r}, is made of characters that may be those of a byte or of a"
                " special token, which is not read."
            )


def _obstacle(tokenizer: Tokenizer) -> str:
    if not isinstance(tokenizer.model, CharacterBpe) or not isinstance(
        tokenizer.decoder, Llama2cDecoder
    ):
        return (
            "The file holds what llama2.c runs, and this tokenizer does not come from such a file."
        )
    if tokenizer.special_tokens != _ENDS:
        return "llama2.c has the special tokens 1 and 2 only."
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    vocabulary = tokenizer.vocabulary
    texts = [
        b"<0x%02X>" % piece[0] if vocabulary.kind(token) == "byte" else piece
        for token in range(len(vocabulary))
        for piece in [vocabulary.piece(token)]
    ]
    parts = [struct.pack("<I", max(map(len, texts)))]
    for token, text in enumerate(texts):
        parts += [struct.pack("<fI", vocabulary.scores[token], len(text)), text]
    return {f"{stem}.bin": b"".join(parts)}


def _recognized(head: FileHead) -> int:
    content = head.content
    if content.startswith(_OLDEST):
        return CERTAIN
    longest = int.from_bytes(content[:4], "little")
    if not 6 <= longest < 1 << 20 or content[12:17] != b"<unk>":
        return NO
    at = 4
    for _ in range(_FIRST_BYTE):
        if at + 8 > len(content):
            return NO
        at += 8 + int.from_bytes(content[at + 4 : at + 8], "little")
    # In the second layout the first byte is a zero, of one byte.
    return (
        CERTAIN
        if content[at + 8 : at + 14] == b"<0x00>" or content[at + 8 : at + 9] == b"\0"
        else NO
    )


FORMAT: Final[Format] = Format(
    "llama2.c",
    "llama2.c's tokenizer.bin",
    "llama2.c",
    (".bin",),
    _recognized,
    named_after_file(read_llama2c),
    signs="A length, then entries with a score and a length: `<unk>`, two more, and the bytes from `<0x00>` on.",
    algorithms="BPE by scores",
    compared="the code of karpathy/llama2.c, written again in the test",
    writes="What was read from such a file.",
    folder_names=("tokenizer.bin",),
    obstacle=_obstacle,
    write=_written,
)
