"""The ids of a text that arrives in parts, as from a large file."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.padded_text import utf8_size
from tokenarium_core.tokenizer import Tokenizer

_WORTH_A_CALL: Final = 1 << 18  # characters


@final
class EncodeStream:
    """Encodes a text in parts: the ids of all calls of `add` and of `finish` are those of `Tokenizer.encode_buffer`.

    For a tokenizer that ``divides``, as nearly all do, it keeps only what follows the last position where the text may
    be divided. For others it keeps the whole text, and `finish` gives all ids. ``least``: the number of characters
    collected before they are encoded. ``bytes``: the UTF-8 size of everything encoded so far, over all texts.

        for part in parts:
            write(stream.add(part))
        write(stream.finish())
    """

    def __init__(self, tokenizer: Tokenizer, least: int = _WORTH_A_CALL) -> None:
        self._tokenizer = tokenizer
        self._least = least
        self._waiting: list[str] = []
        self._length = 0
        self._enough = self._least
        self._begins = True
        self.bytes: int = 0

    def add(self, part: str) -> vec[i32]:
        """Returns the new ids that no longer depend on what follows; often none."""
        self._waiting.append(part)
        self._length += len(part)
        if self._length < self._enough or not self._tokenizer.divides:
            return vec[i32]()
        return self._encode(False)

    def finish(self) -> vec[i32]:
        """Returns the ids of the rest, and starts a new text."""
        if self._begins:
            text = "".join(self._waiting)
            self._waiting.clear()
            self._length = 0
            self._enough = self._least
            self.bytes += utf8_size(text)
            return self._tokenizer.encode_buffer(text)
        ids = self._encode(True)
        self._begins = True
        return ids

    def _encode(self, ends: bool) -> vec[i32]:
        text = "".join(self._waiting)
        ids, used, size = self._tokenizer.encode_part(text, self._begins, ends)
        self.bytes += size
        rest = text[used:]
        self._waiting = [rest]
        self._length = len(rest)
        # A long rest is tried again when it has doubled: so a text without a place to divide it takes linear time.
        self._enough = max(self._least, 2 * len(rest))
        self._begins = self._begins and used == 0
        return ids
