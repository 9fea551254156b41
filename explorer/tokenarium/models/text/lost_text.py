"""What of a text its tokens do not hold: the one place that says so for figures, marks and diagnostics.

A text is lost where it became unknown tokens, of which one may stand for a whole word, and where blanks are gone: both
need fewer tokens than the text itself, which makes figures look too good. What a normalizer declares to write otherwise
(lower case, NFKC) is not lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.piece import percent
from tokenarium_core.models import (
    CharacterBpe,
    HfSymbols,
    SentencePieceSymbols,
    Unigram,
    WordLevel,
    WordPiece,
)
from tokenarium_core.vocabulary import SPACE_MARK, UNKNOWN

TOO_MUCH = 0.005
"""The share of a text from which on figures that count tokens are doubtful."""

SIGN = "?"
"""Marks a doubtful figure, in addition to its colour."""

NAMED = 4
"""Most languages or tokenizers that a sentence names."""


def unknown_id(model: tc.Model) -> int:
    """Returns the id of the unknown token, or -1; in a `tokenizer.json` it may be an added token."""
    if isinstance(model, WordPiece | WordLevel):
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


def dropped_blanks(
    tokenizer: tc.Tokenizer, text: str, ids: npt.NDArray[np.int32], unknown: npt.NDArray[np.bool_]
) -> int:
    """Returns how many blanks (White_Space) of a text are gone when its ids are decoded; any blank counts for any other.

    SentencePiece decodes an unknown token with blanks around it (`` ⁇ ``), others leave it out with a blank beside it: these
    are not counted.
    """
    kept, beside = ids, 0
    if unknown.any():
        found = ids[unknown[ids]]
        if tokenizer.vocabulary.spelling == SPACE_MARK:
            kept = ids[~unknown[ids]]
        elif len(found) and not tokenizer.decode(found[:1].tolist()):
            beside = len(found)
    return max(blanks_of(text) - blanks_of(tokenizer.decode(kept.tolist())) - beside, 0)


def blanks_of(text: str) -> int:
    """Returns how many blanks a text has.

    >>> blanks_of(" a\\t\u3000b")
    3
    """
    return len(text) - sum(map(len, text.split()))


def lost_share(tokenizer: tc.Tokenizer, lines: Sequence[str]) -> float:
    """Returns the share of some lines, in bytes, that became unknown tokens, or blanks that do not come back."""
    unknown = unknown_ids(tokenizer)
    lost = total = 0
    for line in lines:
        encoding = tokenizer.encode(line)
        ids = array_of(encoding.ids)
        utf8 = line.encode("utf-8", "surrogatepass")
        total += len(utf8)
        if tokenizer.decode_bytes(encoding.ids) != utf8:
            lost += covered_bytes(unknown, ids, array_of(encoding.spans).reshape(-1, 2))[0]
            lost += dropped_blanks(tokenizer, line, ids, unknown)
    return lost / total if total else 0.0


class TextChange(Enum):
    """Why decoding gives back another text; `lost` says whether something of it is gone that no normalizer declares."""

    UNKNOWN = "an unknown token"
    MARK = "the sign ▁, which stands for a space"
    NORMALIZER = "normalization"
    BLANKS = "blanks that are dropped"
    DROPPED = "the model, which has no entry for a part of it"
    PREFIX = "the space that is put before a text, or removed from it"
    ADDED = "decoding, which puts blanks in"
    DECODER = "decoding"
    REFUSED = "the tokenizer, which refuses it"

    @property
    def lost(self) -> bool:
        """Whether a part of the text is gone."""
        kept = (TextChange.MARK, TextChange.NORMALIZER, TextChange.PREFIX, TextChange.ADDED)
        return self not in kept


def change_of(tokenizer: tc.Tokenizer, text: str, ids: list[int]) -> TextChange | None:
    """Returns the first stage that explains why decoding the ids of a text does not give it back; None where it does."""
    back = tokenizer.decode(ids)
    if back == text:
        return None
    if unknown_ids(tokenizer)[ids].any():
        return TextChange.UNKNOWN
    marked = tokenizer.vocabulary.spelling == SPACE_MARK
    if marked and "\u2581" in text:
        return TextChange.MARK
    encoding = tokenizer.encode(text)
    normalised = encoding.text.data[: encoding.text.size].decode("utf-8", "replace")
    written = normalised.replace("\u2581", " ")
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


def listed(shares: Sequence[tuple[str, float]]) -> str:
    """Returns names with their shares, the largest first; of many, the last are only counted.

    >>> listed([("Thai", 0.5), ("Arabic", 0.75)])
    'Arabic 75.0%, Thai 50.0%'
    """
    ordered = sorted(shares, key=lambda one: -one[1])
    named = [f"{name} {percent(share)}" for name, share in ordered[:NAMED]]
    more = len(ordered) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
