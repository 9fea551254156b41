"""The way back from WordPiece: pieces joined, with a space before each that begins a word.

Source: Hugging Face tokenizers, ``decoders/wordpiece.rs`` (0.23).
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.decoders.decoder import LEAST_TEXT, Decoder, check_text
from tokenarium_core.errors import IdError
from tokenarium_core.vocabulary import UNUSED, Vocabulary

_CLEANED: Final = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
]
"""What cleaning replaces in each piece with its space, one after the other."""


@final
class WordPieceDecoder(Decoder):
    """Joins pieces; ``cleanup`` takes out the space before punctuation and English contractions.

    ``left_out`` are ids that give no text: those of the special tokens. ``prefix`` marks pieces that
    continue a word, and is left on the first piece of all, as in the reference.
    """

    def __init__(
        self, prefix: str = "##", cleanup: bool = True, left_out: frozenset[int] = frozenset()
    ) -> None:
        super().__init__("WordPiece")
        self.prefix = prefix
        self.cleanup = cleanup
        self.left_out = left_out

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the text of some ids; IdError for an id that has no piece."""
        known: dict[int, str] = {}  # most ids come many times
        parts: list[str] = []
        size: i64 = 0
        for token in ids:
            if token in self.left_out:
                continue
            part = known.get(token)
            if part is None:
                piece = surface(vocabulary, token)
                if not parts:
                    parts.append(cleaned(piece) if self.cleanup else piece)
                    continue
                part = continued(piece, self.prefix)
                if self.cleanup:
                    part = cleaned(part)
                known[token] = part
            parts.append(part)
            size += len(part)
            if size > LEAST_TEXT:
                check_text("The decoder WordPiece", len(ids), size)
        return "".join(parts).encode()


def surface(vocabulary: Vocabulary, token: int) -> str:
    """Returns a piece as its file spells it; IdError for an id that has none."""
    piece = vocabulary.surface(token)
    if not piece and vocabulary.kinds[token] == UNUSED:
        raise IdError(f"The id {token} is unused: it stands for nothing.")
    return piece


def continued(piece: str, prefix: str) -> str:
    """Returns what a piece adds to the text before it: itself without the prefix, or behind a space."""
    return piece[len(prefix) :] if piece.startswith(prefix) else " " + piece


def cleaned(part: str) -> str:
    """Returns a part of a text without the spaces that English puts nowhere."""
    if " " in part:
        for spaced, joined in _CLEANED:
            part = part.replace(spaced, joined)
    return part
