"""The way back: from ids to text."""

from __future__ import annotations

from tokenarium_core.errors import IdError
from tokenarium_core.vocabulary import UNUSED, Vocabulary


class Decoder:
    """Base of all decoders; this one joins the bytes of the pieces, as byte-level tokenizers do."""

    def __init__(self, name: str) -> None:
        self.name = name

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the bytes of a text; they need not be UTF-8. IdError for an id that has no piece.

        What the reference leaves out by default (control or special tokens), this leaves out too.
        """
        pieces: list[bytes] = []
        for token in ids:
            piece = vocabulary.piece(token)
            if not piece and vocabulary.kinds[token] == UNUSED:
                raise IdError(f"The id {token} is unused: it stands for nothing.")
            pieces.append(piece)
        return b"".join(pieces)
