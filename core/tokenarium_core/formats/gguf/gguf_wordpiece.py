"""WordPiece as llama.cpp runs it, with its own classification of characters: ``bert`` in the field
``tokenizer.ggml.model``.

Each character is individually removed, replaced by a space, or changed. If accents are removed, only the first
character of a decomposition remains, of a Hangul syllable its first letter, and marks of all kinds are removed.
Private characters are removed, and so are control characters; those newer than its Unicode remain, without a lowercase
form.

A word begins with ``▁``, as its entries do. Every entry may continue a word, including one with ``▁`` if the text
contains that. If there is an entry ``▁``, it begins the words that no other entry begins.

Source: ``llm_tokenizer_wpm_session`` in ``src/llama-vocab.cpp`` and ``src/unicode.cpp`` in ggml-org/llama.cpp.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final, final

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.decoders.token_decoders import StepsDecoder, WordPieceStep
from tokenarium_core.formats.gguf.gguf_entries import (
    CONTROL_TYPE,
    FIELDS,
    MARK,
    UNKNOWN_TYPE,
    USER_DEFINED_TYPE,
    Entries,
)
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.character_normalizers import lower_cases
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers import bert_pretokenizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.bert_characters import (
    BLANK,
    DROP,
    IDEOGRAPH,
    KEEP,
    BertCharacterTable,
    table_of,
)
from tokenarium_core.unicode.codepoints import (
    CATEGORIES,
    CATEGORY_TABLE,
    CODE_POINTS,
    FLAGS,
    SPACE,
    fill,
    spans_in,
)
from tokenarium_core.unicode.llama_codepoints_data import DECOMPOSED, IDEOGRAPHS, NEWER
from tokenarium_core.vocabulary import (
    CONTINUING,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

_LONGEST_WORD: Final = 1 << 30  # characters: llama.cpp has no limit
_ASCII: Final = 0x80


def wordpiece_of(entries: Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of a WordPiece model."""
    metadata = entries.metadata
    lowercase = metadata.flag(FIELDS + "normalizer.lowercase", True)
    strips = metadata.flag(FIELDS + "normalizer.strip_accents", lowercase)
    arena = PieceArena(len(entries.texts))
    special = entries.special_ids()
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        if id == entries.unknown or type == UNKNOWN_TYPE:
            arena.add(text.encode(), UNKNOWN)
        elif type == CONTROL_TYPE:
            arena.add(text.encode(), CONTROL)
        elif type == USER_DEFINED_TYPE:
            arena.add(text.encode(), USER_DEFINED)
        elif text.startswith(MARK) and len(text) > 1:
            arena.add(text[1:].encode(), NORMAL)
        else:
            arena.add(text.encode(), CONTINUING)
    vocabulary = Vocabulary(arena, (NORMAL,), affix="##")
    return Tokenizer(
        name,
        WordPiece(vocabulary, entries.unknown, _LONGEST_WORD, mark=MARK.encode()),
        BertPreTokenizer(word_classes()),
        AddedTokens(entries.added(), longest_first=True),
        LlamaBertNormalizer(strips, lowercase),
        template=entries.template(),
        decoder=StepsDecoder([WordPieceStep()], frozenset(special)),
    )


@final
class LlamaBertNormalizer(Normalizer):
    """What llama.cpp does to characters before WordPiece, by two options.

    It is not a `BertNormalizer`, which in files stands for the behaviour of Hugging Face's library.
    """

    def __init__(self, strip_accents: bool, lowercase: bool) -> None:
        super().__init__("BERT in llama.cpp")
        self._inner = BertNormalizer(
            strip_accents=False, lowercase=False, table=_table(strip_accents, lowercase)
        )

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text; see `Normalizer.normalize`."""
        return self._inner.normalize(text)

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        return self._inner.normalize_plain(data)


@cache
def word_classes() -> bytes:
    """Returns how `BertPreTokenizer` classifies each code point: ASCII symbols are punctuation."""
    kinds = [
        bert_pretokenizer.PUNCTUATION if category[0] == "P" else bert_pretokenizer.WORD
        for category in CATEGORIES
    ]
    classes = bytearray(CATEGORY_TABLE.translate(bytes(kinds).ljust(256, b"\0")))
    fill(classes, NEWER, bert_pretokenizer.WORD)
    for point in range(_ASCII):
        if CATEGORIES[CATEGORY_TABLE[point]][0] == "S":
            classes[point] = bert_pretokenizer.PUNCTUATION
    classes[0x20] = bert_pretokenizer.BLANK  # all others are made this one
    return bytes(classes)


@cache
def _table(strips: bool, lowercase: bool) -> BertCharacterTable:
    """Returns the replacement of each character. ``strips``: accents are removed."""
    kinds = [
        DROP if category in ("Cc", "Cf", "Co") or (strips and category[0] == "M") else KEEP
        for category in CATEGORIES
    ]
    classes = bytearray(CATEGORY_TABLE.translate(bytes(kinds).ljust(256, b"\0")))
    fill(classes, NEWER, KEEP)
    fill(classes, IDEOGRAPHS, IDEOGRAPH)
    classes[0xFFFD] = DROP
    for point in range(CODE_POINTS):
        if FLAGS[point] & SPACE:
            classes[point] = BLANK
    categories = bytearray(CATEGORY_TABLE)
    not_assigned = CATEGORIES.index("Cn")
    fill(categories, NEWER, not_assigned)
    lower: dict[int, str] = {}
    if lowercase:
        for point, small in lower_cases().items():
            if categories[point] != not_assigned:
                lower[point] = small[0]  # of U+0130 without the dot
    changes = dict(lower)
    if strips:
        for begin, last in spans_in(DECOMPOSED):
            for point in range(begin, last + 1):
                first = unicodedata.normalize("NFD", chr(point))[0]
                kind = classes[ord(first)]
                if kind == DROP or kind == BLANK:
                    changes.pop(point, None)
                    classes[point] = kind
                    continue
                first = lower.get(ord(first), first)
                changes[point] = f" {first} " if kind == IDEOGRAPH else first
    return table_of(classes, changes)
