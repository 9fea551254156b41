"""Which pieces the second stage of SuperBPE may make, told by what two pieces hold."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i64, u8

from tokenarium_core.training.merging.merge_rules import MergeRules
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, MARK, NUMBER, SPACE

STARTS_BLANK: Final = 1
ENDS_BLANK: Final = 2
LINE_BREAK: Final = 4
PUNCTUATION: Final = 8
LETTERS: Final = 16
APART: Final = 32

BLANKS: Final = b"\t\n\x0b\x0c\r "


@final
class SuperwordRules(MergeRules):
    """What is known of each piece, by id, and what may not be joined.

    - ``max_words``: a piece may hold so many words at most (0: any number). Words are what stands
      between blanks of ASCII, as in `superwords.words_in`.
    - ``punctuation``: whether a piece may hold punctuation beside letters or digits.
    - ``lines``: whether something may follow behind a line break, other than blanks.
    - ``apart``: characters whose pieces stay as they are.

    A piece of the first stage is as it is: the rules are asked of joined ones only.
    """

    def __init__(self, max_words: int, punctuation: bool, lines: bool, apart: str) -> None:
        self._max_words: i64 = max_words
        self._punctuation = punctuation
        self._lines = lines
        self._apart = frozenset(apart)
        self._words = vec[i64]()
        self._traits = vec[u8]()

    def learn(self, piece: bytes) -> None:
        """Takes note of the piece of the next id."""
        self._words = append(self._words, len(piece.split()))
        self._traits = append(self._traits, u8(self._traits_of(piece)))

    def _traits_of(self, piece: bytes) -> i64:
        traits: i64 = 0
        if piece[:1] in BLANKS:
            traits |= STARTS_BLANK
        if piece[-1:] in BLANKS:
            traits |= ENDS_BLANK
        if b"\n" in piece or b"\r" in piece:
            traits |= LINE_BREAK
        for character in piece.decode("utf-8", "ignore"):
            flags: i64 = FLAGS[ord(character)]
            if flags & (LETTER | NUMBER):
                traits |= LETTERS
            elif flags & (SPACE | MARK) == 0:
                traits |= PUNCTUATION
            if character in self._apart:
                traits |= APART
        return traits

    def allow(self, left: i64, right: i64) -> bool:
        """Tells whether two pieces may be joined."""
        one = i64(self._traits[left])
        other = i64(self._traits[right])
        both = one | other
        if both & APART:
            return False
        if not self._punctuation and both & PUNCTUATION and both & LETTERS:
            return False
        if not self._lines and one & LINE_BREAK and self._words[right] > 0:
            return False
        return self._max_words == 0 or self._joined_words(left, right) <= self._max_words

    def add(self, left: i64, right: i64) -> None:
        """Takes note of the piece of the next id, which is joined of two."""
        one = i64(self._traits[left])
        other = i64(self._traits[right])
        within = LINE_BREAK | PUNCTUATION | LETTERS | APART
        traits = (one & STARTS_BLANK) | (other & ENDS_BLANK) | ((one | other) & within)
        self._words = append(self._words, self._joined_words(left, right))
        self._traits = append(self._traits, u8(traits))

    def _joined_words(self, left: i64, right: i64) -> i64:
        """Returns how many words a joined piece has: one fewer where a word goes on."""
        words = self._words[left] + self._words[right]
        if (
            i64(self._traits[left]) & ENDS_BLANK == 0
            and i64(self._traits[right]) & STARTS_BLANK == 0
        ):
            words -= 1
        return words
