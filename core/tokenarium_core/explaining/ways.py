"""How many sequences of ids decode to a text, including the one that encoding gives, and the next best ones.

A tokenizer encodes a text as one sequence of ids. Many others decode to the same text: `` tokenization`` has 1,834 in
cl100k_base. A model has seen almost none of them (arXiv 2506.19004).

    ways(tokenizer, " tokenization").count
"""

from __future__ import annotations

from math import log2
from time import perf_counter
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE
from tokenarium_core.errors import TokenariumError, UnsupportedError
from tokenarium_core.explaining.decoded_pieces import DecodedPieces, PieceTable
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import UNKNOWN, Trace

BY_LENGTH: Final = 256
"""The most bytes of a text for which the sequences are also counted by their number of tokens."""

RANKED: Final = 2048
"""The most bytes of a text for which the best sequences are searched."""

RANKED_BY_SCORE: Final = 512
"""The same for Unigram, whose search does not run in steps."""

_BY_BYTES: Final = 1 << 40  # more than any sum of ids
_LOOK: Final = 64  # bytes between two looks at the clock

FEWEST: Final = "the fewest tokens; among equals, first those without byte fallback, then the smaller sum of ids"
LONGEST_FIRST: Final = "the longest first token, then the longest second one, and so on"
BY_SCORE: Final = "the sum of the scores of its pieces, which is what the model maximizes"


@final
class WayOfText:
    """One sequence of ids that decodes to a text; ``score`` is its sum of scores, for Unigram, else 0."""

    def __init__(self, ids: list[int], score: float) -> None:
        self.ids = ids
        self.score = score

    def __repr__(self) -> str:
        return f"<WayOfText {self.ids}>"


@final
class Ways:
    """How many sequences of ids decode to a text.

    ``data``: the bytes for which sequences are counted, to which the tokenizer's own ids decode; ``comes_back`` says
    whether they are the text itself. ``count``: the exact number. ``canonical``: the ids of encoding.
    ``by_length[n]``: how many sequences have n tokens (empty for a text of more than `BY_LENGTH` bytes). ``best``:
    the best of all sequences by ``order``, the best first (empty beyond `RANKED` bytes).
    """

    def __init__(
        self,
        data: bytes,
        comes_back: bool,
        count: int,
        canonical: list[int],
        by_length: list[int],
        best: list[WayOfText],
        order: str,
    ) -> None:
        self.data = data
        self.comes_back = comes_back
        self.count = count
        self.canonical = canonical
        self.by_length = by_length
        self.best = best
        self.order = order

    @property
    def bits_per_byte(self) -> float:
        """The base-2 logarithm of the number of sequences, for each byte of the text; 0 for no text."""
        if not self.data or self.count == 0:
            return 0.0
        return log2(self.count) / len(self.data)

    @property
    def shorter(self) -> int:
        """How many sequences have fewer tokens than encoding gives; -1 if they were not counted by length."""
        if not self.by_length:
            return -1
        total: int = 0
        for size in range(min(len(self.canonical), len(self.by_length))):
            total += self.by_length[size]
        return total

    def __repr__(self) -> str:
        bits = f"{self.bits_per_byte:.3f} bits per byte"
        return f"<Ways of {len(self.data):,} bytes: {len(self.by_length)} lengths, {bits}>"


def ways(
    tokenizer: Tokenizer,
    text: str,
    best: int = 10,
    special: bool = False,
    pieces: DecodedPieces | None = None,
) -> Ways:
    """Returns how many sequences of ids decode to a text, and the ``best`` of them.

    Special tokens count only with ``special``, where a decoder writes them; ids that decode to nothing do not, except
    for one space that the decoder drops at the start. ``pieces`` are those of this tokenizer, if already computed.
    Raises UnsupportedError, with the reason, for a text with unknown tokens, and for decoders that look at several tokens.
    Takes time that grows with the square of the text: a few seconds for 100,000 bytes; `WaysJob` works in steps.
    """
    job = WaysJob(tokenizer, text, best, special, pieces)
    while not job.finished:
        job.step(1e9)
    return job.ways


@final
class WaysJob:
    """Counts the sequences of a text from its end; call `step` until `finished`, then read `ways`."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        text: str,
        best: int = 10,
        special: bool = False,
        pieces: DecodedPieces | None = None,
    ) -> None:
        self.finished = False
        self._tokenizer = tokenizer
        self._most = best
        self._pieces = pieces if pieces is not None else DecodedPieces(tokenizer, special)
        trace = Trace()
        encoding = tokenizer.encode(text, special="all" if special else "none", trace=trace)
        for event in range(len(trace)):
            if i64(trace.kinds[event]) == UNKNOWN:
                raise UnsupportedError(
                    "This text has characters that become unknown tokens, so that no ids decode to it."
                )
        self._encoding = encoding
        self._canonical: list[int] = [i64(token) for token in encoding.ids]
        self._text = tokenizer.decode_bytes(self._canonical)
        self._comes_back = self._text == text.encode("utf-8", "replace")
        self._data = self._text + ZEROS
        self._size: i64 = len(self._text)
        self._at: i64 = self._size
        # The number of ways from a byte to the end, for the last bytes that were counted: by the byte, modulo the room.
        self._room: i64 = 0
        self._counts: list[int] = []
        self._ways: Ways | None = None
        model = tokenizer.model
        scored = isinstance(model, Unigram)
        self._order = BY_SCORE if scored else FEWEST
        if isinstance(model, (WordPiece, LongestMatch)):
            self._order = LONGEST_FIRST
        self._short_at: i64 = self._size if self._size <= BY_LENGTH else 0
        self._lengths: list[list[int]] = []
        self._ranked_at: i64 = self._size if self._size <= RANKED and not scored else 0
        self._lists: list[list[tuple[int, int, list[int], int, int]]] = []
        nothing: list[int] = []
        for _ in range(self._short_at + 1):
            self._lengths.append([])
        self._lengths[self._short_at] = [1]
        for _ in range(self._ranked_at + 1):
            self._lists.append([])
        self._lists[self._ranked_at] = [(0, 0, nothing, -1, -1)]

    @property
    def ways(self) -> Ways:
        """The result; TokenariumError before the end."""
        result = self._ways
        if result is None:
            raise TokenariumError(
                "The sequences are not counted yet: call step until it is finished."
            )
        return result

    def step(self, budget_ms: float) -> Progress:
        """Counts more for about this many milliseconds."""
        end = perf_counter() + budget_ms / 1000
        while not self.finished and perf_counter() < end:
            if not self._pieces.finished:
                progress = self._pieces.step(budget_ms)
                if not progress.finished:
                    return progress
            elif self._room == 0:
                self._room = max(self._pieces.later.longest, 4) + 1
                self._counts = [0] * self._room
                self._counts[self._size % self._room] = 1
            elif self._at > 0:
                self._count_some()
            elif self._short_at > 0:
                self._short_at -= 1
                self._lengths[self._short_at] = self._by_length(self._short_at)
            elif self._ranked_at > 0:
                stop = max(self._ranked_at - _LOOK // 8, 0)
                while self._ranked_at > stop:
                    self._ranked_at -= 1
                    self._lists[self._ranked_at] = self._best_from(self._ranked_at)
            else:
                self._finish()
        return Progress("Counting", self._size - self._at, self._size, self.finished)

    def _count_some(self) -> None:
        stop = max(self._at - _LOOK, 0)
        while self._at > stop:
            self._at -= 1
            self._counts[self._at % self._room] = self._from(self._pieces.later, self._at)

    def _from(self, table: PieceTable, at: i64) -> int:
        """Returns the number of ways from a byte to the end, whose first piece is in a table."""
        data = self._data
        size = self._size
        counts = self._counts
        room = self._room
        total: int = 0
        if at == size:
            return total
        reach = table.reach(data, at, size)
        stop = at + 1
        while stop <= at + reach:
            row = table.find(data, at, stop)
            if row >= 0:
                times: int = 0
                while row >= 0:
                    times += 1
                    row = table.alike(row)
                further = counts[stop % room]
                total += further if times == 1 else further * times
            stop += 1
        width, written = self._pieces.character(data, at, size)
        if written > 0:
            total += counts[(at + width) % room] * written
        return total

    def _finish(self) -> None:
        self.finished = True
        lengths = self._lengths[0] if self._size <= BY_LENGTH else []
        best = self._found_best()
        self._ways = Ways(
            self._text, self._comes_back, self._total(), self._canonical, lengths, best, self._order
        )

    def _total(self) -> int:
        """Returns the number of ways for the whole text, once all later positions are counted."""
        pieces = self._pieces
        first = pieces.first
        rest = self._counts[0]
        if self._size == 0 or (first is pieces.later and not pieces.strips):
            return rest
        total = self._from(first, 0)
        empty: int = len(first.empty)
        if pieces.strips and pieces.falls_back:
            spaces: int = len(pieces.by_byte[0x20])
            if self._data[0] == 0x20:
                total -= self._counts[1 % self._room] * spaces
            empty += spaces
        return total + empty * (total if pieces.drops_all else rest)

    def _edges(self, table: PieceTable, at: i64) -> list[tuple[list[int], int]]:
        """Returns the options at a byte: ids, several only for a character in byte fallback, and the byte after them."""
        edges: list[tuple[list[int], int]] = []
        if at == self._size:
            return edges
        reach = table.reach(self._data, at, self._size)
        for stop in range(at + 1, at + reach + 1):
            row = table.find(self._data, at, stop)
            while row >= 0:
                edges.append(([i64(table.tokens[row])], stop))
                row = table.alike(row)
        width, written = self._pieces.character(self._data, at, self._size)
        if written > 0:
            by_byte = self._pieces.by_byte
            written_as = [by_byte[byte][0] for byte in self._data[at : at + width]]
            edges.append((written_as, at + width))
        return edges

    def _first_edges(self) -> list[tuple[list[int], int]]:
        """Returns the same for the first id, including ids that decode to nothing there followed by one that does not."""
        pieces = self._pieces
        if pieces.first is pieces.later and not pieces.strips:
            return self._edges(pieces.later, 0)
        edges = self._edges(pieces.first, 0)
        empty = list(pieces.first.empty)
        if pieces.strips and pieces.falls_back:
            spaces = pieces.by_byte[0x20]
            edges = [edge for edge in edges if not (self._data[0] == 0x20 and edge[0][0] in spaces)]
            empty += spaces
        after = edges if pieces.drops_all else self._edges(pieces.later, 0)
        both = list(edges)
        for token in empty:
            for ids, stop in after:
                both.append(([token, *ids], stop))
        return both

    def _edges_at(self, at: i64) -> list[tuple[list[int], int]]:
        return self._edges(self._pieces.later, at) if at > 0 else self._first_edges()

    def _by_length(self, at: i64) -> list[int]:
        """Returns how many sequences from a byte on have 0, 1, 2 … tokens."""
        counts: list[int] = []
        for ids, stop in self._edges_at(at):
            further = self._lengths[stop]
            tokens = len(ids)
            while len(counts) < len(further) + tokens:
                counts.append(0)
            for length in range(len(further)):
                counts[length + tokens] += further[length]
        return counts

    def _best_from(self, at: i64) -> list[tuple[int, int, list[int], int, int]]:
        """Returns the best sequences from a byte, given those from all later ones.

        Each consists of two numbers to compare, the first ids, the byte after them, and its index in the list there.
        """
        longest = self._order == LONGEST_FIRST
        pieces = self._pieces
        best: list[tuple[int, int, list[int], int, int]] = []
        for ids, stop in self._edges_at(at):
            total: int = 0
            for token in ids:
                total += token
            if pieces.falls_back and ids[0] in pieces.by_byte[self._data[at]]:
                total += _BY_BYTES
            further = self._lists[stop]
            for index in range(len(further)):
                if longest:
                    best.append((at - stop, len(ids), ids, stop, index))
                else:
                    tokens, ids_sum, _, _, _ = further[index]
                    best.append((tokens + len(ids), ids_sum + total, ids, stop, index))
        best.sort()
        return best[: self._most]

    def _found_best(self) -> list[WayOfText]:
        model = self._tokenizer.model
        if self._size == 0 or self._most < 1:
            return []
        if isinstance(model, Unigram):
            return self._best_by_score(model) if self._size <= RANKED_BY_SCORE else []
        best: list[WayOfText] = []
        if self._size > RANKED:
            return best
        for index in range(len(self._lists[0])):
            ids: list[int] = []
            byte: int = 0
            number = index
            while byte < self._size:
                _, _, some, stop, further = self._lists[byte][number]
                ids += some
                byte = stop
                number = further
            best.append(WayOfText(ids, 0.0))
        return best

    def _best_by_score(self, model: Unigram) -> list[WayOfText]:
        """Returns the best paths through the lattices of all words, one after another."""
        encoding = self._encoding
        data = encoding.text.data
        names = encoding.pre_tokens.names
        best = [WayOfText([], 0.0)]
        start: i64 = 0
        taken: i64 = 0
        for word in range(len(encoding.pre_tokens.ends)):
            stop: i64 = i64(encoding.pre_tokens.ends[word])
            kind: i64 = i64(encoding.pre_tokens.rules[word])
            rule = names[kind]
            if rule == ADDED_RULE or rule == SPECIAL_RULE:
                while taken < len(encoding) and i64(encoding.places[taken * 2]) < start:
                    taken += 1
                best = [WayOfText([*way.ids, encoding.ids[taken]], way.score) for way in best]
            elif stop > start and kind != encoding.pre_tokens.removed:
                lattice = model.lattice(data[start:stop].decode())
                words = [
                    WayOfText(model.path_ids(lattice, path), path.score)
                    for path in lattice.n_best(self._most)
                ]
                best = _both(best, words, self._most)
            start = stop
        return best


def _both(left: list[WayOfText], right: list[WayOfText], most: int) -> list[WayOfText]:
    """Returns the best ways for two consecutive words; in the order of ``right`` if ``left`` is empty."""
    both: list[tuple[float, int, WayOfText]] = []
    for before in left:
        for after in right:
            way = WayOfText(before.ids + after.ids, before.score + after.score)
            both.append((-way.score, len(both), way))
    if len(left) > 1:
        both.sort(key=_by_score)
    return [way for _, _, way in both[:most]]


def _by_score(ranked: tuple[float, int, WayOfText]) -> tuple[float, int]:
    return ranked[0], ranked[1]
