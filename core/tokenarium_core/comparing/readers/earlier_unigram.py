"""Unigram as in sentencepiece before 0.2.2: ties between tokenizations, and user-defined pieces, come out differently.

There, the sum of a candidate is a double, and is compared with the best sum so far, which is stored as a 32-bit float: of two
equal sums, the later one wins if the float was rounded down. In a run of one character, ties are common, for the same
pieces in another order have the same sum. From 0.2.2 on, both are floats.

Source: ``EncodeOptimized`` in ``src/unigram_model.cc`` of sentencepiece 0.2.1, and ``PopulateSentencePieceText`` in its
``src/sentencepiece_processor.cc``.
"""

from __future__ import annotations

from struct import pack, unpack
from typing import Final, final

from tokenarium_core.comparing.readers.reader import TextEncoder
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, USER_DEFINED

_PENALTY: Final = 10.0  # of an unknown character
_USER_DEFINED: Final = -0.1


@final
class EarlierUnigram(TextEncoder):
    """A Unigram model of a ``.model`` file, with the rules of sentencepiece 0.2.1; it is slow, for short texts."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        model = tokenizer.model
        assert isinstance(model, Unigram)
        vocabulary = model.vocabulary
        self._tokenizer = tokenizer
        self._unknown_id = int(model.unknown_id)
        self._marked = vocabulary.spelling == SPACE_MARK
        self._entries: dict[str, tuple[int, float]] = {}
        self._bytes: dict[int, int] = {}
        lowest = 0.0
        for id in range(vocabulary.count):
            kind = int(vocabulary.kinds[id])
            score = float(vocabulary.scores[id])
            if kind == BYTE:
                self._bytes[vocabulary.piece(id)[0]] = id
            if kind != NORMAL and kind != USER_DEFINED:
                continue
            if kind == NORMAL:
                lowest = min(lowest, score)
            piece = vocabulary.piece(id).decode("utf-8", "replace")
            self._entries[piece] = (id, score if kind == NORMAL else _USER_DEFINED)
        self._longest = max([len(piece) for piece in self._entries], default=0)
        self._unknown = _single(_single(lowest) - _PENALTY)
        self._falls_back = bool(model.byte_fallback)

    def encode_ids(self, text: str) -> list[int]:
        """Returns the ids of a text, without special tokens."""
        data = padded(text)
        normalizer = self._tokenizer.normalizer
        if normalizer is not None:
            data = normalizer.normalize_plain(data)
        plain = data[: len(data) - PADDING].decode("utf-8", "replace")
        if self._marked:
            plain = plain.replace("▁", " ")
        return self._ids(plain, self._path(plain))

    def _path(self, text: str) -> list[tuple[int, int, int]]:
        """Returns the pieces of the best path: where each begins and ends, and its id."""
        size = len(text)
        sums = [0.0] * (size + 1)
        starts = [-1] * (size + 1)
        ids = [self._unknown_id] * (size + 1)
        for start in range(size):
            here = sums[start]
            single = False
            for stop in range(start + 1, min(size, start + self._longest) + 1):
                entry = self._entries.get(text[start:stop])
                if entry is None:
                    continue
                candidate = entry[1] + here
                if starts[stop] < 0 or candidate > sums[stop]:
                    sums[stop] = _single(candidate)
                    starts[stop] = start
                    ids[stop] = entry[0]
                if stop == start + 1:
                    single = True
            if not single:
                stop = start + 1
                candidate = _single(self._unknown + here)
                if starts[stop] < 0 or candidate > sums[stop]:
                    sums[stop] = candidate
                    starts[stop] = start
                    ids[stop] = self._unknown_id
        path: list[tuple[int, int, int]] = []
        at = size
        while at > 0:
            path.append((starts[at], at, ids[at]))
            at = starts[at]
        path.reverse()
        return path

    def _ids(self, text: str, path: list[tuple[int, int, int]]) -> list[int]:
        """Returns the ids of a path: adjacent unknown characters are one token, or their bytes."""
        ids: list[int] = []
        before = False
        for start, stop, id in path:
            unknown = id == self._unknown_id
            if unknown and self._falls_back:
                piece = text[start:stop].replace(" ", "▁") if self._marked else text[start:stop]
                ids += [self._bytes[byte] for byte in piece.encode()]
            elif not (unknown and before):
                ids.append(id)
            before = unknown
        return ids


def _single(value: float) -> float:
    """Returns a number as a 32-bit float."""
    rounded: float = unpack("f", pack("f", value))[0]
    return rounded
