"""The base of all decoders: from ids back to text."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from tokenarium_core.errors import IdError, RoomError
from tokenarium_core.vocabulary import UNUSED, Vocabulary

LONGEST_ENTRY: Final = 1024
"""The average bytes per entry up to which any number of ids is decoded."""

LEAST_TEXT: Final = 1 << 24
"""Any ids may become this many bytes."""


def check_text(stage: str, count: i64, size: i64) -> None:
    """Raises RoomError if the text of ``count`` ids would be too long; call it before the text is created."""
    if size > LEAST_TEXT and size > count * LONGEST_ENTRY:
        raise RoomError(
            f"{stage} would make more than {max(count * LONGEST_ENTRY, LEAST_TEXT):,} bytes from {count:,} ids, which"
            " no tokenizer needs: its file is damaged, or made to fill the memory. Use another file."
        )


def check_growth(stage: str, room: i64, size: i64) -> None:
    """Raises RoomError if the output of a step would exceed the room; call it before the step."""
    if size > room:
        raise RoomError(
            f"{stage} would make more than {room:,} bytes, many times what the tokens have, which no tokenizer needs:"
            " its file is damaged, or made to fill the memory. Use another file."
        )


class Decoder:
    """Base of all decoders; this one joins the bytes of the pieces, as byte-level tokenizers do.

    The ids in ``left_out`` give no text.
    """

    def __init__(self, name: str, left_out: frozenset[int] = frozenset()) -> None:
        self.name = name
        self.left_out = left_out

    def choosing(self, special: frozenset[int], skips: bool) -> Decoder:
        """Returns this decoder with special tokens left out, or written like any other entry.

        This is ``skip_special_tokens`` in tokenizers and transformers.
        """
        return Decoder(self.name, special if skips else frozenset())

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the bytes of a text; they need not be UTF-8. IdError for an id without a piece.

        What the reference leaves out by default (control or special tokens) is left out here too.
        """
        pieces: list[bytes] = []
        size: i64 = 0
        left_out = self.left_out
        some = len(left_out) > 0
        for token in ids:
            if some and token in left_out:
                continue
            piece = vocabulary.piece(token)
            if not piece and vocabulary.kinds[token] == UNUSED:
                raise IdError(f"The id {token} is unused: it stands for nothing.")
            pieces.append(piece)
            size += len(piece)
            if size > LEAST_TEXT:
                check_text("The decoder", len(ids), size)
        return b"".join(pieces)
