"""What Oniguruma takes for the same where case does not matter, written out for the `regex` module.

Characters are the same as some others, and some are the same as several: ``ß`` as ``ss``. In a pattern the longest such
sequence counts, from left to right, and only where its letters are side by side: so ``(?i:sss)`` finds ``ßs``, and not
``sß``. A set takes such a sequence, too, after all else; an inverted one does not, and neither does one of the classes
that are no set, such as ``\\p{Lu}``: case always matters to these.

Source: Oniguruma 6.9, ``unravel_case_fold_string`` in ``src/regcomp.c`` and ``i_apply_case_fold`` in ``src/regparse.c``;
the table is made of its answers.
"""

from __future__ import annotations

from typing import Any, Final, final

from tokenarium_core.patterns.alternatives import compile_source
from tokenarium_core.patterns.newer_characters import as_seen, code_seen
from tokenarium_core.patterns.oniguruma_classes import literal
from tokenarium_core.unicode.hf_codepoints_data import CASES, SPELLED

_CASED: Final = 0x20000  # the planes that have characters with a case
_SURROGATES: Final = range(0xD800, 0xE000)
LONGEST: Final = 3
"""How many characters a sequence has at most that is the same as one."""


@final
class CaseFolds:
    """``others[c]`` are all characters that are the same as ``c``, where there are several; ``spelled[c]`` is the sequence
    that ``c`` is the same as, and ``single[sequence]`` are the characters that a sequence is the same as. Sequences consist
    of the first of the characters that are the same.
    """

    def __init__(self) -> None:
        self.others: dict[str, str] = {}
        self.spelled: dict[str, str] = {}
        self.single: dict[str, str] = {}
        for token in CASES.split():
            span, _, shift = token.partition("=")
            start, _, end = span.partition("-")
            for code in range(int(start, 16), int(end or start, 16) + 1):
                first = chr(code - int(shift, 16))
                self.others[first] = self.others.get(first, first) + chr(code)
        for same in list(self.others.values()):
            for character in same:
                self.others[character] = same
        for line in SPELLED.split("\n"):
            code_of_one, _, several = line.partition("=")
            if several:
                sequence = self.firsts("".join([chr(int(code, 16)) for code in several.split()]))
                character = chr(int(code_of_one, 16))
                self.spelled[character] = sequence
                self.single[sequence] = self.single.get(sequence, "") + character
        # All characters that matter to a set.
        self.everything = "".join(
            dict.fromkeys([*self.others, *self.spelled, *"".join(self.single)])
        )

    def firsts(self, text: str) -> str:
        """Returns the first of the characters that are the same as each of a text."""
        return "".join([self.others.get(character, character)[0] for character in text])

    def chunks(self, text: str) -> list[str]:
        """Returns a text cut into characters, and sequences that are the same as one."""
        firsts = self.firsts(text)
        found: list[str] = []
        at = 0
        while at < len(text):
            size = LONGEST
            while size > 1 and (at + size > len(text) or firsts[at : at + size] not in self.single):
                size -= 1
            found.append(text[at : at + size])
            at += size
        return found

    def written(self, chunk: str) -> str:
        """Returns what one of the `chunks` finds, as `regex` writes it."""
        several = self.spelled.get(chunk, self.firsts(chunk) if len(chunk) > 1 else "")
        if not several:
            return self.character(chunk)
        ones = self.single[several]
        return f"(?:{_set_of(ones)}|{self.apart(several)})"

    def character(self, character: str) -> str:
        """Returns a character with those that are the same, without the sequences."""
        return _set_of(self.others.get(character, character))

    def apart(self, text: str) -> str:
        """Returns each character of a text with those that are the same, one after the other."""
        return "".join([self.character(character) for character in text])

    def full_set(self, text: str) -> str:
        """Returns a set, given as `regex` writes it, with the characters that are the same."""
        members = _members(text, self.everything)
        more = [
            _one(character)
            for character in self.others
            if character not in members and not members.isdisjoint(self.others[character])
        ]
        return f"[{text}{''.join(more)}]" if more else text

    def set_or_text(self, text: str, repeated: bool) -> str:
        """Returns the same with the sequences; ``repeated``: ``*`` or ``+`` follows.

        Then no sequence has to be written of which each character is in the set: it finds no more with it.
        """
        text = self.full_set(text)
        members = _members(text, self.everything)
        sequences: list[str] = []
        for character, sequence in self.spelled.items():
            if character in members and sequence not in sequences:
                letters = "".join([self.others.get(letter, letter) for letter in sequence])
                if not (repeated and members.issuperset(letters)):
                    sequences.append(sequence)
        if not sequences:
            return text
        sequences.sort(key=len)
        return f"(?:{text}|{'|'.join([self.apart(sequence) for sequence in sequences])})"

    def other(self, cased: dict[str, str]) -> str:
        """Returns the first class or character that the regex module, by itself, takes for something else in any case.

        ``cased`` has them as they are in a pattern, and as they are written here; the result is empty where all are alike.
        """
        if not cased:
            return ""
        found: Any = compile_source(r"(?V1)[\p{Cased}\p{CWCF}\p{CWCM}]+")
        planes = "".join([chr(code) for code in range(_CASED) if code not in _SURROGATES])
        everything = "".join(found.findall(planes, concurrent=False))
        for source, written in cased.items():
            here = _members(written, everything)
            if written.startswith("(?:") or here != _members(source, everything, "(?i)"):
                return f"{source} in any case"
        return ""


def _members(text: str, everything: str, flags: str = "(?V1)") -> set[str]:
    """Returns which of some characters a set has."""
    compiled: Any = compile_source(flags + text)
    found: set[str] = set()
    for match in compiled.finditer(as_seen(everything), concurrent=False):
        found.add(everything[match.start()])
    return found


_tables: list[CaseFolds] = []


def case_folds() -> CaseFolds:
    """Returns the table, made when it is first asked for."""
    if not _tables:
        _tables.append(CaseFolds())
    return _tables[0]


def _set_of(characters: str) -> str:
    """Returns what finds one of some characters."""
    written = "".join([_one(character) for character in characters])
    return written if len(characters) == 1 else f"[{written}]"


def _one(character: str) -> str:
    return literal(code_seen(ord(character)))
