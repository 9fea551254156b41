"""Tokens that stand for themselves: matched in a text before it is split.

Special ones (``<|endoftext|>``, ``[SEP]``) are matched only where the caller allows them, others always.
The rules for special tokens are tiktoken's (``tiktoken/core.py``): one in a text is plain text unless it
is allowed, and an error where it is disallowed, so that text from outside cannot forge one. The options of
a token are those of huggingface/tokenizers (``tokenizer/added_vocabulary.rs``). If several begin at the same
position, the longest is taken.

llama.cpp takes the longest in the whole text first, then the longest in the rest, and so on; of two with the same
length the one with the lower id, where llama.cpp leaves the order to C++'s ``std::sort`` if a file has many tokens.
The whitespace around a token is that of ASCII, and special tokens that are not allowed are not matched
(``tokenizer_st_partition`` in ``src/llama-vocab.cpp``).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final, final

from mypy_extensions import i64

from tokenarium_core.arguments import id_of
from tokenarium_core.errors import ArgumentError, FormatError, SpecialTokenError
from tokenarium_core.normalized_text import check_room, room_for
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.pretokenizers.character_splitters import WORD, word_table
from tokenarium_core.unicode.utf8 import character_sizes

EMPTY_TOKEN: Final = "A special token is empty, so it would match everywhere. Leave it out."
"""The message about an empty token."""

ALL: Final = "all"
NONE: Final = "none"

NOT_ALLOWED: Final = "special tokens are plain text here"
IN_A_WORD: Final = "a letter, digit or _ touches it (single_word)"
NO_ROOM: Final = "it is inside white space that another token strips"
"""Why a matched token remains text."""

_ASCII_BLANKS: Final = b" \t\n\v\f\r"
_BLANKS: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    [chr(code) for code in range(0x2000, 0x200B)]
)


@final
class AddedToken:
    """One token that stands for itself.

    ``normalized``: it is matched in the normalized text; ``lstrip`` and ``rstrip``: it includes the
    whitespace before and after it; ``single_word``: it counts only if no letter, digit or ``_`` is adjacent.
    """

    def __init__(
        self,
        content: str,
        id: int | Any,
        special: bool = True,
        normalized: bool = False,
        lstrip: bool = False,
        rstrip: bool = False,
        single_word: bool = False,
    ) -> None:
        self.content = content
        self.id: int = id_of(id)
        self.special = special
        self.normalized = normalized
        self.lstrip = lstrip
        self.rstrip = rstrip
        self.single_word = single_word
        self.form = content.encode("utf-8", "replace")  # the text that is searched for

    @property
    def flags(self) -> list[str]:
        """The names of its options that are set: special, normalized, lstrip, rstrip, single_word."""
        options = [
            ("special", self.special),
            ("normalized", self.normalized),
            ("lstrip", self.lstrip),
            ("rstrip", self.rstrip),
            ("single_word", self.single_word),
        ]
        return [name for name, on in options if on]


@final
class AddedMatch:
    """A match of an added token in a text.

    ``start`` and ``stop`` are its bytes in the original text, with the whitespace that ``lstrip`` and ``rstrip``
    include. The token is the longest that begins there; `AddedTokens.shorter` has the others. ``left``: why it
    remains text, one of `NOT_ALLOWED`, `IN_A_WORD` and `NO_ROOM`; empty if its id was taken.
    """

    def __init__(self, token: AddedToken, start: int, stop: int, left: str) -> None:
        self.token = token
        self.start = start
        self.stop = stop
        self.left = left

    def __repr__(self) -> str:
        left = f", left as text: {self.left}" if self.left else ""
        return (
            f"<AddedMatch {self.token.content!r} {self.token.id} at {self.start}:{self.stop}{left}>"
        )


@final
class AddedTokens:
    """All tokens that a tokenizer finds before its model runs; ``special``: the ids of the special ones.

    ``longest_first``: they are matched in llama.cpp's order. Raises FormatError if one is empty.
    """

    def __init__(self, tokens: list[AddedToken], longest_first: bool = False) -> None:
        self.tokens = tokens
        self.longest_first = longest_first
        self.special: dict[str, int] = {}
        self.special_ids: set[int] = set()
        self.always = False  # whether some tokens need no permission
        self.normalized = False  # whether there are tokens to be found in normalized text
        for token in tokens:
            if not token.content:
                raise FormatError(EMPTY_TOKEN)
            if token.special:
                self.special[token.content] = token.id
                self.special_ids.add(token.id)
            else:
                self.always = True
            self.normalized = self.normalized or token.normalized
        self._finders: dict[tuple[frozenset[str], bool], _Finder] = {}
        self._by_form: dict[bytes, list[AddedToken]] = {}  # made at the first use

    def with_id(self, id: int | Any) -> list[AddedToken]:
        """Returns the tokens that have this id: none if it is only an entry of the model."""
        number = id_of(id)
        return [token for token in self.tokens if token.id == number]

    def shorter(self, token: AddedToken) -> list[AddedToken]:
        """Returns the tokens that are prefixes of this one, the longest first.

        They are matched at the same time, but not taken where this longer one matches.
        """
        if not self._by_form:
            for one in self.tokens:
                self._by_form.setdefault(one.form, []).append(one)
        prefixes: list[AddedToken] = []
        for length in range(len(token.form), 0, -1):
            alike = self._by_form.get(token.form[:length], [])
            prefixes += [
                one for one in alike if one is not token and one.normalized == token.normalized
            ]
        return prefixes

    def choose(self, choice: str | Collection[str]) -> frozenset[str]:
        """Returns the special tokens that "all", "none" or a set of them means; ArgumentError for unknown ones."""
        if isinstance(choice, str):
            if choice == NONE:
                return frozenset()
            return self._all_of(choice)
        chosen = frozenset(choice)
        unknown = sorted(chosen - set(self.special))
        if unknown:
            raise ArgumentError(f"{unknown[0]!r} is not a special token of this tokenizer.")
        return chosen

    def choose_known(self, choice: str | Collection[str]) -> frozenset[str]:
        """Returns the same of "all" or a set in which unknown ones do not count, as in tiktoken's allowed_special."""
        if isinstance(choice, str):
            return self._all_of(choice)
        return frozenset(choice) & frozenset(self.special)

    def choose_disallowed(
        self, choice: str | Collection[str], allowed: frozenset[str]
    ) -> frozenset[str]:
        """Returns what must not be in a text by tiktoken's disallowed_special: "all" that are not allowed, or a set.

        A set may have any texts, and allowed tokens too, which are refused then.
        """
        if isinstance(choice, str):
            return self._all_of(choice) - allowed
        return frozenset(choice)

    def _all_of(self, choice: str) -> frozenset[str]:
        if choice != ALL:
            raise ArgumentError(
                f"Special tokens are 'all', 'none' or a set of them, not {choice!r}."
            )
        return frozenset(self.special)

    def check(self, data: bytes, size: int, disallowed: frozenset[str]) -> None:
        """Raises SpecialTokenError if ``data[:size]`` contains a disallowed token."""
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
        """Sets the normalized form of the tokens that are matched in normalized text.

        Raises FormatError if two have the same form: in tokenizers the order of a hash map decides between them,
        which differs from process to process.
        """
        if normalizer is not None and self.normalized:
            size: i64 = 0
            made: i64 = 0
            known: dict[bytes, str] = {}
            for token in self.tokens:
                if token.normalized:
                    content = padded(token.content)
                    form = normalizer.normalize_plain(content)
                    token.form = form[: len(form) - PADDING]
                    size += len(content)
                    made += len(form)
                    check_room(
                        f"The normalizer {normalizer.name} of added tokens", made, room_for(size)
                    )
                    other = known.setdefault(token.form, token.content)
                    if other != token.content:
                        raise FormatError(
                            f"The added tokens {other!r} and {token.content!r} are the same once they are normalized, and"
                            " it is not defined which of them the library tokenizers finds. Set normalized to false for"
                            " one of them."
                        )

    def regions(
        self,
        data: bytes,
        size: int,
        allowed: frozenset[str],
        normalized: bool = False,
        matches: list[AddedMatch] | None = None,
    ) -> list[tuple[int, int, int]]:
        """Returns the parts of ``data[:size]`` as (start, stop, id): plain text has the id -1.

        ``normalized`` chooses the tokens to look for: those of the normalized text, or the others. All matches,
        including those left as text, are added to ``matches``, with their positions in ``data``.
        """
        if matches is None and not allowed and not self.always:
            return [(0, size, -1)] if size else []
        return self._finder(allowed, normalized).regions(data, size, matches)

    def searched(
        self, allowed: frozenset[str], normalized: bool
    ) -> tuple[PrefixMatcher, list[AddedToken]]:
        """Returns the matcher for the tokens that `regions` looks for, and these tokens: the number of each is its index."""
        finder = self._finder(allowed, normalized)
        return finder.matcher, finder.tokens

    def _finder(self, allowed: frozenset[str], normalized: bool) -> _Finder:
        finder = self._finders.get((allowed, normalized))
        if finder is None:
            finder = _Finder(self.tokens, allowed, normalized, self.longest_first)
            self._finders[allowed, normalized] = finder
        return finder


def of_special(ids: dict[str, int]) -> AddedTokens:
    """Returns special tokens with these ids and no further options."""
    return AddedTokens([AddedToken(content, id) for content, id in ids.items()])


@final
class _Finder:
    """Matches some tokens in a text.

    Special tokens that are not allowed are matched nevertheless, and left as text: another token inside
    one is not matched, as in tokenizers.
    """

    def __init__(
        self,
        tokens: list[AddedToken],
        allowed: frozenset[str],
        normalized: bool,
        longest_first: bool,
    ) -> None:
        everything = not allowed and not longest_first
        matched_tokens = [
            token
            for token in tokens
            if token.normalized == normalized
            and (everything or not token.special or token.content in allowed)
        ]
        self._longest_first = longest_first
        self._takes_blanks = any(token.lstrip or token.rstrip for token in matched_tokens)
        self.tokens = [token for token in matched_tokens if token.form]
        # Normalization may leave nothing of a token: then it is found between all characters.
        nothing = [token for token in matched_tokens if not token.form]
        self._nothing = nothing[0] if nothing else None
        self._as_text = not allowed
        self.matcher = PrefixMatcher(
            [token.form for token in self.tokens], list(range(len(self.tokens)))
        )

    def regions(
        self, data: bytes, size: i64, matches: list[AddedMatch] | None
    ) -> list[tuple[int, int, int]]:
        """Returns the parts of ``data[:size]``; see `AddedTokens.regions`."""
        if self._longest_first:
            return self._regions_longest_first(data, size, matches)
        parts: list[tuple[int, int, int]] = []
        taken: i64 = 0  # where the last token ends, with the white space that it strips
        at: i64 = 0
        last: i64 = -1  # where the last token ends without them
        before_it: AddedMatch | None = None  # the match of that token
        while True:
            token, start = self._next(data, at, last, size)
            if token is None:
                break
            stop: i64 = start + len(token.form)
            at = stop
            last = stop
            left = ""
            if token.special and self._as_text:
                left = NOT_ALLOWED
            elif token.single_word and touches_word(data, start, stop, size):
                left = IN_A_WORD
            match: AddedMatch | None = None
            if matches is not None:
                match = AddedMatch(token, start, stop, left)
                matches.append(match)
            if left:
                continue
            if token.lstrip:
                start = max(blanks_before(data, start), taken)
            if token.rstrip:
                stop = blanks_after(data, stop, size)
            if start > stop:
                if match is not None:
                    match.left = NO_ROOM
                continue  # inside white space that another token strips: the reference fails here
            if start < taken:
                # It is inside the white space that the token before it strips. That token now ends here.
                first, _, before = parts[-1]
                parts[-1] = (first, start, before)
                if before_it is not None:
                    before_it.stop = start
            elif taken < start:
                parts.append((taken, start, -1))
            if start < stop:
                parts.append((start, stop, token.id))
            taken = stop
            if match is not None:
                match.start = start
                match.stop = stop
                before_it = match
        if taken < size:
            parts.append((taken, size, -1))
        return parts

    def _regions_longest_first(
        self, data: bytes, size: i64, matches: list[AddedMatch] | None
    ) -> list[tuple[int, int, int]]:
        """Returns the parts of ``data[:size]`` by llama.cpp's order."""
        regions: list[tuple[int, int, int]] = []
        matcher = self.matcher
        if self._takes_blanks:
            regions = self._partition(data, 0, size)
        else:
            start = matcher.find(data, 0, size)
            while start < size:
                first = matcher.number
                stop: i64 = start + matcher.length
                # All that may overlap one after the other: mostly it is one token.
                reach = stop
                inner = matcher.find(data, start + 1, size)
                while inner < reach:
                    reach = max(reach, inner + matcher.length)
                    inner = matcher.find(data, inner + 1, size)
                if reach > stop:
                    regions += self._partition(data, start, reach)
                    inner = matcher.find(data, reach, size)  # which describes the match again
                else:
                    regions.append((start, stop, int(first)))
                start = inner
        parts: list[tuple[int, int, int]] = []
        done: i64 = 0
        for begin, end, number in regions:
            token = self.tokens[number]
            if matches is not None:
                matches.append(AddedMatch(token, begin, end, ""))
            if done < begin:
                parts.append((done, begin, -1))
            parts.append((begin, end, token.id))
            done = end
        if done < size:
            parts.append((done, size, -1))
        return parts

    def _partition(self, data: bytes, first: i64, last: i64) -> list[tuple[int, int, int]]:
        """Returns where tokens occur in ``data[first:last]``, the longest first: their positions and numbers."""
        regions: list[tuple[int, int, int]] = []
        matcher = self.matcher
        waiting: list[tuple[int, int]] = [(first, last)]
        while waiting:
            begin, end = waiting.pop()
            hits: list[
                tuple[int, int]
            ] = []  # of the longest token that there is: numbers and places
            longest: i64 = 0
            at = matcher.find(data, begin, end)
            while at < end:
                if matcher.length > longest:
                    longest = matcher.length
                    hits = []
                if matcher.length == longest:
                    hits.append((matcher.number, at))
                at = matcher.find(data, at + 1, end)
            hits.sort()
            taken = bytearray(end - begin)
            for number, place in hits:
                start: i64 = place - begin
                stop: i64 = start + longest
                if taken.find(1, start, stop) >= 0:
                    continue
                token = self.tokens[number]
                while token.lstrip and start > 0 and self._is_blank(data, taken, begin, start - 1):
                    start -= 1
                while (
                    token.rstrip and begin + stop < end and self._is_blank(data, taken, begin, stop)
                ):
                    stop += 1
                taken[start:stop] = b"\1" * (stop - start)
                regions.append((begin + start, begin + stop, number))
            free = taken.find(0) if hits else -1
            while free >= 0:
                until = taken.find(1, free)
                waiting.append((begin + free, end if until < 0 else begin + until))
                free = taken.find(0, until) if until >= 0 else -1
        regions.sort()
        return regions

    def _is_blank(self, data: bytes, taken: bytearray, begin: i64, at: i64) -> bool:
        """Returns whether byte ``begin + at`` is ASCII whitespace that no token includes."""
        return taken[at] == 0 and data[begin + at] in _ASCII_BLANKS

    def _next(self, data: bytes, at: i64, last: i64, size: i64) -> tuple[AddedToken | None, i64]:
        """Returns the first token from byte ``at`` on and where it begins; None at the end.

        An empty token does not count right after the ``last`` one.
        """
        start = self.matcher.find(data, at, size)
        token = self.tokens[self.matcher.number] if start < size else None
        if self._nothing is not None:
            if at == last:
                byte: i64 = data[at]
                at += i64(character_sizes[byte])
            if at < start or (token is None and at == size):
                return self._nothing, at
        return token, start


def touches_word(data: bytes, start: int, stop: int, size: int) -> bool:
    """Returns whether a word character is right before or after ``data[start:stop]``."""
    before = data[max(0, start - 4) : start].decode("utf-8", "ignore")
    after = data[stop : min(size, stop + 4)].decode("utf-8", "ignore")
    table = word_table()
    sides = before[-1:] + after[:1]
    return any(table[ord(character)] == WORD for character in sides)


def blanks_before(data: bytes, start: int) -> int:
    """Returns the start of the whitespace that ends at byte ``start``."""
    while start > 0:
        first = start - 1
        while first > 0 and data[first] & 0xC0 == 0x80:
            first -= 1
        if data[first:start].decode("utf-8", "replace") not in _BLANKS:
            break
        start = first
    return start


def blanks_after(data: bytes, stop: int, size: int) -> int:
    """Returns the end of the whitespace that begins at byte ``stop``."""
    while stop < size:
        text = data[stop : min(size, stop + 4)].decode("utf-8", "ignore")[:1]
        if text not in _BLANKS:
            break
        stop += len(text.encode())
    return stop
