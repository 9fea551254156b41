"""Which strings of characters SentencePiece lets be a piece, and where a text may be cut because of it.

Source: ``TrainerInterface::IsValidSentencePiece`` in google/sentencepiece's ``src/trainer_interface.cc``.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.unicode.codepoints import CODE_POINTS, SCRIPT_TABLE, SCRIPTS

SPACE: Final = 0x20
"""Stands for ``▁`` here."""

BOUNDARY: Final = 0x1F
"""What no piece holds: it takes the place of user-defined and control symbols in the corpus."""

UNKNOWN_MARK: Final = 0x2585
"""SentencePiece writes ``▅`` for characters that its alphabet leaves out; a line that has one is skipped."""

# The classes of characters. A class of `SCRIPT` or more is a script.
FREE: Final = 0
"""May stand beside any script: a mark that takes the script of what is before it, or where scripts do not matter."""
ALONE: Final = 1
"""Makes no piece with any other character."""
BLANK: Final = 2
LINE_END: Final = 3
SCRIPT: Final = 4

_DIGITS: Final = [*range(0x30, 0x3A), *range(0xFF10, 0xFF1A)]


@final
class PieceRules:
    """The rules of one training; ``classes[code point]`` is the class of a character.

    The kana and the Chinese characters count as one script, and characters that no script has (digits,
    punctuation, emoji) as another. What Unicode assigned after SentencePiece's tables were made has
    no script there.
    """

    def __init__(
        self,
        max_length: i64 = 16,
        by_script: bool = True,
        by_number: bool = True,
        by_whitespace: bool = True,
        split_digits: bool = False,
        space_behind: bool = False,
        space_runs: bool = False,
    ) -> None:
        self.max_length: i64 = max_length
        self.by_script = by_script
        self.by_whitespace = by_whitespace
        self.space_behind = space_behind
        self.space_runs = space_runs
        classes = _script_classes() if by_script else bytearray(CODE_POINTS)
        for code in _DIGITS:
            if split_digits:
                classes[code] = ALONE
            elif not by_number:
                classes[code] = FREE
        classes[0] = ALONE
        classes[BOUNDARY] = ALONE
        classes[UNKNOWN_MARK] = ALONE
        classes[SPACE] = BLANK
        classes[0x0A] = LINE_END
        self.classes = bytes(classes)
        self._marks = bytes(
            [1 if script == "Zinh" and by_script else 0 for script in SCRIPTS]
        )  # by the index of the script

    def is_free(self, code: i64) -> bool:
        """Tells whether pieces with this character have to be looked at as a whole, see `allows`."""
        kind: i64 = self.classes[code]
        return (kind == FREE and self.by_script) or (
            kind == BLANK and (self.space_runs or not self.by_whitespace)
        )

    def allows(self, piece: str) -> bool:
        """Tells whether a string may be a piece; a space stands for ``▁``."""
        size: i64 = len(piece)
        if size == 0 or size > self.max_length:
            return False
        blank = self.space_runs and piece.count(" ") == size
        before: i64 = FREE
        for at, character in enumerate(piece):
            code: i64 = ord(character)
            kind: i64 = self.classes[code]
            if kind == BLANK:
                if not blank and not self._allows_space(at, size):
                    return False
            elif kind == ALONE or kind == LINE_END:
                if size > 1 or (code == 0 or code == BOUNDARY or code == UNKNOWN_MARK):
                    return False
            elif kind == FREE:
                if not self.by_script or self._marks[SCRIPT_TABLE[code]] == 0:
                    before = FREE
            else:
                if before != FREE and before != kind:
                    return False
                before = kind
        return True

    def _allows_space(self, at: i64, size: i64) -> bool:
        """Tells whether a piece of ``size`` characters may have a space at character ``at``."""
        if self.space_behind:
            return at == size - 1 or (not self.by_whitespace and at > 0)
        return at == 0 or (not self.by_whitespace and at < size - 1)


def _script_classes() -> bytearray:
    """Returns the class of each code point where scripts matter."""
    common = SCRIPT + SCRIPTS.index("Zyyy")
    han = SCRIPT + SCRIPTS.index("Hani")
    by_script = bytearray(256)
    for index, script in enumerate(SCRIPTS):
        by_script[index] = SCRIPT + index
        if script == "Zzzz":
            by_script[index] = common
        elif script in ("Hira", "Kana"):
            by_script[index] = han
        elif script == "Zinh":
            by_script[index] = FREE
    classes = bytearray(SCRIPT_TABLE.translate(bytes(by_script)))
    classes[0x30FC] = han  # the mark of a long vowel
    return classes
