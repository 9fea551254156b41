"""Which parts of a text its tokens do not hold, for figures, marks and diagnostics.

A text is lost where it became unknown tokens, of which one may stand for a whole word, and where characters or spaces are
gone: all need fewer tokens than the text itself, which makes figures look too good. What a normalizer declares to write
differently (lower case, NFKC) is not lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import percent
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium_core.models import (
    CharacterBpe,
    HfSymbols,
    NamedPieces,
    SentencePieceSymbols,
    Unigram,
    WordLevel,
    WordPiece,
)
from tokenarium_core.models.model import Model
from tokenarium_core.padded_text import PADDING
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, UNKNOWN

TOO_MUCH = 0.005
"""The share of a text from which figures that count tokens are doubtful."""

SIGN = "?"
"""Marks a doubtful figure, in addition to its colour."""

SAYS = "Lost text became unknown tokens, one for a whole word or character, or was left out, as spaces can be."
"""How text is lost, for users."""

LOST_TEXT = f"{SIGN} Part of the text is lost, so these figures look better than they are. {SAYS}"
"""What a command says below figures with the sign."""

NAMED = 4
"""Most languages or tokenizers that a sentence names."""


def unknown_id(model: Model) -> int:
    """Returns the id of the unknown token, or -1; in a `tokenizer.json` it may be an added token."""
    if isinstance(model, WordPiece | WordLevel | NamedPieces):
        return model.unknown
    if isinstance(model, Unigram):
        return model.unknown_id
    if isinstance(model, CharacterBpe):
        source = model.source
        if isinstance(source, HfSymbols | SentencePieceSymbols):
            return source.unknown
    return -1


def unknown_ids(tokenizer: tc.Tokenizer) -> npt.NDArray[np.bool_]:
    """Returns for each id whether it is an unknown token."""
    kinds: npt.NDArray[np.uint8] = array_of(tokenizer.vocabulary.kinds)
    unknown: npt.NDArray[np.bool_] = kinds == UNKNOWN
    own = unknown_id(tokenizer.model)
    if 0 <= own < len(unknown):
        unknown[own] = True
    return unknown


def covered_bytes(
    unknown: npt.NDArray[np.bool_], ids: npt.NDArray[np.int32], spans: npt.NDArray[np.int32]
) -> tuple[int, int]:
    """Returns the bytes of the text that unknown tokens stand for, and those that any token stands for."""
    sizes = spans[:, 1] - spans[:, 0]
    return int(sizes[unknown[ids]].sum()), int(sizes.sum())


def blanks_of(text: str) -> int:
    """Returns how many spaces a text has.

    >>> blanks_of(" a\\t\u3000b")
    3
    """
    return len(text) - sum(map(len, text.split()))


def lost_share(tokenizer: tc.Tokenizer, lines: Sequence[str]) -> float:
    """Returns the share of some lines, in bytes, that is lost; see `TextLoss`."""
    lost = total = 0
    for line in lines:
        encoding = tokenizer.encode(line)
        utf8 = line.encode("utf-8", "surrogatepass")
        total += len(utf8)
        lost += lost_bytes(tokenizer, utf8, encoding)
    return lost / total if total else 0.0


def lost_spans(tokenizer: tc.Tokenizer, utf8: bytes, encoding: tc.Encoding) -> IntArray:
    """Returns which parts of a text are lost in its encoding, as `TextLoss.spans`: nothing if decoding gives the text
    back.
    """
    if tokenizer.decode_bytes(encoding.ids) == utf8:
        return np.empty((0, 2), dtype=np.int32)
    spans = array_of(encoding.spans).reshape(-1, 2)
    return text_loss(tokenizer).spans(utf8, array_of(encoding.ids), spans, 0, len(utf8))


def lost_bytes(tokenizer: tc.Tokenizer, utf8: bytes, encoding: tc.Encoding) -> int:
    """Returns how many bytes of a text are lost in its encoding."""
    return size_of(lost_spans(tokenizer, utf8, encoding))


def size_of(spans: IntArray) -> int:
    """Returns how many bytes some spans (n × 2) have together."""
    return int((spans[:, 1] - spans[:, 0]).sum())


class TextLoss:
    """How a tokenizer loses text; `spans` says where.

    ``unknown``: for each id, whether it is an unknown token. ``joins``: decoding puts a space between tokens that have
    none, as WordPiece's does, so that one space of those left out between two tokens comes back; any counts for any
    other. ``blanks``: for each id, how many spaces it has for those of its text; 0 if decoding leaves them out.
    """

    def __init__(self, tokenizer: tc.Tokenizer) -> None:
        self.unknown = unknown_ids(tokenizer)
        self.joins, drops = _blanks_between(tokenizer)
        self.blanks = _blanks_by_id(tokenizer.vocabulary)
        if drops:
            self.blanks[:] = 0
        self._drops = drops
        self._normalizer = tokenizer.normalizer

    def spans(
        self, utf8: bytes, ids: npt.NDArray[np.int32], spans: IntArray, first: int, last: int
    ) -> IntArray:
        """Returns the places (n × 2 byte offsets, sorted) of a text that are lost, between the bytes ``first`` and
        ``last``.

        ``ids`` and ``spans`` (n × 2) are the tokens that have this part. Lost are the places of unknown tokens; and what
        no token has, without the space that comes back, and without characters that the normalizer takes away; and spaces
        that a token has no space for.
        Tokens of another text, as they are for a moment after a change, lose nothing of this one.
        """
        if len(spans) and int(spans[-1, 1]) > len(utf8):
            return np.empty((0, 2), dtype=np.int32)
        # Columns in one piece: a megabyte has some hundred thousand tokens, which are looked at after each keystroke.
        starts, ends = (np.ascontiguousarray(spans[:, side]) for side in (0, 1))
        some = starts < ends  # not what was put in, as BOS
        if not some.all():
            ids, starts, ends = ids[some], starts[some], ends[some]
        gap_starts = np.concatenate(([np.int32(first)], ends)).astype(np.int32)
        gap_ends = np.concatenate((starts, [np.int32(last)])).astype(np.int32)
        gaps = np.flatnonzero(gap_starts < gap_ends)
        lost = []
        unknown = self.unknown[ids]
        if unknown.any():
            lost.append(np.stack((starts[unknown], ends[unknown]), axis=1))
            ids, starts, ends = ids[~unknown], starts[~unknown], ends[~unknown]
        lost.append(self._lost_inside(utf8, ids, starts, ends))
        if len(gaps):
            lost.append(self._lost_between(utf8, gap_starts[gaps], gap_ends[gaps]))
        every = np.concatenate(lost)
        return every[np.argsort(every[:, 0], kind="stable")]

    def spans_in(
        self, text: TextMap, ids: npt.NDArray[np.int32], spans: IntArray, first: int, last: int
    ) -> IntArray:
        """Returns `spans` for a part of a text, of which the rest is not looked at."""
        # One byte more on each side says that the text goes on there.
        low, high = max(first - 1, 0), min(last + 1, text.byte_count)
        offset = np.int32(low)
        window = text.utf8_of(low, high)
        return self.spans(window, ids, spans - offset, first - low, last - low) + offset

    def _lost_inside(
        self, utf8: bytes, ids: npt.NDArray[np.int32], starts: IntArray, ends: IntArray
    ) -> IntArray:
        """Returns the spaces of ASCII that are in tokens with fewer of them."""
        if not len(ids):
            return np.empty((0, 2), dtype=np.int32)
        first = starts[0]
        blank = _BLANKS.take(np.frombuffer(utf8, np.uint8)[first : ends[-1]])
        before = np.zeros(len(blank) + 1, np.int32)
        np.cumsum(blank, dtype=np.int32, out=before[1:])
        inside = before.take(ends - first) - before.take(starts - first)
        lost: list[tuple[int, int]] = []
        for at in np.flatnonzero(inside > self.blanks[ids]).tolist():
            start, end = int(starts[at]), int(ends[at])
            remaining = int(self.blanks[ids[at]])
            runs = [match.span() for match in _BLANK_BYTES.finditer(utf8, start, end)]
            if not remaining and self._writes(b"".join(utf8[begin:other] for begin, other in runs)):
                continue
            for start_of_run, other in runs:
                if start_of_run + remaining < other:
                    lost.append((start_of_run + remaining, other))
                remaining = max(remaining - (other - start_of_run), 0)
        return np.array(lost, np.int32).reshape(-1, 2)

    def _writes(self, blanks: bytes) -> bool:
        """Whether the normalizer writes something else for spaces."""
        if self._drops or self._normalizer is None:
            return False
        return not self._is_taken_away(blanks.decode())

    def _lost_between(self, utf8: bytes, starts: IntArray, ends: IntArray) -> IntArray:
        """Returns what is lost of the bytes that no token has."""
        restored = (starts > 0) & (ends < len(utf8)) & self.joins
        first = int(starts[0])
        data = np.frombuffer(utf8, np.uint8)[first : ends[-1]]
        others = np.concatenate(([0], np.cumsum(~_BLANKS[data])))
        plain = others[starts - first] == others[ends - first]
        for at in np.flatnonzero(~plain).tolist():
            starts[at], ends[at] = self._lost_in(utf8, int(starts[at]), int(ends[at]), restored[at])
        starts[plain & restored] += 1
        lost = np.stack((starts, ends), axis=1)
        return lost[starts < ends]

    def _lost_in(self, utf8: bytes, start: int, end: int, kept: np.bool_) -> tuple[int, int]:
        text = utf8[start:end].decode("utf-8", "replace")
        blanks = blanks_of(text)
        if blanks < len(text) and blanks <= kept and self._is_taken_away(text):
            return end, end
        if kept and text[0].isspace():
            start += len(text[0].encode())
        elif kept and text[-1].isspace():
            end -= len(text[-1].encode())
        return start, end

    def _is_taken_away(self, text: str) -> bool:
        """Whether the normalizer takes characters away, as BERT's does with control characters."""
        if self._normalizer is None:
            return False
        left = self._normalizer.normalize_text("".join(text.split()) or text)[:-PADDING]
        return not left.replace(b"\xe2\x96\x81", b" ").strip()


def _blanks_by_id(vocabulary: tc.Vocabulary) -> npt.NDArray[np.int32]:
    """Returns how many spaces each entry has; a single byte may be any."""
    arena = np.frombuffer(vocabulary.arena, np.uint8)
    blank = _BLANKS.take(arena)
    blank[:-2] |= (arena[:-2] == 0xE2) & (arena[1:-1] == 0x96) & (arena[2:] == 0x81)
    before = np.zeros(len(blank) + 1, np.int32)
    np.cumsum(blank, dtype=np.int32, out=before[1:])
    counts: npt.NDArray[np.int32] = np.diff(before.take(array_of(vocabulary.offsets)))
    counts[array_of(vocabulary.kinds) == BYTE] = 1
    return counts


_BLANK_BYTES = re.compile(rb"[ \t-\r]+")
_BLANKS = np.isin(np.arange(256), list(b" \t\n\v\f\r"))


@lru_cache(maxsize=32)
def text_loss(tokenizer: tc.Tokenizer) -> TextLoss:
    """Returns how a tokenizer loses text; worked out once for each tokenizer."""
    return TextLoss(tokenizer)


PROBES = 64
"""Entries that are tried for how spaces come back."""


def _blanks_between(tokenizer: tc.Tokenizer) -> tuple[bool, bool]:
    """Returns `TextLoss.joins` and `TextLoss.drops`, from two words with a space between that come back themselves."""
    vocabulary = tokenizer.vocabulary
    words = ["a", "e", "1"]
    for token in range(min(len(vocabulary), 64 * PROBES)):
        word = vocabulary.piece(token).decode("utf-8", "ignore").strip()
        if vocabulary.kinds[token] == NORMAL and word.isalnum():
            words.append(word)
        if len(words) > PROBES:
            break
    for word in words:
        encoding = tokenizer.encode(f"{word} {word}")
        back = tokenizer.decode(encoding.ids).strip()
        if "".join(back.split()) != word * 2:
            continue
        at = len(word.encode())
        spans = array_of(encoding.spans).reshape(-1, 2)
        covered = bool(((spans[:, 0] <= at) & (at < spans[:, 1])).any())
        returns = back == f"{word} {word}"
        return returns and not covered, covered and not returns
    return True, False


class TextChange(Enum):
    """Why decoding gives back another text; `lost` says whether something of it is gone that no normalizer declares."""

    UNKNOWN = "an unknown token"
    MARK = "the sign ▁, which stands for a space"
    NORMALIZER = "normalization"
    BLANKS = "spaces that are dropped"
    DROPPED = "the model, which has no entry for a part of it"
    PREFIX = "the space that is put before a text, or removed from it"
    ADDED = "decoding, which inserts spaces"
    DECODER = "decoding"
    REFUSED = "the tokenizer, which rejects it"

    @property
    def lost(self) -> bool:
        """Whether a part of the text is gone."""
        lossless = (TextChange.MARK, TextChange.NORMALIZER, TextChange.PREFIX, TextChange.ADDED)
        return self not in lossless


def change_of(tokenizer: tc.Tokenizer, text: str, ids: list[int]) -> TextChange | None:
    """Returns the first stage that explains why decoding the ids of a text does not give it back; None if it does."""
    back = tokenizer.decode(ids)
    if back == text:
        return None
    if unknown_ids(tokenizer)[ids].any():
        return TextChange.UNKNOWN
    marked = tokenizer.vocabulary.spelling == SPACE_MARK
    if marked and "\u2581" in text:
        return TextChange.MARK
    encoding = tokenizer.encode(text)
    normalized = encoding.text.data[: encoding.text.size].decode("utf-8", "replace")
    written = normalized.replace("\u2581", " ")
    if blanks_of(back.strip()) < blanks_of(written.strip()):
        return TextChange.BLANKS
    if written.strip(" ") != text.strip(" "):
        return TextChange.NORMALIZER
    same = "".join(back.split()) == "".join(text.split())
    spans = memoryview(encoding.spans)
    covered = sum(spans[at + 1] - spans[at] for at in range(0, len(spans), 2))
    if not marked and not same and written == text and covered < len(text.encode()):
        return TextChange.DROPPED
    if tokenizer.normalizer is not None and text.strip(" ") != text:
        return TextChange.PREFIX
    return TextChange.ADDED if same and blanks_of(back) >= blanks_of(text) else TextChange.DECODER


def is_doubtful(share: float) -> bool:
    """Returns whether too much of a text is lost for figures that count tokens."""
    return share >= TOO_MUCH


def loses(share: float) -> str:
    """Returns what is said next to a figure of a text of which this share is lost; empty if nothing is.

    >>> loses(0.04), loses(0)
    ('loses 4.0% of the text', '')
    """
    return f"loses {percent(share)} of the text" if share else ""


def listed(shares: Sequence[tuple[str, float]]) -> str:
    """Returns names with their shares, the largest first; of many, the last are only counted.

    >>> listed([("Thai", 0.5), ("Arabic", 0.75)])
    'Arabic 75.0%, Thai 50.0%'
    """
    ordered = sorted(shares, key=lambda one: -one[1])
    named = [f"{name} {percent(share)}" for name, share in ordered[:NAMED]]
    more = len(ordered) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
