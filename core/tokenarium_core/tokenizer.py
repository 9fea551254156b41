"""A tokenizer: its stages one behind the other, and its vocabulary.

str -> special tokens -> pre-tokenizer -> model -> Encoding
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.byte_pair_encoder import BytePairEncoder
from tokenarium_core.encode_job import EncodeJob, grown
from tokenarium_core.encoding import Encoding
from tokenarium_core.json_format import write_json
from tokenarium_core.pretokenizer import PADDING, PreTokenizer, padded
from tokenarium_core.special_tokens import NONE, SpecialTokens
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import UNUSED

_SLICE: Final = 2048  # words that are cut before they are encoded: they stay in the nearest cache
_KEPT: Final = 1 << 20  # ids for which room is kept from one text to the next
_FEW: Final = (
    256  # ids for which making a view of them would take longer than reading them one by one
)
_PATIENT: Final = 1 << 40


@final
class Tokenizer:
    """Turns a text into ids and back.

    Not to be used from two threads at once: the caches inside are shared.
    """

    def __init__(
        self,
        name: str,
        pre_tokenizer: PreTokenizer,
        encoder: BytePairEncoder,
        special_tokens: dict[str, int],
    ) -> None:
        self.name = name
        self.pre_tokenizer = pre_tokenizer
        self.encoder = encoder
        self.vocabulary = encoder.vocabulary
        self.special_tokens = special_tokens
        self._special = SpecialTokens(special_tokens)
        self._ends = vec[i32]([0] * _SLICE)
        self._rules = vec[u8]([0] * _SLICE)
        self._out = vec[i32]([0] * 1024)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}: {len(self.vocabulary):,} entries>"

    def encode_ids(self, text: str) -> list[int]:
        """Returns the ids of a text, in which special tokens are plain text."""
        count = self._encode(padded(text))
        if count < _FEW:
            out = self._out
            return [i64(out[index]) for index in range(count)]
        ids: list[int] = memoryview(self._out)[:count].tolist()
        self._release()
        return ids

    def encode_buffer(self, text: str) -> vec[i32]:
        """Returns the same ids as `encode_ids` as an int32 buffer: ``np.asarray(memoryview(ids))``."""
        count = self._encode(padded(text))
        ids = self._out[:count]
        self._release()
        return ids

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """Returns `encode_ids` of each text."""
        return [self.encode_ids(text) for text in texts]

    def encode(
        self,
        text: str,
        special: str | AbstractSet[str] = NONE,
        disallowed: str | AbstractSet[str] = NONE,
        trace: Trace | None = None,
    ) -> Encoding:
        """Returns the ids of a text with their spans and the cuts; the events go into ``trace``.

        ``special`` names the special tokens that are recognised: "none", "all" or a set of them.
        ``disallowed`` names those that must not stand in the text ("all": all that are not recognised).
        tiktoken's own default is ``disallowed="all"``.

        Raises SpecialTokenError for a disallowed token, PatternError for a pattern that fails on this
        text, ValueError for a special token that there is not.
        """
        job = self.encode_job(text, special, disallowed, trace)
        while not job.finished:
            job.step(1e9)
        return job.encoding

    def encode_job(
        self,
        text: str,
        special: str | AbstractSet[str] = NONE,
        disallowed: str | AbstractSet[str] = NONE,
        trace: Trace | None = None,
    ) -> EncodeJob:
        """Returns `encode` as a job to be taken in steps; raises what concerns the special tokens."""
        data = padded(text)
        size = len(data) - PADDING
        allowed = self._special.choose(special)
        self._special.check(data, size, self._special.choose(disallowed) - allowed)
        regions = self._special.regions(data, size, allowed)
        return EncodeJob(self.pre_tokenizer, self.encoder, data, size, regions, trace)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Returns the bytes of the pieces; IndexError for an id that has none."""
        vocabulary = self.vocabulary
        pieces: list[bytes] = []
        for token in ids:
            piece = vocabulary.piece(token)
            if not piece and i64(vocabulary.kinds[token]) == UNUSED:
                raise IndexError(f"The id {token} is unused in {self.name}: it stands for nothing.")
            pieces.append(piece)
        return b"".join(pieces)

    def decode(self, ids: Iterable[int]) -> str:
        """Returns the text of the pieces; bytes that are not UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def save(self, path: str | os.PathLike[str], format: str = "tokenarium") -> None:
        """Writes the tokenizer to a file, whole or not at all; ValueError for an unknown format."""
        if format != "tokenarium":
            raise ValueError(f"Tokenizers are saved as 'tokenarium', not as {format!r}.")
        content = write_json(self.name, self.pre_tokenizer, self.encoder, self.special_tokens)
        temporary = f"{os.fspath(path)}.part"
        try:
            with open(temporary, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)

    def _encode(self, data: bytes) -> i64:
        """Encodes a padded text into ``_out`` and returns the count of ids."""
        pre_tokenizer = self.pre_tokenizer
        encoder = self.encoder
        ends = self._ends
        out = self._out
        stop: i64 = len(data) - PADDING
        position: i64 = 0
        count: i64 = 0
        while position < stop:
            words = pre_tokenizer.cut(data, position, stop, ends, self._rules)
            end: i64 = i64(ends[words - 1])
            if count + end - position > len(out):
                # A guess for the whole text, from its beginning, spares most copies.
                out = grown(out, count, (count + end - position) + (stop - position) // 3)
            word: i64 = 0
            while word < words:
                count = encoder.encode_words(data, position, ends, word, words, out, count)
                word = encoder.word
                position = encoder.position
                long_word = encoder.take_long_word()
                if long_word is not None:
                    long_word.step(_PATIENT, None)
                    count = long_word.write(out, count)
                    if position == i64(ends[word]):
                        word += 1
        self._out = out
        return count

    def _release(self) -> None:
        """Lets go of the room that a long text took."""
        if len(self._out) > _KEPT:
            self._out = vec[i32]([0] * 1024)
