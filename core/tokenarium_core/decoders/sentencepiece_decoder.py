"""From ids back to text in SentencePiece models: joins pieces, decodes bytes, drops the first space.

Source: ``SentencePieceProcessor::Decode`` in google/sentencepiece's ``src/sentencepiece_processor.cc``.
"""

from __future__ import annotations

from typing import final

from librt.strings import BytesWriter
from mypy_extensions import i64

from tokenarium_core.decoders.decoder import LEAST_TEXT, Decoder, check_text
from tokenarium_core.normalizers.sentencepiece_normalizer import MARK, SentencePieceNormalizer
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.unicode.utf8 import character_at
from tokenarium_core.vocabulary import BYTE, CONTROL, SPACE_MARK, UNKNOWN, Vocabulary

_REPLACEMENT = "\ufffd".encode()


@final
class SentencePieceDecoder(Decoder):
    """The decoder of one model.

    ``unknown``: what stands for the unknown piece (``unk_surface``). ``first`` drops the space at the start of
    the first piece, and ``every`` repeats this as long as nothing else was written (``add_dummy_prefix`` and
    ``remove_extra_whitespaces``). ``denormalizer`` runs last. ``shows`` writes control pieces too, as transformers
    does by default; SentencePiece never does.
    """

    def __init__(
        self,
        unknown: bytes,
        first: bool,
        every: bool,
        denormalizer: SentencePieceNormalizer | None = None,
        left_out: frozenset[int] = frozenset(),
        shows: bool = False,
    ) -> None:
        super().__init__("SentencePiece", left_out)
        self.unknown = unknown
        self.first = first
        self.every = every
        self.denormalizer = denormalizer
        self.shows = shows

    def choosing(self, special: frozenset[int], skips: bool) -> Decoder:
        """Returns this decoder with special tokens left out or written; see `Decoder.choosing`."""
        left_out: frozenset[int] = special if skips else frozenset()
        return SentencePieceDecoder(
            self.unknown, self.first, self.every, self.denormalizer, left_out, not skips
        )

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the text, in UTF-8; control pieces give nothing. IdError for an id that does not exist."""
        kinds = vocabulary.kinds
        offsets = vocabulary.offsets
        arena = vocabulary.arena
        marked = vocabulary.spelling != SPACE_MARK
        space = MARK if marked else b" "  # a real space next to marks is never dropped
        writer = BytesWriter()
        waiting = BytesWriter()  # bytes that become characters together
        drop = self.first or self.every
        left_out = self.left_out
        some = len(left_out) > 0
        for token in ids:
            vocabulary.check(token)
            if some and token in left_out:
                continue
            start: i64 = i64(offsets[token])
            stop: i64 = i64(offsets[token + 1])
            kind: i64 = i64(kinds[token])
            if kind == BYTE:
                waiting.write(arena[start:stop])
                continue
            if len(waiting) > 0:
                write_characters(waiting.getvalue(), writer)
                waiting.truncate(0)
            if kind == CONTROL and not self.shows:
                continue
            if len(writer) > 0:
                drop = False
            piece = arena[start:stop]
            if kind == CONTROL:
                writer.write(piece)
                continue
            first = MARK if kind == UNKNOWN else space  # that one is as the file writes it
            if drop and piece.startswith(first):
                piece = piece[len(first) :]
                drop = self.every
            if kind == UNKNOWN:
                piece = self.unknown
            elif marked:
                piece = piece.replace(MARK, b" ")
            writer.write(piece)
            if len(writer) > LEAST_TEXT:
                check_text("The decoder of SentencePiece", len(ids), len(writer))
        if len(waiting) > 0:
            write_characters(waiting.getvalue(), writer)
        text = writer.getvalue()
        if self.denormalizer is not None:
            data = self.denormalizer.normalize_plain(text + ZEROS)
            return data[: len(data) - PADDING]
        return text


def write_characters(data: bytes, writer: BytesWriter) -> None:
    """Writes bytes as UTF-8, with U+FFFD for each byte that is not part of a character."""
    at: i64 = 0
    size: i64 = len(data)
    while at < size:
        length = character_at(data, at, size)
        if length == 0:
            writer.write(_REPLACEMENT)
            at += 1
        else:
            writer.write(data[at : at + length])
            at += length
