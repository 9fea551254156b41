"""Tokens that stand for themselves: found in a text before it is cut.

Special ones (``<|endoftext|>``, ``[SEP]``) are found only where the caller allows them, others always.
The rules for special tokens are tiktoken's (``tiktoken/core.py``): one in a text is plain text unless it
is allowed, and an error where it is disallowed, so that text from outside cannot forge one. The options of
a token are those of huggingface/tokenizers (``tokenizer/added_vocabulary.rs``). Where several begin at one
place, the longest is taken.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError, SpecialTokenError
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.prefix_matcher import PrefixMatcher

ALL: Final = "all"
NONE: Final = "none"

_WORD: Final = re.compile(r"\w")
_BLANKS: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    [chr(code) for code in range(0x2000, 0x200B)]
)


@final
class AddedToken:
    """One token that stands for itself.

    ``normalized``: it is looked for in the normalised text; ``lstrip`` and ``rstrip``: it takes the blanks
    before and after it; ``single_word``: it counts only where no letter, digit or ``_`` touches it.
    """

    def __init__(
        self,
        content: str,
        id: int,
        special: bool = True,
        normalized: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        single_word: bool = False,
    ) -> None:
        self.content = content
        self.id = id
        self.special = special
        self.normalized = normalized
        self.lstrip = lstrip
        self.rstrip = rstrip
        self.single_word = single_word
        self.form = content.encode("utf-8", "replace")  # what is looked for


@final
class AddedTokens:
    """All tokens that a tokenizer finds before its model has a say; ``special``: the special ones' ids.

    Raises FormatError where one is empty.
    """

    def __init__(self, tokens: list[AddedToken]) -> None:
        self.tokens = tokens
        self.special: dict[str, int] = {}
        self.always = False  # whether there are tokens that need no permission
        self.normalized = False  # whether there are tokens to be found in normalised text
        for token in tokens:
            if not token.content:
                raise FormatError(
                    "A special token is empty: it would stand everywhere. Leave it out."
                )
            if token.special:
                self.special[token.content] = token.id
            else:
                self.always = True
            self.normalized = self.normalized or token.normalized
        self._finders: dict[tuple[frozenset[str], bool], _Finder] = {}

    def choose(self, choice: str | AbstractSet[str]) -> frozenset[str]:
        """Returns the special tokens that "all", "none" or a set of them means; ValueError for unknown ones."""
        if isinstance(choice, str):
            if choice == ALL:
                return frozenset(self.special)
            if choice == NONE:
                return frozenset()
            raise ValueError(f"Special tokens are 'all', 'none' or a set of them, not {choice!r}.")
        unknown = sorted(set(choice) - set(self.special))
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a special token of this tokenizer.")
        return frozenset(choice)

    def check(self, data: bytes, size: int, disallowed: frozenset[str]) -> None:
        """Raises SpecialTokenError where ``data[:size]`` holds a disallowed token."""
        if disallowed:
            longest_first = sorted(disallowed, key=lambda token: (-len(token), token))
            pattern = b"|".join([re.escape(token.encode()) for token in longest_first])
            match = re.compile(pattern).search(data, 0, size)
            if match is not None:
                token = match.group().decode()
                raise SpecialTokenError(
                    f"The text holds the special token {token!r} at byte {match.start()}, which is"
                    " disallowed here: allow it, or encode it as plain text.",
                    token,
                    match.start(),
                )

    def normalize(self, normalizer: Normalizer | None) -> None:
        """Takes the normalised form of those tokens that are looked for in normalised text."""
        if normalizer is not None and self.normalized:
            for token in self.tokens:
                if token.normalized:
                    form = normalizer.normalize_plain(padded(token.content))
                    token.form = form[: len(form) - PADDING]

    def regions(
        self, data: bytes, size: int, allowed: frozenset[str], normalized: bool = False
    ) -> list[tuple[int, int, int]]:
        """Returns the parts of ``data[:size]`` as (start, stop, id): plain text has the id -1.

        ``normalized`` says which tokens are looked for: those of the normalised text, or the others.
        """
        if not allowed and not self.always:
            return [(0, size, -1)] if size else []
        finder = self._finders.get((allowed, normalized))
        if finder is None:
            finder = _Finder(self.tokens, allowed, normalized)
            self._finders[allowed, normalized] = finder
        return finder.regions(data, size)


def of_special(ids: dict[str, int]) -> AddedTokens:
    """Returns special tokens with these ids and no further options."""
    return AddedTokens([AddedToken(content, id) for content, id in ids.items()])


@final
class _Finder:
    """Finds some tokens in a text.

    Where no special token is allowed, they are found nevertheless, and left as text: another token inside
    of one is not found, as in tokenizers.
    """

    def __init__(self, tokens: list[AddedToken], allowed: frozenset[str], normalized: bool) -> None:
        self._tokens = [
            token
            for token in tokens
            if token.normalized == normalized
            and token.form
            and (not allowed or not token.special or token.content in allowed)
        ]
        self._as_text = not allowed
        self._matcher = PrefixMatcher(
            [token.form for token in self._tokens], list(range(len(self._tokens)))
        )

    def regions(self, data: bytes, size: i64) -> list[tuple[int, int, int]]:
        matcher = self._matcher
        parts: list[tuple[int, int, int]] = []
        taken: i64 = 0  # where the last token ends
        at: i64 = matcher.find(data, 0, size)
        while at < size:
            token = self._tokens[matcher.number]
            start = at
            stop: i64 = at + len(token.form)
            at = stop
            if not (token.special and self._as_text) and not (
                token.single_word and touches_word(data, start, stop, size)
            ):
                if token.lstrip:
                    start = blanks_before(data, taken, start)
                if token.rstrip:
                    stop = blanks_after(data, stop, size)
                if taken < start:
                    parts.append((taken, start, -1))
                parts.append((start, stop, token.id))
                taken = stop
                at = stop
            at = matcher.find(data, at, size)
        if taken < size:
            parts.append((taken, size, -1))
        return parts


def touches_word(data: bytes, start: int, stop: int, size: int) -> bool:
    """Tells whether a word character stands right before or behind ``data[start:stop]``."""
    before = data[max(0, start - 4) : start].decode("utf-8", "ignore")
    after = data[stop : min(size, stop + 4)].decode("utf-8", "ignore")
    return _WORD.match(before[-1:]) is not None or _WORD.match(after[:1]) is not None


def blanks_before(data: bytes, first: int, start: int) -> int:
    """Returns where the blanks begin that end at byte ``start``, not before byte ``first``."""
    return first + len(data[first:start].decode("utf-8", "ignore").rstrip(_BLANKS).encode())


def blanks_after(data: bytes, stop: int, size: int) -> int:
    """Returns where the blanks end that begin at byte ``stop``."""
    while stop < size:
        text = data[stop : min(size, stop + 4)].decode("utf-8", "ignore")[:1]
        if text not in _BLANKS:
            break
        stop += len(text.encode())
    return stop
