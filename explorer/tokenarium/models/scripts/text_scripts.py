"""The tokens of a text by the script of the characters that they cover."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scripts.vocabulary_scripts import CLASS_COUNT, Ints
from tokenarium.models.task import finish
from tokenarium.models.text.lost_text import unknown_ids
from tokenarium_core.explaining.piece_facts import COMMON, MIXED, SPECIAL
from tokenarium_core.progress import Progress
from tokenarium_core.unicode import SCRIPT_TABLE, SCRIPTS
from tokenarium_core.vocabulary import CONTROL

TEXT_RULE = (
    "A token of the text counts for the script of the characters that it covers, in whole or in part, each time it"
    " occurs; hatched: the tokens that begin or end inside a character. Marks count for the script of the letter before"
    " them. Spaces, digits, signs and emoji count only if a token has nothing else: then it is common. Mixed:"
    " letters of several scripts. Special: control tokens, and tokens that cover nothing."
)
"""How tokens are counted, for readers of a chart: by the property Script of Unicode's UAX #24, not Script_Extensions."""

SLICE = 1 << 16
"""Bytes or tokens that are processed at once: a few milliseconds."""

_NONE = 255
"""The script of a byte whose character belongs to many."""

_COMMON, _INHERITED = SCRIPTS.index("Zyyy"), SCRIPTS.index("Zinh")
_TABLE = np.frombuffer(SCRIPT_TABLE, np.uint8)


@dataclass(frozen=True, slots=True)
class TokenScripts:
    """Sums by class: ``tokens``, those of them that ``cut`` a character, and the ``bytes`` of the text in them."""

    tokens: Ints
    cut: Ints
    bytes: Ints

    def __add__(self, other: TokenScripts) -> TokenScripts:
        return TokenScripts(
            self.tokens + other.tokens, self.cut + other.cut, self.bytes + other.bytes
        )

    @classmethod
    def nothing(cls) -> TokenScripts:
        """Returns sums of no tokens."""
        return cls(*(np.zeros(CLASS_COUNT, np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class CountedTokens:
    """The tokens of a text: ``ids``, ``spans`` (n × 2 byte offsets), and for each id whether it is ``control``."""

    ids: npt.NDArray[np.int32]
    spans: npt.NDArray[np.int32]
    control: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, tokenizer: tc.Tokenizer, encoding: tc.Encoding) -> CountedTokens:
        """Returns the tokens of an encoding."""
        spans = array_of(encoding.spans).reshape(-1, 2)
        return cls(array_of(encoding.ids), spans, control_ids(tokenizer))


def control_ids(tokenizer: tc.Tokenizer) -> npt.NDArray[np.bool_]:
    """Returns for each id whether it is a control token; an unknown token stands for text, whatever its kind is."""
    kinds = array_of(tokenizer.vocabulary.kinds)
    return np.asarray((kinds == CONTROL) & ~unknown_ids(tokenizer), np.bool_)


class TextScriptsJob:
    """Counts the tokens of one text by script; ``found`` has the sums of each tokenizer, by its key, once it is done.

    ``utf8`` is the text in UTF-8, with ``surrogatepass``.
    """

    def __init__(self, utf8: bytes, tokens: Mapping[str, CountedTokens]) -> None:
        self.found: dict[str, TokenScripts] = {}
        self._utf8 = utf8
        self._bytes = np.frombuffer(utf8, np.uint8)
        # One more, since the end of the last token may be the end of the text.
        self._scripts = np.full(len(utf8) + 1, _NONE, np.uint8)
        self._at = 0  # bytes whose scripts are known
        self._before = _NONE  # the script of the last character that has one of its own
        self._left = list(tokens.items())
        self._token = 0  # tokens of the first one left that are counted
        self._sums = TokenScripts.nothing()
        self._total = len(utf8) + sum(len(token.ids) for token in tokens.values())
        self._done = 0

    def step(self, budget_ms: float, /) -> Progress:
        """Works for about ``budget_ms``."""
        until = time.monotonic() + budget_ms / 1000
        while self._at < len(self._utf8) or self._left:
            if self._at < len(self._utf8):
                self._find_scripts()
            else:
                self._count()
            if time.monotonic() >= until:
                break
        finished = self._at == len(self._utf8) and not self._left
        return Progress("Counting scripts", self._done, self._total, finished)

    def _find_scripts(self) -> None:
        start, end = self._at, min(self._at + SLICE, len(self._utf8))
        while end < len(self._utf8) and self._utf8[end] & 0xC0 == 0x80:
            end -= 1
        text = self._utf8[start:end].decode("utf-8", "surrogatepass")
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        scripts = _TABLE[codes]
        scripts[scripts == _COMMON] = _NONE
        own = np.where(scripts == _INHERITED, -1, np.arange(len(scripts)))
        last = np.maximum.accumulate(own)
        scripts = np.where(last < 0, np.uint8(self._before), scripts[last])
        sizes = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
        self._scripts[start:end] = np.repeat(scripts, sizes)
        self._before = int(scripts[-1])
        self._done += end - start
        self._at = end

    def _count(self) -> None:
        key, tokens = self._left[0]
        start, end = self._token, self._token + SLICE
        ids, spans = tokens.ids[start:end], tokens.spans[start:end]
        self._sums += self._sums_of(ids, spans, tokens.control)
        self._token += len(ids)
        self._done += len(ids)
        if self._token >= len(tokens.ids):
            self.found[key] = self._sums
            self._left.pop(0)
            self._token, self._sums = 0, TokenScripts.nothing()

    def _sums_of(
        self,
        ids: npt.NDArray[np.int32],
        spans: npt.NDArray[np.int32],
        is_control: npt.NDArray[np.bool_],
    ) -> TokenScripts:
        if not len(ids):
            return TokenScripts.nothing()
        starts, ends = spans[:, 0], spans[:, 1]
        # The least and the greatest script in each token: 255, none, is the greatest number, and plus one the least.
        first, last = int(spans.min()), int(spans.max())
        scripts, edges = self._scripts[first : last + 1], spans.reshape(-1) - first
        least = np.minimum.reduceat(scripts, edges)[::2]
        most = np.maximum.reduceat(scripts + np.uint8(1), edges)[::2] - np.uint8(1)
        classes = np.where(least == most, least, MIXED).astype(np.int64)
        classes[least == _NONE] = COMMON
        inside = (ids >= 0) & (ids < len(is_control))
        control = np.zeros(len(ids), np.bool_)
        control[inside] = is_control[ids[inside]]
        classes[control | (starts >= ends)] = SPECIAL
        cut = self._cuts(starts) | self._cuts(ends)
        cut &= classes != SPECIAL
        return TokenScripts(
            np.bincount(classes, minlength=CLASS_COUNT),
            np.bincount(classes[cut], minlength=CLASS_COUNT),
            np.bincount(classes, np.maximum(ends - starts, 0), CLASS_COUNT).astype(np.int64),
        )

    def _cuts(self, offsets: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Returns which byte offsets are inside a character."""
        inside = offsets < len(self._bytes)
        is_inside = np.zeros(len(offsets), np.bool_)
        is_inside[inside] = self._bytes[offsets[inside]] & 0xC0 == 0x80
        return is_inside


def text_scripts(utf8: bytes, tokens: CountedTokens) -> TokenScripts:
    """Returns the sums of one tokenizer at once; see `TextScriptsJob`."""
    job = TextScriptsJob(utf8, {"": tokens})
    finish(job)
    return job.found[""]
