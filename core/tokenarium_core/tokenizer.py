"""A tokenizer: its stages one after the other, and its vocabulary.

str -> added tokens -> normalizer -> pre-tokenizer -> model -> template -> Encoding
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from typing import Final, final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.added_tokens import NONE, AddedMatch, AddedTokens
from tokenarium_core.byte_texts import check_takes_bytes, encoding_of_bytes, text_length
from tokenarium_core.columns import GatheredIds, grown
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail, Source
from tokenarium_core.encoding import EncodedTexts, EncodeJob, Encoding, Template
from tokenarium_core.errors import IdError
from tokenarium_core.guard import TURNS
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.models.nested_cuts import MergeLevels, NestedCuts, merge_levels
from tokenarium_core.models.whole_rows import cutter_for
from tokenarium_core.normalized_text import untracked
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS, check_padding, padded, utf8_size
from tokenarium_core.pretokenizers.pretokenizer import (
    PrecomputedCuts,
    PreTokenizer,
    Splitter,
    WholeText,
)
from tokenarium_core.sections import Preparation
from tokenarium_core.text_ends import TextEnds, text_ends
from tokenarium_core.trace import Trace

_SLICE: Final = 2048  # words that are cut before they are encoded: they stay in the nearest cache
_ROOM: Final = 32768  # ids that are gathered at once: they stay in a near cache too
_BLOCK: Final = 32768  # characters that are encoded at once if a text can be cut anywhere
_KEPT: Final = 1 << 20  # the room for ids that is kept from one text to the next
_PATIENT: Final = 1 << 40


@final
class Tokenizer:
    """Turns a text into ids and back.

    ``splitter`` runs before ``pre_tokenizer`` if a pre-tokenizer does more than cut. ``divides``: a long text may be
    encoded in parts, see `EncodeStream`. ``details`` are the settings that
    the file stores, ``source`` says where it came from. ``stored`` are the parts of that file that are written again
    unchanged: see `sentencepiece_format` and `hf_format`.

    Any number of threads may use one tokenizer, or several that share stages: they take turns, and each gets the ids
    that it would get alone. Threads make nothing faster, since compiled code keeps the interpreter's lock; processes
    do. A job (`encode_job`, `nested_cuts`) belongs to one thread at a time. After an error a tokenizer is as good as
    before.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        pre_tokenizer: PreTokenizer,
        added_tokens: AddedTokens,
        normalizer: Normalizer | None = None,
        splitter: Splitter | None = None,
        template: Template | None = None,
        decoder: Decoder | None = None,
        details: list[Detail] | None = None,
    ) -> None:
        self.name = name
        self.model = model
        self.vocabulary = model.vocabulary
        self.pre_tokenizer = pre_tokenizer
        self.added_tokens = added_tokens
        self.normalizer = normalizer
        self.splitter = splitter
        self.template = template
        self.decoder = decoder if decoder is not None else Decoder("bytes")
        self.details: list[Detail] = details if details is not None else []
        self.source = Source("", "")
        self.stored: dict[str, bytes] = {}
        self._preparation = Preparation(added_tokens, normalizer, splitter, pre_tokenizer)
        self.divides = (
            splitter is None
            and not added_tokens.always
            and (
                (normalizer is None and pre_tokenizer.divides)
                or (
                    (normalizer is None or normalizer.local)
                    and model.divides
                    and isinstance(pre_tokenizer, WholeText)
                )
            )
        )
        self._cutter = cutter_for(model, pre_tokenizer)
        has_rules = model.reads_rules or splitter is not None or not pre_tokenizer.names_on_demand
        self._words = WordBatch(vec[i32]([0] * _SLICE), vec[u8]([0] * (_SLICE if has_rules else 0)))
        self._out = vec[i32]([0] * 1024)
        # The most bytes of a text that is one word and encoded at once.
        one_word = splitter is None and isinstance(pre_tokenizer, WholeText)
        self._short: i64 = model.short if one_word else 0
        self._gathered = GatheredIds(len(self.vocabulary))
        self._merge_levels: MergeLevels | None = None
        self._used: i64 = 0
        self._text_bytes: i64 = 0  # of the last text as UTF-8, if there is no normalizer

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}: {len(self.vocabulary):,} entries>"

    @property
    def special_tokens(self) -> dict[str, int]:
        """The ids of the special tokens by their text."""
        return self.added_tokens.special

    @property
    def ends(self) -> TextEnds:
        """The ids that mark the beginning and the end of a text, and which of them the tokenizer adds by itself."""
        format = self.source.format
        if "trainer_spec" in self.stored:  # also where another file keeps the model
            format = "sentencepiece"
        elif self.decoder.name == "Tekken":
            format = "tekken"
        return text_ends(self.special_tokens, self.details, self.template, format)

    def encode_ids(self, text: str) -> list[int]:
        """Returns the ids of a text, in which special tokens are plain text."""
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            gathered.begin()
            count = self._encode(text)
            ids = gathered.finish_list(self._out, count)
            self._release()
        finally:
            turns.leave()
        return ids

    def encode_buffer(self, text: str) -> vec[i32]:
        """Returns the same ids as `encode_ids` as an int32 buffer: ``np.asarray(memoryview(ids))``."""
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            gathered.begin()
            count = self._encode(text)
            ids = gathered.finish_buffer(self._out, count)
            self._release()
        finally:
            turns.leave()
        return ids

    def encode_texts(
        self, texts: Sequence[str], before: Sequence[int] = (), after: Sequence[int] = ()
    ) -> EncodedTexts:
        """Returns the ids of `encode_ids` of each text, with the ids ``before`` and ``after`` it, in one buffer.

        Many short texts are encoded faster so than one by one. Raises PatternError as `encode`, and then returns none.
        """
        first = vec[i32]([i32(token) for token in before])
        last = vec[i32]([i32(token) for token in after])
        ids = vec[i32]()
        lengths = vec[i64]()
        size: i64 = 0
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            for text in texts:
                start: i64 = len(ids)
                gathered.begin()
                count = self._encode(text)
                ids = extend(ids, first)
                ids = extend(ids, gathered.finish_buffer(self._out, count))
                ids = extend(ids, last)
                lengths = append(lengths, i64(len(ids)) - start)
                size += self._text_bytes if self.normalizer is None else i64(utf8_size(text))
            self._release()
        finally:
            turns.leave()
        return EncodedTexts(ids, lengths, size)

    def encode_part(self, text: str, begins: bool, ends: bool) -> tuple[vec[i32], int, int]:
        """Returns ids of a part of a text, and how many of its characters and UTF-8 bytes they are of.

        Only if the tokenizer ``divides``.

        ``begins`` and ``ends`` say whether the text begins and ends with the part. If it does not end, the last
        characters may be left: they have to come again, with what follows. `EncodeStream` does that.
        """
        turns = TURNS
        gathered = self._gathered
        turns.enter()
        try:
            gathered.begin()
            self.model.expect(len(text))
            count = self._encode_blocks(text, begins, ends)
            ids = gathered.finish_buffer(self._out, count)
            used: int = self._used
            size: int = self._text_bytes
            if self.normalizer is not None:
                size = utf8_size(text[:used])
            self._release()
        finally:
            turns.leave()
        return ids, used, size

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """Returns `encode_ids` of each text."""
        return [self.encode_ids(text) for text in texts]

    def encode(
        self,
        text: str,
        special: str | AbstractSet[str] = NONE,
        disallowed: str | AbstractSet[str] = NONE,
        trace: Trace | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
    ) -> Encoding:
        """Returns the ids of a text with their spans and the cuts; the events go into ``trace``.

        ``special`` names the special tokens that are recognised: "none", "all" or a set of them.
        ``disallowed`` names those that must not be in the text ("all": all that are not recognised).
        tiktoken's own default is ``disallowed="all"``. ``template``: with the ids that the tokenizer puts
        before and after a text, if it has any. ``add_bos``, ``add_eos``: with those of `ends`, if it
        has any, instead of the template.

        Raises SpecialTokenError for a disallowed token, PatternError for a pattern that fails on this
        text, ArgumentError (a ValueError) for a special token that does not exist.
        """
        job = self.encode_job(text, special, disallowed, trace, template, add_bos, add_eos)
        while not job.finished:
            job.step(1e9)
        return job.encoding

    def encode_job(
        self,
        text: str | bytes,
        special: str | AbstractSet[str] = NONE,
        disallowed: str | AbstractSet[str] = NONE,
        trace: Trace | None = None,
        template: bool = False,
        add_bos: bool = False,
        add_eos: bool = False,
    ) -> EncodeJob:
        """Returns `encode` as a job to be taken in steps; raises the errors about special tokens.

        Instead of a text, the result of `padded` is accepted, so that several tokenizers can share it.
        """
        data = padded(text) if isinstance(text, str) else text
        check_padding(data)
        size = len(data) - PADDING
        added = self.added_tokens
        allowed = added.choose(special)
        added.check(data, size, added.choose(disallowed) - allowed)
        TURNS.enter()
        try:
            sections = self._preparation.sections(data, size, allowed)
        finally:
            TURNS.leave()
        around = self.template if template else None
        if add_bos or add_eos:
            around = self.ends.chosen(add_bos, add_eos)
        return EncodeJob(sections, self.model, around, trace)

    def encode_bytes(self, data: bytes) -> Encoding:
        """Returns the ids of bytes that need not be UTF-8, as tiktoken's ``_encode_bytes``; their spans count bytes.

        Whole UTF-8 gives the ids of the text. Else the text before the first byte that is not UTF-8 is encoded, and its
        last pre-token is merged as one with all bytes that follow: see `byte_texts`. A special token is plain text.

        Raises NotAvailable for a model that is not byte-level BPE, PatternError as `encode`.
        """
        good = text_length(data)
        if good == len(data):
            return self.encode(data.decode())
        check_takes_bytes(self.model, self.name)
        head = self.encode(data[:good].decode())
        TURNS.enter()
        try:
            return encoding_of_bytes(head, data, self.model)
        finally:
            TURNS.leave()

    def added_token_matches(
        self, text: str, special: str | AbstractSet[str] = NONE
    ) -> list[AddedMatch]:
        """Returns the added tokens that `encode` finds in a text, from left to right, also those left as text.

        Each match is the longest token that begins there, and says why it is left as text. ``special`` as in `encode`;
        with "none", a special token is found and left. All tokens that a tokenizer searches are in
        ``added_tokens.tokens``. Raises ValueError for a special token that does not exist.
        """
        data = padded(text)
        matches: list[AddedMatch] = []
        allowed = self.added_tokens.choose(special)
        TURNS.enter()
        try:
            self._preparation.sections(data, len(data) - PADDING, allowed, matches)
        finally:
            TURNS.leave()
        return sorted(matches, key=_start_of)

    def nested_cuts(self, text: str, special: str | AbstractSet[str] = NONE) -> NestedCuts:
        """Returns the tokens of a text by the first N merges, for every N, as a job to be taken in steps.

        ``special`` as in `encode`. Raises NotAvailable, with the reason, for models whose tokens do not come from
        merges.
        """
        data = padded(text)
        size = len(data) - PADDING
        allowed = self.added_tokens.choose(special)
        TURNS.enter()
        try:
            if self._merge_levels is None:
                self._merge_levels = merge_levels(self.model)
            sections = self._preparation.sections(data, size, allowed)
        finally:
            TURNS.leave()
        return NestedCuts(sections, self.model, self._merge_levels)

    def decoder_for(self, skip_special_tokens: bool | None) -> Decoder:
        """Returns the decoder that leaves special tokens out, keeps them, or, for None, does what its library does."""
        if skip_special_tokens is None:
            return self.decoder
        special = frozenset(self.added_tokens.special_ids)
        return self.decoder.choosing(special, skip_special_tokens)

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool | None = None) -> bytes:
        """Returns the bytes of the text of some ids; IdError, which is an IndexError, for an id that has none.

        ``skip_special_tokens`` as in `decode`.
        """
        numbers = list(ids)
        decoder = self.decoder_for(skip_special_tokens)
        TURNS.enter()
        try:
            return decoder.decode(self.vocabulary, numbers)
        except ValueError:  # from compiled code, for a number beyond 64 bits
            for number in numbers:
                if not -_PATIENT < number < _PATIENT:
                    raise IdError(
                        f"There is no id {number}: this vocabulary has the ids 0 to {len(self.vocabulary) - 1}."
                    ) from None
            raise
        finally:
            TURNS.leave()

    def decode(self, ids: Iterable[int], skip_special_tokens: bool | None = None) -> str:
        """Returns the text that the ids stand for; bytes that are not UTF-8 become U+FFFD.

        ``skip_special_tokens`` leaves special tokens out (True) or writes them (False), as in tokenizers and
        transformers. Without it, they are as the library of the format has them by default: left out in a
        `tokenizer.json`, WordPiece and SentencePiece, written in a file of tiktoken.
        """
        return self.decode_bytes(ids, skip_special_tokens).decode("utf-8", "replace")

    def save(
        self,
        path: str | os.PathLike[str],
        format: str = "tokenarium",
        allow_differences: bool = False,
    ) -> None:
        """Writes the tokenizer in one of the formats, as `save` of `formats.registry` does, whole or not at all.

        Raises ArgumentError (a ValueError) for an unknown format, for one that cannot hold this tokenizer, with the
        reason, and for a copy that would treat some texts otherwise, unless ``allow_differences``; WriteError if the file cannot be written, and then nothing is changed.
        """
        # Only when it is called: the formats import this module.
        registry = import_module("tokenarium_core.formats.registry")
        registry.save(self, path, format, allow_differences)

    def _encode(self, text: str) -> i64:
        """Encodes a text; returns the number of ids in ``_out``, which follow the gathered ones."""
        if len(text) > _BLOCK:
            self.model.expect(len(text))
            if self.divides:
                return self._encode_blocks(text, True, True)
        splitter = self.splitter
        if self.added_tokens.always or (splitter is not None and splitter.reads_origin):
            return self._encode_sections(padded(text))
        normalizer = self.normalizer
        data = padded(text) if normalizer is None else normalizer.normalize_text(text)
        size: i64 = len(data) - PADDING
        self._text_bytes = size
        if splitter is None:
            return self._encode_section(self._cutter, data, 0, size, 0)
        words = splitter.split(untracked(data, size))
        cuts = PrecomputedCuts(words.ends, words.rules, splitter.rules)
        return self._encode_section(cuts, words.text.data, 0, words.text.size, 0)

    def _encode_blocks(self, text: str, begins: bool, ends: bool) -> i64:
        """Encodes a long text in blocks, each from its characters to its ids, so that it stays in a near cache.

        See `encode_part` for ``begins`` and ``ends``; ``_used`` gets the characters that were encoded.
        """
        model = self.model
        pre_tokenizer = self._cutter
        normalizer = self.normalizer
        size: i64 = len(text)
        block: i64 = _BLOCK
        count: i64 = 0
        encoded: i64 = 0
        at: i64 = 0
        while at < size:
            stop: i64 = min(at + block, size)
            try:
                data = text[at:stop].encode() + ZEROS
            except UnicodeEncodeError:
                # One surrogate may be here, and the other one in the next block.
                if not ends:
                    break
                stop = size
                data = padded(text[at:])
            last = ends and stop == size
            if normalizer is not None:
                data = normalizer.normalize_part(data, begins and at == 0, last)
            end: i64 = len(data) - PADDING
            if not last:
                place = (
                    pre_tokenizer.divide(data, end)
                    if pre_tokenizer.divides
                    else model.divide(data, end)
                )
                whole = stop == size
                stop -= len(data[place:end].decode())
                if place == 0 or stop <= at:  # or only after the space put before the text
                    if whole:
                        break
                    block *= 2
                    continue
                end = place
            if count >= _ROOM:
                self._gathered.add(self._out, count, at, size)
                count = 0
            if count + end * model.ids_per_byte > len(self._out):
                self._out = grown(self._out, count, count + end * model.ids_per_byte)
            count = self._encode_section(pre_tokenizer, data, 0, end, count)
            encoded += end
            at = stop
            block = _BLOCK
        self._used = at
        self._text_bytes = encoded
        return count

    def _encode_sections(self, data: bytes) -> i64:
        """Encodes a text that must first be divided."""
        self._text_bytes = len(data) - PADDING
        sections = self._preparation.sections(data, len(data) - PADDING, frozenset())
        pre_tokenizer = cutter_for(self.model, sections.pre_tokenizer)
        size: i64 = sections.text.size
        count: i64 = 0
        for start, stop, token in sections.regions:
            if token < 0:
                count = self._encode_section(pre_tokenizer, sections.text.data, start, stop, count)
            else:
                count = self._make_room(count, 1, start, size)
                self._out[count] = i32(token)
                count += 1
        return count

    def _encode_section(
        self, pre_tokenizer: PreTokenizer, data: bytes, start: i64, stop: i64, count: i64
    ) -> i64:
        """Encodes ``data[start:stop]``; ``_out`` holds ``count`` ids before, and as many as returned after."""
        model = self.model
        words = self._words
        size: i64 = len(data)
        room = model.room
        per_byte = model.ids_per_byte
        if 0 < stop - start <= self._short:
            count = self._make_room(count, (stop - start) * per_byte, start, size)
            return model.encode_short(data, start, stop, self._out, count)
        words.data = data
        words.start = start
        while words.start < stop:
            words.stop = pre_tokenizer.cut(data, words.start, stop, words.ends, words.rules)
            if words.stop == 0:  # a row of words is longer
                words.ends = vec[i32]([0] * (2 * len(words.ends)))
                words.rules = vec[u8]([0] * (2 * len(words.rules)))
                continue
            words.first = 0
            end: i64 = i64(words.ends[words.stop - 1])
            while words.first < words.stop:
                before = words.start
                needed = (end - before) * per_byte
                if words.stop == 1 and needed > room:
                    needed = room
                count = self._make_room(count, needed, before, size)
                count = model.encode_words(words, self._out, count)
                pending = model.take_pending()
                if pending is not None:
                    while not pending.step(_PATIENT, None):
                        pass
                    needed = (pending.stop - pending.start) * per_byte
                    count = self._make_room(count, needed, words.start, size)
                    count = pending.write(self._out, count)
                    if words.start == i64(words.ends[words.first]):
                        words.first += 1
                elif words.start == before and words.first < words.stop:
                    room = _PATIENT  # the model found no place to stop
        return count

    def _make_room(self, count: i64, needed: i64, position: i64, size: i64) -> i64:
        """Makes room for more ids in ``_out`` and returns its size; the ids in it are gathered first.

        They are those up to byte ``position`` of ``size``.
        """
        if count + needed > len(self._out):
            if len(self._out) >= _ROOM:
                self._gathered.add(self._out, count, position, size)
                count = 0
            if count + needed > len(self._out):
                self._out = grown(self._out, count, count + needed)
        return count

    def _release(self) -> None:
        """Releases the text, and the room that a long word took."""
        self._words.data = b""
        if len(self._out) > _KEPT:
            self._out = vec[i32]([0] * 1024)


def _start_of(match: AddedMatch) -> int:
    return match.start
