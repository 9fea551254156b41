"""The longest-prefix walk: the tries of a tokenizer, and the path of a text through them.

Before a model runs, such tokens are matched in the text by a trie over bytes: from a position, each byte leads to a
state, some states end a token, and the last of these is taken. Then the walk restarts after it, or after one character
if nothing matched. WordPiece walks through all its entries in the same way.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.added_tokens import ALL, AddedMatch, AddedToken
from tokenarium_core.encoding import Encoding
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.lookup_models import UnitModel
from tokenarium_core.models.piece_trie import INSIDE, START, PieceTrie
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalized_text import NormalizedText, unchanged
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.sections import joined, part_of
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import PRE_TOKEN, UNKNOWN, Trace
from tokenarium_core.unicode.utf8 import character_sizes
from tokenarium_core.vocabulary import SPACE_MARK, USER_DEFINED

ADDED: Final = "added tokens"
NORMALIZED: Final = "added tokens, in normalized text"
MODEL: Final = "user-defined pieces"
NORMALIZER: Final = "user-defined pieces, as the file spells them"

WORDS: Final = "entries of words"

WORD_TOO_LONG: Final = "its word has too many characters"
WORD_UNKNOWN: Final = "no entry fits a later part of its word"
"""Why no part of a word in WordPiece is taken: the whole word is the unknown token."""

MARK: Final = "▁".encode()


@final
class PrefixStep:
    """One byte that the walk reads: the ``state`` it leads to, -1 for none, and the id that ends there, -1 for none."""

    def __init__(self, byte: int, state: int, id: int) -> None:
        self.byte = byte
        self.state = state
        self.id = id

    def __repr__(self) -> str:
        return f"<PrefixStep {self.byte:02X} to state {self.state}, id {self.id}>"


@final
class PrefixPlace:
    """The walk from one position: ``steps`` starting at byte ``start`` of the text of the walk.

    The longest match is ``data[start:stop]`` with the id ``id``; without one, ``id`` is -1, and ``stop`` is after the
    character. ``left``: why a match remains text nevertheless, see `AddedMatch` and `WORD_UNKNOWN`;
    empty if it is taken. ``root`` is the initial state: 0, or 1 inside a word of WordPiece.
    """

    def __init__(
        self, start: int, stop: int, id: int, steps: list[PrefixStep], root: int = 0
    ) -> None:
        self.start = start
        self.stop = stop
        self.id = id
        self.steps = steps
        self.left = ""
        self.root = root

    def __repr__(self) -> str:
        return f"<PrefixPlace {self.start}:{self.stop}, id {self.id}, {len(self.steps)} steps>"


@final
class PrefixTrie:
    """The trie of one stage: what it matches, and how many states it has.

    ``stage`` is `ADDED`, `NORMALIZED`, `MODEL`, `NORMALIZER` or `WORDS`. ``pieces[k]`` has the id ``ids[k]``.
    ``states`` counts the states of the automaton that runs, over bytes, with the first one, 0. SentencePiece's pieces
    have a space here for the ``▁`` of their file, one byte for three, except those of the `NORMALIZER`, which does not
    apply its rules to them. `WORDS` has two first states: 0 at the start of a word, and 1 inside one.
    """

    def __init__(
        self,
        stage: str,
        pieces: list[bytes],
        ids: list[int],
        matcher: PrefixMatcher,
        words: PieceTrie | None = None,
    ) -> None:
        self.stage = stage
        self.pieces = pieces
        self.ids = ids
        self._matcher = matcher
        self._words = words
        self._ends: dict[int, int] = {}  # the id that ends in a state, made at the first use

    def __repr__(self) -> str:
        return f"<PrefixTrie {self.stage}: {len(self.pieces):,} pieces, {self.states:,} states>"

    @property
    def states(self) -> int:
        """How many states the trie has over bytes, with the first one."""
        return self._words.states if self._words is not None else self._matcher.states

    @property
    def character_states(self) -> int:
        """How many states it would have over characters: the nodes of transformers' ``Trie``, including its root.

        0 for `WORDS`.
        """
        if self._words is not None:
            return 0
        beginnings: set[str] = {""}
        for piece in self.pieces:
            text = piece.decode("utf-8", "replace")
            for size in range(1, len(text) + 1):
                beginnings.add(text[:size])
        return len(beginnings)

    def walk(self, data: bytes, start: int = 0, stop: int = -1) -> list[PrefixPlace]:
        """Returns the walks over ``data[start:stop]`` from left to right: each begins where the last one ended."""
        text = data + ZEROS
        last: i64 = len(data) if stop < 0 else stop
        places: list[PrefixPlace] = []
        at: i64 = start
        while at < last:
            place = self._place(text, at, last)
            places.append(place)
            at = place.stop
        return places

    def edges(self, state: int) -> list[PrefixStep]:
        """Returns the transitions from a state, in the order of the bytes."""
        steps: list[PrefixStep] = []
        for byte in range(256):
            following = self._following(state, byte)
            if following >= 0:
                steps.append(PrefixStep(byte, following, self._id_at(following)))
        return steps

    def _following(self, state: int, byte: int) -> int:
        if self._words is not None:
            return self._words.following(state, byte)
        return self._matcher.following(state, byte)

    def _id_at(self, state: int) -> int:
        """Returns the id of the piece that ends in a state, or -1."""
        if self._words is not None:
            return self._words.token_at(state)
        if not self._ends:
            for index in range(len(self.pieces)):
                node: i64 = 0
                for byte in self.pieces[index]:
                    node = self._matcher.following(node, byte)
                self._ends.setdefault(node, self.ids[index])
        return self._ends.get(state, -1)

    def word_places(self, data: bytes, start: int, stop: int) -> list[PrefixPlace]:
        """Returns the walks of WordPiece over one word, up to where no entry matches."""
        words = self._words
        assert words is not None
        text = data + ZEROS
        places: list[PrefixPlace] = []
        at: i64 = start
        root: i64 = START
        while at < stop:
            steps: list[PrefixStep] = []
            for byte, state, id in words.walk(text, at, stop, root):
                steps.append(PrefixStep(byte, state, id))
            token = words.longest(text, at, stop, root)
            if token < 0:
                places.append(PrefixPlace(at, stop, -1, steps, root))
                break
            places.append(PrefixPlace(at, words.stop, token, steps, root))
            at = words.stop
            root = INSIDE
        if places and places[len(places) - 1].id < 0:
            for place in places:
                place.left = WORD_UNKNOWN if place.id >= 0 else ""
        return places

    def _place(self, data: bytes, at: i64, stop: i64) -> PrefixPlace:
        steps: list[PrefixStep] = []
        token = -1
        end: i64 = 0
        for byte, state, number in self._matcher.walk(data, at, stop):
            id = -1
            if number >= 0:
                end = at + len(steps) + 1
                id = self._id_at(state)
                token = id
            steps.append(PrefixStep(byte, state, id))
        if token < 0:
            first: i64 = data[at]
            end = min(at + i64(character_sizes[first]), stop)
        return PrefixPlace(at, end, token, steps)


@final
class PrefixWalk:
    """The walk of one stage over a text: ``text`` is what the stage reads, and ``places`` are byte positions in it.

    `NormalizedText.start_of` and ``stop_of`` map them to the original text.
    """

    def __init__(self, trie: PrefixTrie, text: NormalizedText, places: list[PrefixPlace]) -> None:
        self.trie = trie
        self.text = text
        self.places = places

    @property
    def taken(self) -> list[PrefixPlace]:
        """The positions where a token was matched and not left as text."""
        return [place for place in self.places if place.id >= 0 and not place.left]


def prefix_tries(tokenizer: Tokenizer, special: str = ALL) -> list[PrefixTrie]:
    """Returns the tries of a tokenizer in the order in which a text passes them; none if it has no such tokens.

    ``special`` as in `Tokenizer.encode`: the special tokens to match. A SentencePiece model matches its user-defined
    pieces twice: its normalizer leaves them unchanged, and BPE takes them before any merge. Unigram scores
    them along with all other pieces, and has only the first. WordPiece has a trie of all its entries.
    """
    tries: list[PrefixTrie] = []
    added = _added(tokenizer, special, False)
    if added is not None:
        tries.append(added)
    vocabulary = tokenizer.vocabulary
    ids = [
        token for token in range(len(vocabulary)) if i64(vocabulary.kinds[token]) == USER_DEFINED
    ]
    normalizer = tokenizer.normalizer
    if isinstance(normalizer, SentencePieceNormalizer) and normalizer.matcher is not None:
        marks = vocabulary.spelling == SPACE_MARK
        spelled = [
            vocabulary.piece(token).replace(b" ", MARK) if marks else vocabulary.piece(token)
            for token in ids
        ]
        tries.append(PrefixTrie(NORMALIZER, spelled, ids, normalizer.matcher))
    inside = _added(tokenizer, special, True)
    if inside is not None:
        tries.append(inside)
    model = tokenizer.model
    matcher: PrefixMatcher | None = None
    if isinstance(model, CharacterBpe):
        source = model.source
        if isinstance(source, SentencePieceSymbols):
            matcher = source.matcher
    elif isinstance(model, UnitModel) and not model.words:
        matcher = model.matcher
    if matcher is not None and matcher.count > 0:
        pieces = [vocabulary.piece(token) for token in ids]
        tries.append(PrefixTrie(MODEL, pieces, ids, matcher))
    if isinstance(model, WordPiece):
        every = list(range(len(vocabulary)))
        entries = [vocabulary.piece(token) for token in every]
        tries.append(PrefixTrie(WORDS, entries, every, PrefixMatcher([], []), model.trie))
    return tries


def prefix_walks(tokenizer: Tokenizer, text: str, special: str = ALL) -> list[PrefixWalk]:
    """Returns the walk of each stage over a text, in order; `NORMALIZER`, which takes nothing, has none.

    Each walk reads what its stage reads: the added tokens the text, those of normalized text the
    normalized parts in between, and the model the words. Raises what `Tokenizer.encode` does. Meant for lines
    and pages: it creates an object for each byte read.
    """
    trace = Trace()
    encoding = tokenizer.encode(text, special=special, trace=trace)
    walks: list[PrefixWalk] = []
    for trie in prefix_tries(tokenizer, special):
        if trie.stage == ADDED:
            data = padded(text)
            whole = unchanged(data, len(data) - PADDING, 0)
            walks.append(PrefixWalk(trie, whole, _found(tokenizer, trie, whole, special, False)))
        elif trie.stage == NORMALIZED:
            walks.append(_normalized_walk(tokenizer, trie, text, special))
        elif trie.stage in (MODEL, WORDS):
            walks.append(PrefixWalk(trie, encoding.text, _model_places(trie, encoding, trace)))
    return walks


def _added(tokenizer: Tokenizer, special: str, normalized: bool) -> PrefixTrie | None:
    """Returns the trie of the added tokens that are matched in the text, or in the normalized text; None for none."""
    added = tokenizer.added_tokens
    matcher, tokens = added.searched(added.choose(special), normalized)
    if not tokens:
        return None
    pieces = [token.form for token in tokens]
    stage = NORMALIZED if normalized else ADDED
    return PrefixTrie(stage, pieces, [_id(token) for token in tokens], matcher)


def _id(token: AddedToken) -> int:
    return token.id


def _found(
    tokenizer: Tokenizer, trie: PrefixTrie, text: NormalizedText, special: str, normalized: bool
) -> list[PrefixPlace]:
    """Returns the walk of added tokens over a text, with the reasons why some remain text."""
    added = tokenizer.added_tokens
    matches: list[AddedMatch] = []
    added.regions(text.data, text.size, added.choose(special), normalized, matches)
    named = [match for match in matches if match.token.form]
    places = trie.walk(text.data[: text.size])
    met = [place for place in places if place.id >= 0]
    for index in range(min(len(met), len(named))):
        met[index].left = named[index].left
    return places


def _normalized_walk(tokenizer: Tokenizer, trie: PrefixTrie, text: str, special: str) -> PrefixWalk:
    """Returns the walk over the normalized text between the tokens that were taken out of the text itself."""
    added = tokenizer.added_tokens
    data = padded(text)
    size = len(data) - PADDING
    parts: list[NormalizedText] = []
    places: list[PrefixPlace] = []
    at = 0
    for start, stop, token in added.regions(data, size, added.choose(special), False):
        part = unchanged(data[start:stop] + ZEROS, stop - start, start)
        if token < 0 and tokenizer.normalizer is not None:
            part = tokenizer.normalizer.normalize(part)
        if token < 0:
            for place in _found(tokenizer, trie, part, special, True):
                place.start += at
                place.stop += at
                places.append(place)
        parts.append(part)
        at += part.size
    if not parts:
        parts.append(part_of(unchanged(data, size, 0), 0, size))
    return PrefixWalk(trie, joined(parts), places)


def _model_places(trie: PrefixTrie, encoding: Encoding, trace: Trace) -> list[PrefixPlace]:
    """Returns the walk over the words that the model gets."""
    data = encoding.text.data[: encoding.text.size]
    places: list[PrefixPlace] = []
    for event in range(len(trace)):
        if i64(trace.kinds[event]) == PRE_TOKEN:
            start: i64 = i64(trace.positions[event])
            stop: i64 = i64(trace.lefts[event])
            if (
                trie.stage == WORDS
                and event + 1 < len(trace)
                and i64(trace.kinds[event + 1]) == UNKNOWN
            ):
                long = PrefixPlace(start, stop, -1, [])  # no piece was tried
                long.left = WORD_TOO_LONG
                places.append(long)
            elif trie.stage == WORDS:
                places += trie.word_places(data, start, stop)
            else:
                places += trie.walk(data, start, stop)
    return places
