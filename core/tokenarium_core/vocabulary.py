"""The entries of all ids: their pieces in one arena of bytes, found by id or by their bytes.

262,144 pieces are three packed columns here, not 262,144 Python objects.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from importlib import import_module
from io import BytesIO
from typing import Any, Final, final

from librt.strings import BytesWriter, read_i64_le
from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.arguments import data_of
from tokenarium_core.columns import check_rows
from tokenarium_core.errors import FormatError, IdError, TokenError
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.score_runs import ScoreRuns, dump_scores, load_scores
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode import byte_alphabet

NORMAL: Final = 0
UNKNOWN: Final = 1
CONTROL: Final = 2
USER_DEFINED: Final = 3
UNUSED: Final = 4
BYTE: Final = 5
CONTINUING: Final = 6
WORD_END: Final = 7

KINDS: Final = [
    "normal",
    "unknown",
    "control",
    "user-defined",
    "unused",
    "byte",
    "continuing",
    "word end",
]
"""The names of the kinds of a piece, by number.

Continuing pieces occur only inside a word (WordPiece's ``##ing``), word ends only at its end (``ing</w>``).
"""

PLAIN: Final = 0
BYTE_ALPHABET: Final = 1
SPACE_MARK: Final = 2
"""How the file of a vocabulary spells pieces: as they are, in GPT-2's alphabet, or with ``▁`` for a space."""

MAX_IDS: Final = (1 << 21) - 1
"""Ids and ranks are below this, so that a pair of ids and its rank share one 64-bit entry."""

_MULTIPLIER: Final = 0x1E3779B97F4A7C15
_MASK62: Final = 4611686018427387903


@final
class PieceArena:
    """The pieces of a future `Vocabulary`, appended in the order of their ids."""

    def __init__(self, capacity: i64) -> None:
        check_rows(capacity)
        self.writer = BytesWriter()
        self.offsets = vec[i32]([0] * (capacity + 1))
        self.kinds = vec[u8]([NORMAL] * capacity)
        self.scores = vec[float]()
        self.count: i64 = 0

    def add(self, piece: bytes, kind: i64) -> None:
        """Appends the piece of the next id: the bytes that it stands for in a text, with no affix."""
        self.writer.write(piece)
        self.close(kind)

    def close(self, kind: i64) -> None:
        """Ends a piece whose bytes were written to ``writer`` one by one."""
        self.kinds[self.count] = u8(kind)
        self.count += 1
        self.offsets[self.count] = i32(len(self.writer))


@final
class Vocabulary:
    """The pieces of a tokenizer by id, with their kinds; an id without a piece is *unused* and empty.

    ``arena[offsets[id]:offsets[id + 1]]`` are the bytes that a piece stands for in a text, with no affix and with
    a space where the file has ``▁``; ``kinds[id]`` is its kind, ``scores[id]`` its score (no scores: empty).
    Only pieces of the kinds in ``findable`` can be found by their bytes: no text becomes a control piece.
    Raises FormatError if two such pieces have the same bytes.

    It is a mapping too, from the texts of the entries to their ids, as `Tokenizer.get_vocab`: ``vocabulary["Ġlow"]``,
    ``in``, `items`; bytes are found as well. But ``len`` is the number of all ids, also of those without an entry.

    The ids ``outside`` are never found either: added tokens that the model itself does not know.

    ``spelling`` and ``affix`` (``##`` of continuing pieces, ``</w>`` of word ends) say how the file writes them.
    """

    def __init__(
        self,
        pieces: PieceArena,
        findable: tuple[int, ...] = (NORMAL, BYTE),
        spelling: i64 = PLAIN,
        affix: str = "",
        outside: frozenset[int] = frozenset(),
    ) -> None:
        count = pieces.count
        if count > MAX_IDS:
            raise FormatError(
                f"A vocabulary of {count:,} entries is larger than the {MAX_IDS:,} that this program holds."
            )
        pieces.writer.write(ZEROS)
        self.arena = pieces.writer.getvalue()
        self.count: i64 = count
        self.offsets = pieces.offsets[: count + 1]
        self.kinds = pieces.kinds[:count]
        self._scores = pieces.scores
        self._runs: ScoreRuns | None = None  # from which the scores are made at the first use
        self.spelling: i64 = spelling
        self.affix = affix
        self.outside = outside
        self.spelled: dict[int, str] = {}  # spellings that do not follow from the bytes
        self._ids: dict[str, int] | None = None  # made at the first use
        self._bytes: i64 = -1  # whether an entry is not UTF-8; -1 until someone asks
        self._findable = findable
        self._slots = vec[i32]()
        self._mask: i64 = 0
        self._index()

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        out = CacheWriter()
        dump_vocabulary(self, out, searched=len(self._slots) > 0)
        return vocabulary_of, (out.getvalue(),)

    def __len__(self) -> int:
        return self.count

    def _repr_html_(self) -> str:
        """The kinds and a sample of the entries, as a notebook shows them; see `html_view`, which imports this module."""
        return str(import_module("tokenarium_core.html_view").vocabulary_html(self))

    @property
    def scores(self) -> vec[float]:
        """The score of each id; empty if there are none."""
        runs = self._runs
        if runs is not None:
            self._scores = runs.scores()
            self._runs = None
        return self._scores

    @scores.setter
    def scores(self, scores: vec[float]) -> None:
        self._runs = None
        self._scores = scores

    def piece(self, token: i64) -> bytes:
        """Returns the bytes of an id; IdError if there is no such id."""
        self.check(token)
        return self.arena[self.offsets[token] : self.offsets[token + 1]]

    def check(self, token: i64) -> None:
        """Raises IdError if there is no such id."""
        if token < 0 or token >= self.count:
            raise IdError(
                f"There is no id {token}: this vocabulary has the ids 0 to {self.count - 1}."
            )

    def kind(self, token: i64) -> str:
        """Returns the kind of an id as a word, one of `KINDS`; IdError if there is no such id."""
        self.check(token)
        return KINDS[self.kinds[token]]

    def surface(self, token: i64) -> str:
        """Returns a piece as its file spells it: ``Ġthe``, ``▁the``, ``##ing``, ``<0x0A>``."""
        piece = self.piece(token)
        kind: i64 = i64(self.kinds[token])
        if self.spelled and token in self.spelled:
            return self.spelled[token]
        if self.outside and token in self.outside:
            return piece.decode()
        if kind == BYTE and self.spelling == SPACE_MARK:
            return f"<0x{piece[0]:02X}>"
        if self.spelling == BYTE_ALPHABET and kind != CONTROL and kind != USER_DEFINED:
            text = byte_alphabet.to_text(piece)
        else:
            text = piece.decode("utf-8", "backslashreplace")
        if self.spelling == SPACE_MARK:
            text = text.replace(" ", "▁")
        if kind == CONTINUING:
            return self.affix + text
        return text + self.affix if kind == WORD_END else text

    def token(self, token: i64) -> str:
        """Returns an entry as text, of which no two are alike; IdError if there is no such id.

        It is `surface`: what its file writes. Where a file has bytes instead (tiktoken's and Tekken's), each entry is
        in GPT-2's alphabet, as transformers writes them in a tokenizer.json: "Ġlow" for ``b" low"``.
        """
        self.check(token)
        kind: i64 = i64(self.kinds[token])
        if (
            self.spelling == PLAIN
            and kind != CONTROL
            and kind != USER_DEFINED
            and self._has_bytes()
        ):
            return byte_alphabet.to_text(self.piece(token))
        return self.surface(token)

    def _has_bytes(self) -> bool:
        """Returns whether entries need not be text: whether one is not UTF-8, other than those with a spelling of their own."""
        if self._bytes < 0:
            self._bytes = 0
            for token in range(self.count):
                if token in self.spelled:
                    continue
                try:
                    self.piece(token).decode()
                except UnicodeDecodeError:
                    self._bytes = 1
                    break
        return self._bytes == 1

    @property
    def ids(self) -> dict[str, int]:
        """The ids of all entries by their `token`; made at the first use and kept, so take a copy before a change.

        An id without an entry is not in it. Where an added token is spelled as an entry of the model, its id counts.
        """
        found = self._ids
        if found is None:
            found = {}
            for token in range(self.count):
                if self.is_hole(token):
                    continue
                text = self.token(token)
                if token in self.outside:
                    found[text] = token
                else:
                    found.setdefault(text, token)
            self._ids = found
        return found

    def is_hole(self, token: i64) -> bool:
        """Returns whether nothing has this id; IdError if it is not one of the vocabulary."""
        self.check(token)
        return i64(self.kinds[token]) == UNUSED and self.offsets[token] == self.offsets[token + 1]

    def __getitem__(self, token: str | bytes) -> int:
        id = self.get(token)
        if id is None:
            raise TokenError(f"There is no entry {token!r} in this vocabulary.")
        return id

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str | bytes) and self.get(token) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def get(self, token: str | bytes, default: int | None = None) -> int | None:
        """Returns the id of an entry, of its text or its bytes, or the default."""
        if isinstance(token, str):
            return self.ids.get(token, default)
        id = self.find(token)
        return default if id < 0 else id

    def keys(self) -> KeysView[str]:
        """Returns the texts of all entries, by their ids."""
        return self.ids.keys()

    def values(self) -> ValuesView[int]:
        """Returns the ids of all entries."""
        return self.ids.values()

    def items(self) -> ItemsView[str, int]:
        """Returns the text and the id of each entry."""
        return self.ids.items()

    def table(self) -> dict[str, list[Any]]:
        """Returns the entries as columns, for ``pandas.DataFrame`` or ``pyarrow.table``.

        A row for each entry, by their ids: its "id", its "token" as in `ids`, its "piece" (bytes), its "kind", one of
        `KINDS`, and, where the vocabulary has scores, its "score".
        """
        rows = [token for token in range(self.count) if not self.is_hole(token)]
        columns: dict[str, list[Any]] = {
            "id": list(rows),
            "token": [self.token(token) for token in rows],
            "piece": [self.piece(token) for token in rows],
            "kind": [self.kind(token) for token in rows],
        }
        if len(self.scores):
            columns["score"] = [self.scores[token] for token in rows]
        return columns

    def find(self, piece: bytes | Any) -> int:
        """Returns the id of the piece with these bytes, -1 if there is none; ArgumentTypeError for a str."""
        data = data_of(piece)
        return self.find_in(data + ZEROS, 0, len(data))

    def find_in(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns the id of the piece that is ``data[start:stop]`` (padded), -1 if there is none."""
        if len(self._slots) == 0:
            self._index()
        slots = self._slots
        mask = self._mask
        arena = self.arena
        offsets = self.offsets
        size = stop - start
        at: i64 = hash_bytes(data, start, stop) & mask
        while True:
            token: i64 = i64(slots[at])
            if token < 0:
                return -1
            begin: i64 = i64(offsets[token])
            if i64(offsets[token + 1]) - begin == size and same_bytes(
                arena, begin, data, start, size
            ):
                return token
            at = (at + 1) & mask

    def _index(self) -> None:
        """Makes the table by which pieces are found."""
        found = vec[u8]([0] * len(KINDS))
        for kind in self._findable:
            found[kind] = 1
        room: i64 = 1024
        while room < self.count * 2 and self._findable:
            room *= 2
        slots = vec[i32]([-1] * room)
        mask: i64 = room - 1
        self._slots = slots
        self._mask = mask
        arena = self.arena
        offsets = self.offsets
        kinds = self.kinds
        some_outside = len(self.outside) > 0
        for token in range(self.count):
            if found[i64(kinds[token])] == 0 or (some_outside and token in self.outside):
                continue
            begin: i64 = i64(offsets[token])
            end: i64 = i64(offsets[token + 1])
            at: i64 = hash_bytes(arena, begin, end) & mask
            while True:
                other: i64 = i64(slots[at])
                if other < 0:
                    break
                start: i64 = i64(offsets[other])
                size: i64 = i64(offsets[other + 1]) - start
                if size == end - begin and same_bytes(arena, start, arena, begin, size):
                    raise FormatError(
                        f"The ids {other} and {token} have the same bytes, {arena[begin:end]!r}: each entry may occur"
                        " only once in a vocabulary."
                    )
                at = (at + 1) & mask
            slots[at] = i32(token)


def dump_vocabulary(vocabulary: Vocabulary, out: CacheWriter, searched: bool) -> None:
    """Writes a vocabulary; with the table by which pieces are found if it is ``searched`` for those of a text.

    Otherwise that table is made at the first search.
    """
    out.data(vocabulary.arena)
    out.i32s(vocabulary.offsets)
    out.u8s(vocabulary.kinds)
    dump_scores(vocabulary.scores, out)
    out.number(len(vocabulary._findable))
    for kind in vocabulary._findable:
        out.number(kind)
    if searched and len(vocabulary._slots) == 0:
        vocabulary._index()
    out.i32s(vocabulary._slots if searched else vec[i32]())
    out.number(vocabulary.spelling)
    out.text(vocabulary.affix)
    out.number(len(vocabulary.outside))
    for token in vocabulary.outside:
        out.number(token)
    out.number(len(vocabulary.spelled))
    for token, surface in vocabulary.spelled.items():
        out.number(token)
        out.text(surface)


def load_vocabulary(cached: CacheReader) -> Vocabulary:
    """Returns the vocabulary that `dump_vocabulary` wrote."""
    vocabulary = Vocabulary(PieceArena(0))
    vocabulary.arena = cached.data()
    vocabulary.offsets = cached.i32s()
    vocabulary.kinds = cached.u8s()
    vocabulary._runs = load_scores(cached)
    vocabulary._findable = tuple([int(cached.number()) for _ in range(cached.number())])
    vocabulary._slots = cached.i32s()
    vocabulary._mask = len(vocabulary._slots) - 1
    vocabulary.count = len(vocabulary.kinds)
    vocabulary.spelling = cached.number()
    vocabulary.affix = cached.text()
    vocabulary.outside = frozenset([cached.number() for _ in range(cached.number())])
    for _ in range(cached.number()):
        token = cached.number()
        vocabulary.spelled[token] = cached.text()
    return vocabulary


def with_control_pieces(vocabulary: Vocabulary, pieces: dict[int, bytes]) -> Vocabulary:
    """Returns a vocabulary with more control pieces, at ids without an entry and after all others.

    The table by which pieces are found is shared: no text becomes a control piece.
    """
    if CONTROL in vocabulary._findable and len(vocabulary._slots) == 0:
        vocabulary._index()
    arena = vocabulary.arena
    old = vocabulary.offsets
    old_count = vocabulary.count
    count = max([old_count, *[token + 1 for token in pieces]])
    first: i64 = min([old_count, *pieces])
    offsets = extend(vec[i32](capacity=count + 1), old[: first + 1])
    kinds = extend(vec[u8](capacity=count), vocabulary.kinds[:first])
    parts = [arena[: i64(old[first])]]
    end: i64 = i64(old[first])
    for token in range(first, count):
        piece = b""
        kind: i64 = UNUSED
        if token < old_count:
            piece = arena[i64(old[token]) : i64(old[token + 1])]
            kind = i64(vocabulary.kinds[token])
        if token in pieces:
            piece = pieces[token]
            kind = CONTROL
        parts.append(piece)
        end += len(piece)
        offsets = append(offsets, i32(end))
        kinds = append(kinds, u8(kind))
    parts.append(ZEROS)
    result = Vocabulary(PieceArena(0))
    result.arena = b"".join(parts)
    result.offsets = offsets
    result.kinds = kinds
    result.count = count
    result._scores = vocabulary._scores
    result._runs = vocabulary._runs
    result.spelling = vocabulary.spelling
    result._findable = vocabulary._findable
    result._slots = vocabulary._slots
    result._mask = vocabulary._mask
    return result


def vocabulary_of(content: bytes) -> Vocabulary:
    """Returns the vocabulary that `dump_vocabulary` wrote into these bytes."""
    return load_vocabulary(CacheReader(BytesIO(content)))


def hash_bytes(data: bytes, start: i64, stop: i64) -> i64:
    """Returns a hash (31 bits) of ``data[start:stop]``; up to eight bytes after it are read, but not used."""
    value: i64 = stop - start
    at = start
    while at + 8 <= stop:
        value = ((value ^ read_i64_le(data, at)) * _MULTIPLIER) & _MASK62
        value ^= value >> 31
        at += 8
    if at < stop:
        value = ((value ^ (read_i64_le(data, at) & low_bytes[stop - at])) * _MULTIPLIER) & _MASK62
        value ^= value >> 31
    return value >> 20 & 0x7FFFFFFF


def same_bytes(left: bytes, at: i64, right: bytes, start: i64, size: i64) -> bool:
    """Returns whether ``size`` bytes are the same in both; both must be padded."""
    while size >= 8:
        if read_i64_le(left, at) != read_i64_le(right, start):
            return False
        at += 8
        start += 8
        size -= 8
    return size == 0 or (read_i64_le(left, at) ^ read_i64_le(right, start)) & low_bytes[size] == 0


def _low_bytes() -> vec[i64]:
    masks = vec[i64]([0] * 9)
    mask: i64 = 0
    for size in range(1, 9):
        mask = mask * 256 + 255 if size < 8 else -1
        masks[size] = mask
    return masks


low_bytes: Final[vec[i64]] = _low_bytes()
"""``low_bytes[n]`` keeps the first n of eight bytes read as a little-endian integer."""
