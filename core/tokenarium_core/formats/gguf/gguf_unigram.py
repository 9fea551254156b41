"""Unigram as llama.cpp runs it: ``t5`` in the field ``tokenizer.ggml.model``.

Scores are added in double precision, as Hugging Face's library does. Unused entries are matched too. In the
text a space is whitespace, and ``▁`` is not: it is not removed, and a space is added before it as
before a word. A text of only spaces gets no additional space.

Source: ``llm_tokenizer_ugm_session`` in ``src/llama-vocab.cpp`` in ggml-org/llama.cpp.
"""

from __future__ import annotations

import re
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.decoders.sentencepiece_decoder import SentencePieceDecoder
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_entries import (
    BYTE_TYPE,
    CONTROL_TYPE,
    FIELDS,
    MARK,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
    Entries,
)
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter, untracked
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.padded_text import PADDING
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    CONTROL,
    NORMAL,
    PLAIN,
    SPACE_MARK,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

_SIGN: Final = re.compile(rb"[!-~]")
_NOT_BLANK: Final = re.compile(rb"[^ ]")
_MARK: Final = MARK.encode()
_SPACE: Final = 0x20
_FOUND: Final = (NORMAL_TYPE, USER_DEFINED_TYPE, UNUSED_TYPE)
_UNKNOWN_PENALTY: Final = 10.0
_LONGEST_KEPT: Final = 64  # as many are tried from one place


def unigram_of(entries: Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of a Unigram model."""
    metadata = entries.metadata
    if entries.unknown < 0:
        raise FormatError(
            f"{entries.source} has no unknown token, which Unigram needs for characters in no entry."
        )
    spelling: i64 = SPACE_MARK
    for id, text in enumerate(entries.texts):
        if entries.types[id] in _FOUND and " " in text:
            spelling = PLAIN  # it would look like a mark
    count = len(entries.texts)
    arena = PieceArena(count)
    scores = vec[float]([0.0] * count)
    outside: set[int] = set()
    lowest = min(
        [score for id, score in enumerate(entries.scores) if entries.types[id] == NORMAL_TYPE],
        default=0.0,
    )
    kinds = {
        NORMAL_TYPE: NORMAL,
        UNKNOWN_TYPE: UNKNOWN,
        CONTROL_TYPE: CONTROL,
        USER_DEFINED_TYPE: USER_DEFINED,
        UNUSED_TYPE: UNUSED,
        BYTE_TYPE: CONTROL,  # llama.cpp does not fall back to bytes here
    }
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        if type == UNUSED_TYPE and _is_taken(entries, id, lowest):
            type = NORMAL_TYPE
        if type == NORMAL_TYPE or type == USER_DEFINED_TYPE:
            scores[id] = entries.scores[id] if type == NORMAL_TYPE else 0.0
            spelled = text.replace(MARK, " ") if spelling == SPACE_MARK else text
            arena.add(spelled.encode(), kinds[type])
        else:
            outside.add(id)
            arena.add(text.encode(), kinds[type])
    arena.scores = scores
    vocabulary = Vocabulary(arena, (), spelling, "", frozenset(outside))
    blob = bytes(
        [number & 0xFF for number in metadata.whole_numbers(FIELDS + "precompiled_charsmap")]
    )
    squeeze = metadata.flag(FIELDS + "remove_extra_whitespaces", False)
    prefix = squeeze or metadata.flag(FIELDS + "add_space_prefix", False)
    charsmap = Charsmap(blob, entries.source) if blob else None
    normalizer = LlamaSpaces(charsmap, prefix, squeeze, spelling == PLAIN, _kept(entries))
    normalizer.always = MARK.encode() in blob
    return Tokenizer(
        name,
        Unigram(vocabulary, entries.unknown, False, TOKENIZERS),
        WholeText(),
        AddedTokens(entries.added(), longest_first=True),
        normalizer,
        template=entries.template(),
        decoder=SentencePieceDecoder(b" \xe2\x81\x87 ", prefix, squeeze),
    )


def _kept(entries: Entries) -> list[bytes]:
    """Returns what the character rules leave unchanged: the beginnings of user-defined entries.

    llama.cpp looks for these entries themselves, and mistakes the first bytes of one for it. If they end within a
    character, it breaks that character: FormatError is then raised, as it is for an entry too long to be matched here.
    """
    pieces: dict[bytes, None] = {}
    for id, text in enumerate(entries.texts):
        if entries.types[id] != USER_DEFINED_TYPE:
            continue
        if not text.isascii() or len(text) > _LONGEST_KEPT:
            raise FormatError(
                f"{entries.source}: entry {id}, {text[:_LONGEST_KEPT]!r}, is user-defined, and is not ASCII or has"
                f" more than {_LONGEST_KEPT} characters. In a text, llama.cpp splits the first bytes of such an entry"
                " from characters that begin with them, which this program does not do."
            )
        for size in range(1, len(text) + 1):
            pieces[text[:size].encode()] = None
    return list(pieces)


def _is_taken(entries: Entries, id: int, lowest: float) -> bool:
    """Returns whether an unused entry is matched all the same, rather than others in its place.

    Raises FormatError if it only replaces unknown characters, whose score does not count it.
    """
    score = entries.scores[id]
    text = entries.texts[id]
    if score >= lowest:
        return True
    if score <= (lowest - _UNKNOWN_PENALTY) * len(text):
        return False
    raise FormatError(
        f"{entries.source}: entry {id}, {text!r}, is of the type 'unused', and its score of {score:g} is lower than"
        f" every other one and so close to the next ({lowest:g}) that llama.cpp may use it for unknown characters."
        " This program does not run such a file."
    )


@final
class LlamaSpaces(Normalizer):
    """The character rules of a file, if it has any, then llama.cpp's handling of spaces.

    ``prefix``: a space is added before the first word; ``squeeze``: one is added before each word, and all others are
    removed. ``marks``: spaces become ``▁``, otherwise ``▁`` becomes a space. Only texts with ``▁`` (``always``: all)
    need more than SentencePiece's normalizer. The rules do not apply to ``kept``.
    """

    def __init__(
        self,
        charsmap: Charsmap | None,
        prefix: bool,
        squeeze: bool,
        marks: bool,
        kept: list[bytes],
    ) -> None:
        name = "precompiled" if charsmap is not None else "spaces"
        super().__init__(name)
        self.always = False
        self._full = SentencePieceNormalizer(
            name, charsmap, prefix, squeeze, True, False, kept, marks=marks
        )
        # What counts as a text of only spaces, which only matters if these stay.
        self._bare: SentencePieceNormalizer | None = None
        if prefix and not squeeze:
            self._bare = SentencePieceNormalizer(
                name, charsmap, False, False, True, False, kept, marks=marks
            )
        self._rules = SentencePieceNormalizer(name, charsmap, False, False, False, False, kept)
        self._prefix = prefix
        self._squeeze = squeeze
        self._marks = marks

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text; see `Normalizer.normalize`."""
        if self.always or text.data.find(_MARK, 0, text.size) >= 0:
            return self._spaced(self._rules.normalize(text))
        bare = self._bare
        if bare is None or _SIGN.search(text.data, 0, text.size) is not None:
            return self._full.normalize(text)
        blank = bare.normalize(text)
        if _NOT_BLANK.search(blank.data.replace(_MARK, b"   "), 0, blank.size) is None:
            return blank
        return self._full.normalize(text)

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        size: i64 = len(data) - PADDING
        if self.always or data.find(_MARK, 0, size) >= 0:
            ruled = self._rules.normalize_plain(data)
            return self._spaced(untracked(ruled, len(ruled) - PADDING)).data
        bare = self._bare
        if bare is None or _SIGN.search(data, 0, size) is not None:
            return self._full.normalize_plain(data)
        blank = bare.normalize_plain(data)
        if _NOT_BLANK.search(blank.replace(_MARK, b"   "), 0, len(blank) - PADDING) is None:
            return blank
        return self._full.normalize_plain(data)

    def _spaced(self, text: NormalizedText) -> NormalizedText:
        """Returns a text with other spaces, word by word."""
        data = text.data
        size = text.size
        blank = _MARK if self._marks else b" "
        writer = NormalizedWriter(text, f"The normalizer {self.name}")
        wanted = self._prefix
        at: i64 = 0
        while at < size:
            if data[at] == _SPACE:
                if not self._squeeze:
                    writer.replace(at, at + 1, blank)
                at += 1
                continue
            if wanted or self._squeeze:
                writer.replace(at, at, blank)
                wanted = False
            stop: i64 = data.find(b" ", at, size)
            if stop < 0:
                stop = size
            while at < stop:
                mark: i64 = -1 if self._marks else data.find(_MARK, at, stop)
                last = stop if mark < 0 else mark
                if at < last:
                    writer.copy(at, last)
                if mark >= 0:
                    writer.replace(mark, mark + len(_MARK), b" ")
                    last = mark + len(_MARK)
                at = last
        return writer.finish()
