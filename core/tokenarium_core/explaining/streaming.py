"""Ids that arrive one by one: what can be shown after each, what must wait, and where a stop string ends the text.

The beginning of a character whose other bytes are still to come must wait, and so must text that could become a stop
string. A server that decodes each id alone shows U+FFFD for the former, and part of the stop string for the latter.

    for step in stream(tokenizer, tokenizer.encode_ids("Hello 歪"), ["\\n\\n"]): print(step.shown)
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any, final

from mypy_extensions import i64

from tokenarium_core.arguments import ids_of, whole_numbers
from tokenarium_core.decoders.token_decoders import StepsDecoder, byte_of
from tokenarium_core.errors import ArgumentError
from tokenarium_core.explaining.decoded_pieces import adds_bytes, falls_back, written_bytes
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.utf8 import character_at, width_of
from tokenarium_core.vocabulary import BYTE


@final
class StreamStep:
    """One id of a stream, with what a reader has after it.

    ``alone``: what this id decodes to alone, with U+FFFD for bytes that are not characters. ``shown``: how many
    characters of `TokenStream.text` can be shown. ``waiting``: text that could still become a stop string. ``held``:
    the bytes of a character that is not complete. ``stop``: the stop string that ended the stream, if this id
    completed it.
    """

    def __init__(self, token: int, alone: str) -> None:
        self.token = token
        self.alone = alone
        self.shown = 0
        self.waiting = ""
        self.held = b""
        self.stop = ""

    def __repr__(self) -> str:
        return f"<StreamStep id {self.token}: {self.shown} characters, {self.held!r} held>"


@final
class TokenStream:
    """The steps of a stream, made by `step` until `finished`; ``text`` is what was decoded so far.

    ``stopped_at``: the character at which a stop string begins, where the text ends; -1 for none. ``inside``: whether
    the id that completed it also contains other text, before or after the stop string. ``skip_special_tokens`` as in
    `Tokenizer.decode`.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        ids: Iterable[int] | Any,
        stops: Iterable[str] = (),
        skip_special_tokens: bool | None = None,
    ) -> None:
        self.ids = whole_numbers(ids_of(ids))
        self.stops = [stop for stop in stops if stop]
        self.steps: list[StreamStep] = []
        self.text = ""
        self.stopped_at = -1
        self.inside = False
        self.finished = not self.ids
        self._tokenizer = tokenizer
        self._skips = skip_special_tokens
        self._decoder = tokenizer.decoder_for(skip_special_tokens)
        self._by_bytes = adds_bytes(tokenizer.decoder)
        self._falls_back = falls_back(tokenizer.decoder)
        self._bytes = b""  # of the last character, while it is not complete
        self._run: list[int] = []  # ids of byte fallback at the end

    def step(self, budget_ms: float) -> Progress:
        """Processes ids for about this many milliseconds."""
        end = perf_counter() + budget_ms / 1000
        while not self.finished and perf_counter() < end:
            self._take(self.ids[len(self.steps)])
            self.finished = len(self.steps) == len(self.ids) or self.stopped_at >= 0
        return Progress("Decoding", len(self.steps), len(self.ids), self.finished)

    def _take(self, token: int) -> None:
        step = StreamStep(token, self._tokenizer.decode([token], self._skips))
        before = len(self.text)
        if self._by_bytes:
            self._add_bytes(self._bytes_of(token))
            step.held = self._bytes
        else:
            step.held = self._add_text(token)
        self._look_for_stops(step, before)
        self.steps.append(step)

    def _bytes_of(self, token: int) -> bytes:
        """Returns the raw bytes of an id: Hugging Face's decoders replace bytes that are not UTF-8 with U+FFFD."""
        decoder = self._decoder
        if isinstance(decoder, StepsDecoder):
            self._tokenizer.vocabulary.check(token)
            if token in decoder.left_out:
                return b""
            return written_bytes(self._tokenizer.vocabulary, token)
        return self._tokenizer.decode_bytes([token], self._skips)

    def _add_bytes(self, data: bytes) -> None:
        """Adds the bytes of an id, except an incomplete last character."""
        self._bytes += data
        held = incomplete(self._bytes)
        whole = len(self._bytes) - held
        self.text += self._bytes[:whole].decode("utf-8", "replace")
        self._bytes = self._bytes[whole:]

    def _add_text(self, token: int) -> bytes:
        """Adds what an id decodes to after the previous ids; returns bytes that wait for others."""
        run = self._run
        if self._byte_of(token) >= 0:
            run.append(token)
            data = bytes([self._byte_of(id) for id in run])
            held = incomplete(data)
            if held == 0:
                self._decode(len(self.steps) + 1)
            return data[len(data) - held :]
        self._run = []
        self._decode(len(self.steps) + 1)
        return b""

    def _decode(self, count: int) -> None:
        self.text = self._tokenizer.decode(self.ids[:count], self._skips)

    def _byte_of(self, token: i64) -> int:
        vocabulary = self._tokenizer.vocabulary
        vocabulary.check(token)
        if not self._falls_back:
            return -1
        if i64(vocabulary.kinds[token]) == BYTE:
            return vocabulary.piece(token)[0]
        return byte_of(vocabulary.surface(token))

    def _look_for_stops(self, found: StreamStep, before: int) -> None:
        """Ends the text at a stop string, or holds back what could begin one."""
        text = self.text
        longest = 0
        for stop in self.stops:
            longest = max(longest, len(stop))
        first = -1
        since = max(0, before - longest + 1)
        for stop in self.stops:
            at = text.find(stop, since)
            if at >= 0 and (
                first < 0 or at < first or (at == first and len(stop) > len(found.stop))
            ):
                first = at
                found.stop = stop
        if first >= 0:
            self.stopped_at = first
            self.inside = first > before or first + len(found.stop) < len(text)
            found.shown = first
            return
        found.shown = len(text)
        for size in range(min(longest - 1, len(text)), 0, -1):
            end = text[len(text) - size :]
            for stop in self.stops:
                if len(stop) > size and stop.startswith(end):
                    found.waiting = end
                    found.shown = len(text) - size
                    return


def stream(
    tokenizer: Tokenizer,
    ids: Iterable[int] | Any,
    stops: Iterable[str] = (),
    skip_special_tokens: bool | None = None,
) -> TokenStream:
    """Returns the steps of some ids, up to the first stop string; IdError for an id that does not exist.

    Raises ArgumentError if ``stops`` is a single string: each of its characters would be a stop.
    """
    if isinstance(stops, str):
        raise ArgumentError("Stop strings are a list of texts: put the one text into a list.")
    result = TokenStream(tokenizer, ids, stops, skip_special_tokens)
    while not result.finished:
        result.step(1e9)
    return result


def incomplete(data: bytes) -> int:
    """Returns how many bytes at the end may be the beginning of a character; 0 to 3.

    >>> incomplete(b"a\\xe6\\xad"), incomplete(b"a"), incomplete(b"\\xff")
    (2, 0, 0)
    """
    size: i64 = len(data)
    for length in range(1, min(size, 3) + 1):
        lead: i64 = data[size - length]
        if lead & 0xC0 == 0x80:
            continue
        if lead < 0xC2 or lead > 0xF4 or width_of(lead) <= length:
            return 0
        return length if _can_go_on(data[size - length :]) else 0
    return 0


def _can_go_on(data: bytes) -> bool:
    """Returns whether bytes can be the beginning of a character: some bytes after a lead are never in UTF-8."""
    for last in (0x80, 0xBF, 0x90, 0x9F, 0x8F):
        whole = data + bytes([last]) + b"\x80\x80"
        if character_at(whole, 0, len(whole)) > 0:
            return True
    return False
