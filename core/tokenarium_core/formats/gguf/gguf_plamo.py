"""PLaMo-2's tokenizer of a GGUF file: the entries of the lowest sum of costs, or bytes.

All entries but bytes are matched, whatever their type. A byte order mark at the beginning of a text, or behind a
special token in it, is left out. Nothing is added around a text, whatever the fields say.

Source: ``llm_tokenizer_plamo2`` and ``tokenize`` in ``src/llama-vocab.cpp`` of ggml-org/llama.cpp.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_entries import (
    BYTE_TYPE,
    CONTROL_TYPE,
    UNKNOWN_TYPE,
    USER_DEFINED_TYPE,
    Entries,
)
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_steps_reader import normalizer_of
from tokenarium_core.models.lowest_cost import NEVER, LowestCost
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

_SCALE: Final = 1e4
_HIGHEST: Final = 20_000_000
_BYTES_COST: Final = 10_000_000
_LARGEST: Final = 1 << 31
_SHOWN: Final = 40
_LONGEST: Final = 4096
"""The most bytes of an entry: each is compared at each place of a text."""

_KINDS: Final = {
    CONTROL_TYPE: CONTROL,
    UNKNOWN_TYPE: UNKNOWN,
    USER_DEFINED_TYPE: USER_DEFINED,
}
_MARK: Final = {"type": "Replace", "pattern": {"Regex": r"\A\x{FEFF}"}, "content": ""}


def plamo_of(entries: Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of entries of the kind ``plamo2``.

    FormatError if one of the 256 bytes has no entry, or the id 0, which llama.cpp refuses too; for an entry of more than
    4,096 bytes, and for one that costs as much as bytes.
    """
    source = entries.source
    count = len(entries.texts)
    arena = PieceArena(count)
    costs = vec[i64]([NEVER] * count)
    bytes_at: dict[int, int] = {}
    for id, text in enumerate(entries.texts):
        piece = text.encode()
        if entries.types[id] == BYTE_TYPE:
            byte = _byte_of(text)
            if byte >= 0:
                bytes_at[byte] = id
                arena.add(bytes([byte]), BYTE)
            else:
                arena.add(piece, CONTROL)  # which no text becomes
            continue
        if len(piece) > _LONGEST:
            raise FormatError(
                f"{source}: entry {id} has {len(piece):,} bytes: at most {_LONGEST:,} are read."
            )
        costs[id] = _cost_of(entries.scores[id])
        if costs[id] == _BYTES_COST:
            raise FormatError(
                f"{source}: entry {id}, {text[:_SHOWN]!r}, has the score -1000, which llama.cpp takes for the end of a list of"
                " entries, so that others are not found."
            )
        arena.add(piece, _KINDS.get(entries.types[id], NORMAL))
    missing = [byte for byte in range(256) if bytes_at.get(byte, 0) == 0]
    if missing:
        raise FormatError(
            f"{source}: the byte 0x{missing[0]:02X} has no entry <0x{missing[0]:02X}> of the type of bytes, or it has the id 0."
        )
    vocabulary = Vocabulary(arena, (NORMAL,))
    for byte, id in bytes_at.items():
        vocabulary.spelled[id] = f"<0x{byte:02X}>"
    return Tokenizer(
        name,
        LowestCost(vocabulary, costs, _BYTES_COST),
        WholeText(),
        AddedTokens(entries.added(), longest_first=True),
        normalizer_of([Fields(source, "normalizer", _MARK)], -1),
        decoder=Decoder("bytes", frozenset(entries.special_ids())),
    )


def _byte_of(text: str) -> int:
    """Returns the byte that an entry like ``<0x0A>`` stands for, -1 for any other."""
    digits = text[3:5]
    is_byte = len(text) == 6 and text.startswith("<0x") and text.endswith(">")
    return int(digits, 16) if is_byte and set(digits) <= set("0123456789abcdefABCDEF") else -1


def _cost_of(score: float) -> int:
    """Returns the cost of a score, in ten thousandths and rounded as C's ``round`` does; `NEVER` if it is too low."""
    scaled = abs(score * _SCALE)
    if not scaled < _LARGEST:
        return NEVER
    whole = int(scaled)
    if scaled - whole >= 0.5:
        whole += 1
    cost = whole if score < 0 else -whole
    return cost if cost < _HIGHEST else NEVER
