"""What comes out of encoding a text: ids, the bytes that each stands for, and the cuts before them."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.pretokenizers.pretokenizer import PreTokens


@final
class Encoding:
    """The ids of a text and where they stand, as packed columns (numpy sees them without a copy).

    ``ids``: one int32 a token. ``spans``: two int32 a token, its first byte in the UTF-8 of the original
    text and the byte behind its last. ``pre_tokens``: the cuts that were made first, with the rule of
    each, in the normalised text ``text``; ``places``: two int32 a token, where it stands there. Where no
    normalizer changed anything, ``places`` are the ``spans``. `pre_token_spans` are the cuts in the original text.

    Spans never go back, and they are what tiktoken (``decode_with_offsets``), tokenizers (``offsets``) and sentencepiece
    (``begin``, ``end``) tell, but for these, where bytes say more:

    - A token that is a part of a character has its own bytes. The others widen it to the character; sentencepiece
      leaves bytes of byte fallback empty but for the last, and tokenizers' Unigram gives each all unknown characters
      around it.
    - What was put in stands nowhere: a span is empty for a space before the text, and for the ids of a template.
      tokenizers names the character behind it, and the beginning of the text for a template. A space behind the text
      stands at its end, in sentencepiece before blanks that were taken away there.
    - What was taken away belongs to no token; sentencepiece counts it to the one before.
    - A character that became several is in the span of each of them; sentencepiece gives it to the last.
    - Characters that became others together are in the span, all of them: ``e`` and its accent by NFC, a match of
      Replace. tokenizers has the first of them, or the last. Where Precompiled takes characters away, and where
      BPE leaves unknown ones out, its offsets slip.
    - Blanks belong to the token that has them, whatever ``trim_offsets`` says.
    - An added token that takes blanks ends where the next one begins; in tokenizers they overlap.
    """

    def __init__(
        self,
        ids: vec[i32],
        spans: vec[i32],
        pre_tokens: PreTokens,
        text: NormalizedText,
        places: vec[i32],
        cut_spans: vec[i32],
    ) -> None:
        self.ids = ids
        self.spans = spans
        self.pre_tokens = pre_tokens
        self.text = text
        self.places = places
        self._cut_spans = cut_spans

    @property
    def pre_token_spans(self) -> vec[i32]:
        """Two int32 a pre-token: its first byte in the original text, and the byte after its last.

        They follow the rules for ``spans``: what was put in alone has an empty span, and what was removed belongs to
        none, so that there may be text between two of them. Of a text that was not changed they are made at each call.
        """
        ends = self.pre_tokens.ends
        count: i64 = len(ends)
        if len(self._cut_spans) or count == 0:
            return self._cut_spans
        spans = vec[i32]([0] * (count * 2))
        start: i32 = 0
        for word in range(count):
            spans[word * 2] = start
            start = ends[word]
            spans[word * 2 + 1] = start
        return spans

    def __len__(self) -> int:
        return len(self.ids)

    def span(self, index: i64) -> tuple[int, int]:
        """Returns the first byte of a token and the byte behind its last."""
        return i64(self.spans[index * 2]), i64(self.spans[index * 2 + 1])
