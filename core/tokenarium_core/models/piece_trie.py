"""A trie of pieces with two roots: pieces that may begin a word, and pieces that continue one.

One open-addressing table finds an edge by its node and its byte; its entry is one integer,
``node << 32 | byte << 24 | child``. The first two bytes of a piece are looked up together.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.trace import NO_PIECE
from tokenarium_core.vocabulary import CONTINUING, NORMAL, UNUSED, Vocabulary

START: Final = 0
INSIDE: Final = 1
"""The roots: of pieces at the start of a word, and inside it."""

_MOST_NODES: Final = 1 << 24
_CHILD: Final = 0xFFFFFF
_MULTIPLIER: Final = 0x2545F491
_NOTHING: Final = NO_PIECE * 2


@final
class PieceTrie:
    """The pieces of a vocabulary as WordPiece looks them up, by their bytes.

    At the start of a word every piece counts as spelled in its file, so ``##ing`` means those five characters there;
    inside a word, only the part after the affix counts. ``left_out`` are ids that no word produces: tokens that were
    added to the vocabulary later. ``longest_piece`` counts bytes, including an affix, and ``states`` the nodes with the
    roots.

    With a ``mark``, a word begins with it, as in llama.cpp: an entry with the marker in front may begin a word,
    without it, and every entry may continue one, as spelled. ``marked`` is the entry that consists of only the
    marker, -1 if there is none.

    ``whole``: only whole words are looked up, so that no piece is needed inside one. ``cached``: the earlier output of
    `dump`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        left_out: frozenset[int] = frozenset(),
        mark: bytes = b"",
        whole: bool = False,
        cached: CacheReader | None = None,
    ) -> None:
        # Of each node: its id and, in the lowest bit, whether edges leave it.
        self._tokens = vec[i32]([_NOTHING] * 1024)
        self._singles = vec[i32]([_NOTHING] * (2 << 8))  # the same by root and byte
        self._pairs = vec[i32]([0] * (2 << 16))  # nodes by root and two bytes
        self.states: i64 = 2
        self._edges = vec[i64]([0] * 2048)
        self._mask: i64 = 2047
        self.stop: i64 = 0  # the byte after the piece that `longest` found
        self.longest_piece: i64 = 0
        affix = vocabulary.affix.encode()
        self._affix = affix
        self._affix_start: i64 = affix[0] if affix and not mark else -1
        self.marked: i64 = -1
        if cached is not None:
            self._load(cached)
            return
        for token in range(vocabulary.count):
            kind: i64 = i64(vocabulary.kinds[token])
            if kind == UNUSED or token in left_out:
                continue
            piece = vocabulary.piece(token)
            if mark:
                spelled = mark + piece if kind == NORMAL else piece
                self._add(INSIDE, spelled, token)
                if spelled == mark:
                    self.marked = token
                elif spelled.startswith(mark):
                    self._add(START, spelled[len(mark) :], token)
            elif kind == CONTINUING:
                self._add(INSIDE, piece, token)
            else:
                self._add(START, piece, token)
                if not affix and not whole:
                    self._add(INSIDE, piece, token)

    def dump(self, out: CacheWriter) -> None:
        """Writes the trie, for ``cached``."""
        out.i32s(self._tokens[: self.states])
        out.i32s(self._singles)
        out.i32s(self._pairs)
        out.i64s(self._edges)
        out.number(self.states)
        out.number(self.longest_piece)
        out.number(self.marked)

    def _load(self, cached: CacheReader) -> None:
        self._tokens = cached.i32s()
        self._singles = cached.i32s()
        self._pairs = cached.i32s()
        self._edges = cached.i64s()
        self._mask = len(self._edges) - 1
        self.states = cached.number()
        self.longest_piece = cached.number()
        self.marked = cached.number()

    def longest(self, data: bytes, start: i64, stop: i64, root: i64) -> i64:
        """Returns the id of the longest piece that is a prefix of ``data[start:stop]``, -1 if there is none.

        `stop` is then the byte after it.
        """
        byte: i64 = data[start]
        if root == START and byte == self._affix_start and self._has_affix(data, start, stop):
            inside = start + len(self._affix)
            if inside < stop:
                continuing = self.longest(data, inside, stop, INSIDE)
                if continuing >= 0:
                    return continuing
        edges = self._edges
        mask = self._mask
        tokens = self._tokens
        longest: i64 = -1
        known: i64 = i64(self._singles[root << 8 | byte])
        at = start + 1
        if known >= 0:
            longest = known >> 1
            self.stop = at
        if at == stop or known & 1 == 0:
            return longest
        follower: i64 = data[at]
        node: i64 = i64(self._pairs[root << 16 | byte << 8 | follower])
        if node == 0:
            return longest
        while True:
            at += 1
            known = i64(tokens[node])
            if known >= 0:
                longest = known >> 1
                self.stop = at
            if at >= stop or known & 1 == 0:
                return longest
            byte = data[at]
            key = node << 8 | byte
            slot = (key * _MULTIPLIER >> 16) & mask
            entry = edges[slot]
            while entry >> 24 != key and entry != 0:
                slot = (slot + 1) & mask
                entry = edges[slot]
            if entry == 0:
                return longest
            node = entry & _CHILD

    def find(self, data: bytes, start: i64, stop: i64, root: i64) -> i64:
        """Returns the id of the piece that is ``data[start:stop]``, -1 if there is none."""
        node = root
        for at in range(start, stop):
            node = self._child(node, data[at])
            if node == 0:
                break
        token: i64 = i64(self._tokens[node]) >> 1
        if token < 0 and root == START and self._has_affix(data, start, stop):
            return self.find(data, start + len(self._affix), stop, INSIDE)
        return token if token >= 0 else -1

    def walk(self, data: bytes, start: i64, stop: i64, root: i64) -> list[tuple[int, int, int]]:
        """Returns the walk of `longest` from a root: (byte, state, id) for each byte that it reads.

        The state is the one that the byte leads to, and the id that of the piece that ends there, or -1. A byte without
        an edge is the last one, with the state -1.
        """
        steps: list[tuple[int, int, int]] = []
        node = root
        for at in range(start, stop):
            byte: i64 = data[at]
            node = self._child(node, byte)
            if node == 0:
                steps.append((byte, -1, -1))
                break
            steps.append((byte, node, self.token_at(node)))
        return steps

    def following(self, state: i64, byte: i64) -> i64:
        """Returns the state that a byte leads to from a state, or -1."""
        node = self._child(state, byte)
        return node if node > 0 else -1

    def token_at(self, state: i64) -> i64:
        """Returns the id of the piece that ends in a state, or -1."""
        known: i64 = i64(self._tokens[state])
        return known >> 1 if known >= 0 else -1

    def _has_affix(self, data: bytes, start: i64, stop: i64) -> bool:
        """Returns whether ``data[start:stop]`` begins with the affix as text."""
        affix = self._affix
        size: i64 = len(affix)
        if stop - start < size or self._affix_start < 0:
            return False
        return data[start : start + size] == affix

    def _add(self, root: i64, piece: bytes, token: i64) -> None:
        """Adds a piece; an empty one can never be found."""
        if not piece:
            return
        size: i64 = len(piece) + (len(self._affix) if root == INSIDE else 0)
        if size > self.longest_piece:
            self.longest_piece = size
        node = root
        byte: i64 = 0
        for at in range(len(piece)):
            byte = piece[at]
            child = self._child(node, byte)
            if child == 0:
                child = self.states
                self.states += 1
                self._reserve()
                self._place(node << 32 | byte << 24 | child)
                self._tokens[node] |= 1
                if at == 1:
                    first: i64 = piece[0]
                    self._pairs[root << 16 | first << 8 | byte] = i32(child)
            node = child
        self._tokens[node] = i32(token * 2 | (i64(self._tokens[node]) & 1))
        byte = piece[0]
        self._singles[root << 8 | byte] = self._tokens[self._child(root, byte)]

    def _child(self, node: i64, byte: i64) -> i64:
        """Returns the node that one byte leads to, 0 if there is none."""
        edges = self._edges
        key = node << 8 | byte
        mask = self._mask
        slot = (key * _MULTIPLIER >> 16) & mask
        while True:
            entry = edges[slot]
            if entry == 0 or entry >> 24 == key:
                return entry & _CHILD
            slot = (slot + 1) & mask

    def _place(self, entry: i64) -> None:
        edges = self._edges
        mask = self._mask
        slot = ((entry >> 24) * _MULTIPLIER >> 16) & mask
        while edges[slot] != 0:
            slot = (slot + 1) & mask
        edges[slot] = entry

    def _reserve(self) -> None:
        """Makes room for one more node, and an edge to it; less than two thirds of the table are used."""
        if self.states > _MOST_NODES:
            raise FormatError(
                f"The entries of this vocabulary need more than {_MOST_NODES:,} nodes of a trie, the most that this"
                " program supports."
            )
        if self.states > len(self._tokens):
            tokens = vec[i32]([_NOTHING] * (len(self._tokens) * 2))
            for node in range(len(self._tokens)):
                tokens[node] = self._tokens[node]
            self._tokens = tokens
        if self.states * 3 > len(self._edges) * 2:
            old = self._edges
            self._edges = vec[i64]([0] * (len(old) * 2))
            self._mask = len(old) * 2 - 1
            for slot in range(len(old)):
                if old[slot] != 0:
                    self._place(old[slot])
