"""Which pieces Unigram training can drop: those whose removal reduces the likelihood least.

Source: ``PruneSentencePieces`` and ``PruneUnreachableSentencePieces`` in google/sentencepiece 0.2.3,
``src/unigram_model_trainer.cc``.
"""

from __future__ import annotations

import math
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.training.unigram.repeated_texts import NONE
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces, kth_largest

_NEVER: Final = -math.inf


@final
class UnigramPruning:
    """One pruning to ``piece_count`` pieces: call `advance` until it returns False; then `keep` marks those that stay
    (1).

    Every word is tokenized in the best way. A piece that is never used is dropped; for the others, the loss of
    likelihood without them is estimated from the second-best tokenization of their text. ``token_count`` is how many
    tokens the corpus has; ``used`` is how often the best tokenizations use each piece, ``losses`` are the estimates
    (minus infinity: none).

    ``by_score``: pieces are not weighed. The characters stay, and those of the others that have the best scores,
    whether they are used or not.
    """

    def __init__(self, pieces: UnigramPieces, piece_count: i64, by_score: bool = False) -> None:
        trie = pieces.trie
        self.token_count = 0.0
        self.keep = vec[u8]([0] * pieces.count)
        self._pieces = pieces
        self._trie = trie
        self._piece_count = piece_count
        self._by_score = by_score
        # By node: the first piece of the best cut from here on.
        self._firsts = vec[i32]([NONE] * trie.size)
        self.used = vec[float]([0.0] * pieces.count)  # how often each piece occurs in the best cuts
        height = trie.height
        self._path = vec[i32]([0] * (height + 1))
        self._path_sums = vec[float]([0.0] * (height + 1))
        self._flow = vec[float]([0.0] * (height + 1))
        self.losses = vec[float]([_NEVER] * pieces.count)
        self._split = SecondCut(pieces)
        self._next: i64 = 1
        self._last: i64 = trie.size - 1
        self._piece: i64 = 0

    def advance(self, steps: i64) -> bool:
        """Processes some nodes or pieces; returns whether there are more."""
        size = self._trie.size
        if self._next < size:
            stop = min(size, self._next + steps)
            self._search(self._next, stop)
            self._next = stop
        elif self._last > 0:
            stop = max(0, self._last - steps)
            self._count(self._last, stop)
            self._last = stop
            if stop == 0:
                for piece in range(self._pieces.count):
                    self.token_count += self.used[piece]
        elif self._piece < self._pieces.count:
            stop = min(self._pieces.count, self._piece + steps)
            if self._by_score:
                self._take_scores(self._piece, stop)
            else:
                self._weigh(self._piece, stop)
            self._piece = stop
        else:
            self._choose()
            return False
        return True

    def _search(self, start: i64, stop: i64) -> None:
        """Finds the best tokenizations starting at some nodes."""
        depths = self._trie.depths
        longest = self._pieces.longest
        links = self._pieces.links
        lengths = self._pieces.lengths
        scores = self._pieces.scores
        path_sums = self._path_sums
        firsts = self._firsts
        for node in range(start, stop):
            depth: i64 = i64(depths[node])
            piece: i64 = i64(longest[node])
            best = scores[piece] + path_sums[depth - i64(lengths[piece])]
            first = piece
            piece = i64(links[piece])
            while piece >= 0:
                total = scores[piece] + path_sums[depth - i64(lengths[piece])]
                if total > best:
                    best = total
                    first = piece
                piece = i64(links[piece])
            path_sums[depth] = best
            firsts[node] = i32(first)

    def _count(self, start: i64, stop: i64) -> None:
        """Counts the pieces that the best tokenizations use, from the nodes ``start`` down to ``stop + 1``."""
        depths = self._trie.depths
        words = self._trie.words
        lengths = self._pieces.lengths
        firsts = self._firsts
        flow = self._flow
        used = self.used
        node = start
        while node > stop:
            depth: i64 = i64(depths[node])
            through = flow[depth] + words[node]
            if through > 0.0:
                flow[depth] = 0.0
                piece: i64 = i64(firsts[node])
                used[piece] += through
                flow[depth - i64(lengths[piece])] += through
            node -= 1

    def _weigh(self, start: i64, stop: i64) -> None:
        """Estimates the loss of likelihood without each of some pieces."""
        pieces = self._pieces
        used = self.used
        split = self._split
        total = self.token_count
        log_total = math.log(total)
        for piece in range(start, stop):
            count = used[piece]
            if count == 0.0:
                continue
            if piece < pieces.characters:
                self.keep[piece] = pieces.alive[piece]  # nothing else can replace it
                continue
            if split.find(piece) > pieces.scores[piece]:
                continue  # never the best way to cut its own text
            log_after = math.log(total + count * float(split.count - 1))
            others = 0.0
            for index in range(split.count):
                others += math.log(used[i64(split.parts[index])] + count) - log_after
            self.losses[piece] = count / total * (math.log(count) - log_total - others)

    def _take_scores(self, start: i64, stop: i64) -> None:
        """Lets the scores of some pieces stand for their losses."""
        pieces = self._pieces
        for piece in range(start, stop):
            if piece < pieces.characters:
                self.keep[piece] = 1
            else:
                self.losses[piece] = pieces.scores[piece]

    def _choose(self) -> None:
        """Keeps the pieces with the largest losses; of equal ones, those with the smaller numbers."""
        losses = self.losses
        kept: i64 = 0
        candidates: i64 = 0
        for piece in range(self._pieces.count):
            if self.keep[piece] != 0:
                kept += 1
            elif losses[piece] != _NEVER:
                candidates += 1
        room = self._piece_count - kept
        if room <= 0:
            return
        bound = _NEVER
        more: i64 = 0
        if candidates > room:
            values = vec[float]([0.0] * candidates)
            candidates = 0
            for piece in range(self._pieces.count):
                if losses[piece] != _NEVER:
                    values[candidates] = losses[piece]
                    candidates += 1
            bound = kth_largest(values, room)
            more = room
            for index in range(candidates):
                if values[index] > bound:
                    more -= 1
        for piece in range(self._pieces.count):
            if losses[piece] > bound:
                self.keep[piece] = 1
            elif more > 0 and losses[piece] == bound:
                self.keep[piece] = 1
                more -= 1


@final
class SecondCut:
    """The best tokenization of the text of a piece without the piece itself.

    ``parts[:count]`` are its pieces in order.
    """

    def __init__(self, pieces: UnigramPieces) -> None:
        self.count: i64 = 0
        longest: i64 = 1
        for piece in range(pieces.count):
            if i64(pieces.lengths[piece]) > longest:
                longest = i64(pieces.lengths[piece])
        self.parts = vec[i32]([0] * longest)
        self._pieces = pieces
        self._path = vec[i32]([0] * (longest + 1))
        self._sums = vec[float]([0.0] * (longest + 1))
        self._firsts = vec[i32]([0] * (longest + 1))

    def find(self, piece: i64) -> float:
        """Returns the score of that tokenization, for a piece of at least two characters."""
        pieces = self._pieces
        parents = pieces.trie.parents
        longest = pieces.longest
        links = pieces.links
        lengths = pieces.lengths
        scores = pieces.scores
        path = self._path
        sums = self._sums
        firsts = self._firsts
        size: i64 = i64(lengths[piece])
        node: i64 = i64(pieces.nodes[piece])
        depth = size
        while depth > 0:
            path[depth] = i32(node)
            node = i64(parents[node])
            depth -= 1
        for depth in range(1, size + 1):
            part: i64 = i64(longest[i64(path[depth])])
            while i64(lengths[part]) > depth or part == piece:
                part = i64(links[part])
            best = _NEVER
            first: i64 = part
            while part >= 0:
                total = scores[part] + sums[depth - i64(lengths[part])]
                if total > best:
                    best = total
                    first = part
                part = i64(links[part])
            sums[depth] = best
            firsts[depth] = i32(first)
        self.count = 0
        depth = size
        while depth > 0:
            first = i64(firsts[depth])
            self.parts[self.count] = i32(first)
            self.count += 1
            depth -= i64(lengths[first])
        return sums[size]
