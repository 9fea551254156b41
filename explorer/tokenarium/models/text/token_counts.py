"""Counts over the tokens of one tokenizer: their number and length, cut characters, unknown text."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.text.chunked_column import ChunkedColumn
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.graphemes import GraphemeJob
from tokenarium.models.text.lost_text import size_of, text_loss
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium_core.progress import Progress


@dataclass(frozen=True, slots=True)
class Measures:
    """Counts over the text that is cut so far: parts, bytes, characters."""

    parts: int
    bytes: int
    characters: int

    @property
    def bytes_per_part(self) -> float | None:
        """Bytes of UTF-8 per part; None without parts."""
        return self.bytes / self.parts if self.parts else None

    @property
    def characters_per_part(self) -> float | None:
        """Code points per part; None without parts."""
        return self.characters / self.parts if self.parts else None


def measure(
    text_map: TextMap, ends: IntArray | ChunkedColumn, removed: IntArray | None = None
) -> Measures:
    """Returns the counts of parts with these end offsets, without those with the spans ``removed`` (n × 2)."""
    covered = int(ends[-1]) if len(ends) else 0
    characters = int(text_map.byte_to_char(covered))
    if removed is None:
        return Measures(len(ends), covered, characters)
    return Measures(
        len(ends) - len(removed),
        covered - int(np.diff(removed).sum()),
        characters - int(np.diff(text_map.byte_to_char(removed)).sum()),
    )


def ratio_text(count: int, front: int, name: str) -> str:
    """Returns how a count compares with that of the tokenizer in front.

    >>> ratio_text(139, 25, "GPT-4o"), ratio_text(21, 25, "GPT-4o"), ratio_text(3, 3, "GPT-4o")
    ('5.6 times GPT-4o', '0.84 times GPT-4o', 'as many as GPT-4o')
    """
    if not front:
        return ""
    if count == front:
        return f"as many as {name}"
    share = count / front
    return f"{share:,.1f} times {name}" if share > 1.05 else f"{share:.2f} times {name}"


AT_ONCE = 1 << 16
"""Tokens that are counted between two looks at the clock: some milliseconds."""


class TokenCounts:
    """Counts over the tokens last given to `take`: call `step` until it is finished.

    ``in_character``: tokens that end inside a character. ``in_grapheme``: tokens that end between the characters of
    one grapheme; counted once the graphemes are known. ``lost``: how many places of the text
    are lost, see `lost_text.TextLoss`, and ``lost_bytes`` their bytes. ``superwords``: tokens that hold several words.
    """

    def __init__(self, tokenizer: tc.Tokenizer, text_map: TextMap) -> None:
        self.in_character = self.in_grapheme = 0
        self.lost = self.lost_bytes = 0
        self.superwords = 0
        self._text_map = text_map
        self._losing = text_loss(tokenizer)
        self._is_superword = np.zeros(len(tokenizer.vocabulary), dtype=np.bool_)
        self._is_superword[superword_ids(tokenizer)] = True
        self._run: object = None
        self._tokens: ChunkedEncoding | None = None
        self._total = 0
        self._edges: GraphemeEdges | None = None
        self._counted = 0
        self._counted_graphemes = 0
        self._complete = False
        self._seen = 0  # bytes of the text whose tokens are counted

    def take(
        self,
        encoding: ChunkedEncoding,
        grapheme_edges: GraphemeEdges | None,
        complete: bool = True,
    ) -> None:
        """Sets the tokens, which begin with the earlier ones; ``complete``: they are of the whole text.

        ``grapheme_edges``: where graphemes end; None while they are looked for.
        """
        self._run, self._tokens, self._total = encoding.run, encoding, len(encoding)
        self._edges = grapheme_edges
        self._complete = complete

    def goes_on_to(self, encoding: ChunkedEncoding) -> bool:
        """Returns whether tokens begin with the earlier ones: of the same run over the same text."""
        return encoding.run is self._run

    @property
    def lost_share(self) -> float:
        """The share of the bytes, as far as they are counted, that is lost."""
        return self.lost_bytes / self._seen if self._seen else 0.0

    @property
    def finished(self) -> bool:
        """Whether all tokens so far are counted."""
        graphemes = self._edges is None or self._counted_graphemes == self._total
        return self._counted == self._total and graphemes and not self._has_tail

    @property
    def _has_tail(self) -> bool:
        """Whether there is text after the last token of the whole text that is not counted."""
        return self._complete and self._seen < self._text_map.byte_count

    def step(self, budget_ms: float) -> Progress:
        """Counts for about ``budget_ms`` milliseconds and reports the tokens done."""
        end = time.perf_counter() + budget_ms / 1000
        while not self.finished:
            if self._counted < self._total:
                self._count()
            elif self._has_tail:
                ids, spans = self._rows(0, 0)
                self._count_lost(ids, spans, self._text_map.byte_count)
            else:
                self._count_graphemes()
            if time.perf_counter() >= end:
                break
        total = self._total * (1 if self._edges is None else 2)
        done = self._counted + (0 if self._edges is None else self._counted_graphemes)
        return Progress("counting", done, total, self.finished)

    def _rows(self, first: int, last: int) -> tuple[IntArray, IntArray]:
        """The ids and spans (n × 2) of some tokens."""
        assert self._tokens is not None
        return self._tokens.ids[first:last], self._tokens.spans(first, last)

    def _count(self) -> None:
        ids, spans = self._rows(self._counted, self._counted + AT_ONCE)
        ends = np.ascontiguousarray(spans[:, 1])
        if not self._text_map.is_ascii:
            self.in_character += int(np.count_nonzero(self._text_map.inside_character(ends)))
        self._count_lost(ids, spans, int(spans[-1, 1]))
        self.superwords += int(np.count_nonzero(self._is_superword[ids]))
        self._counted += len(ids)

    def _count_lost(
        self, ids: npt.NDArray[np.int32], spans: npt.NDArray[np.int32], last: int
    ) -> None:
        """Counts what is lost up to the byte ``last``, which these tokens have."""
        lost = self._losing.spans_in(self._text_map, ids, spans, self._seen, last)
        self.lost += len(lost)
        self.lost_bytes += size_of(lost)
        self._seen = last

    def _count_graphemes(self) -> None:
        assert self._edges is not None
        done = self._counted_graphemes
        ends = np.ascontiguousarray(self._rows(done, done + AT_ONCE)[1][:, 1])
        inside = self._text_map.inside_character(ends)
        self.in_grapheme += int(np.count_nonzero(~self._edges.are_at(ends) & ~inside))
        self._counted_graphemes += len(ends)


def token_figures(
    tokenizer: tc.Tokenizer,
    text: str,
    encoding: tc.Encoding,
    selection: tuple[int, int] | None = None,
) -> dict[str, int | float | None]:
    """Returns what the workspace Tokens says of an encoding of a text; ``selection`` is a range of bytes.

    "in a character" and "in a grapheme" are tokens that end inside one, "lost" is the share of the bytes that
    are lost.
    """
    text_map = TextMap(text)
    graphemes = GraphemeJob(text_map)
    graphemes.step(float("inf"))
    counts = TokenCounts(tokenizer, text_map)
    chunked = ChunkedEncoding.of(encoding)
    counts.take(chunked, graphemes.edges)
    counts.step(float("inf"))
    measures = measure(text_map, chunked.ends)
    parts = TextParts(chunked.starts, chunked.ends, None, ids=chunked.ids)
    chosen = None if selection is None else parts.between(*selection)
    return {
        "tokens": len(chunked),
        "selected": None if chosen is None else len(chosen),
        "bytes per token": measures.bytes_per_part,
        "characters per token": measures.characters_per_part,
        "lost": counts.lost_share,
        "in a character": counts.in_character,
        "in a grapheme": counts.in_grapheme,
        "superwords": counts.superwords,
    }
