"""Pieces of one model that get their ids by name, out of a vocabulary of another order: Marian's and M2M100's way.

A model cuts a text into pieces, SentencePiece or parts of words, and the vocabulary has ids for their spellings; one that it lacks is unknown. So
is a run of characters that the model does not know, unless the vocabulary has that very spelling.

Sources: transformers 5, ``models/marian/tokenization_marian.py`` and ``models/m2m_100/tokenization_m2m_100.py``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.model import Model, PendingWord, WordBatch
from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.sections import joined, part_of
from tokenarium_core.trace import MERGE, PIECE, UNKNOWN, UNMERGE, Trace
from tokenarium_core.vocabulary import Vocabulary

BY_NAME: Final = "its pieces get their ids by name, from a vocabulary beside the model that cuts"
"""Why something is not done for such a tokenizer, as part of a sentence."""

_OPEN: Final = b">>"
_CLOSE: Final = b"<<"
_MARK: Final = "▁".encode()
_UNKNOWN: Final = b"<unk>"


@final
class LanguageCodes(Normalizer):
    """Leaves a language code at the beginning of a text, ``>>fra<<``, as it is; the rest is normalized by ``inner``."""

    def __init__(self, inner: Normalizer) -> None:
        super().__init__(inner.name)
        self.inner = inner

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text; see `Normalizer.normalize`."""
        end = code_end(text.data, 0, text.size)
        if end == 0:
            return self.inner.normalize(text)
        head = part_of(text, 0, end)
        if end == text.size:
            return head
        return joined([head, self.inner.normalize(part_of(text, end, text.size))])


@final
class LeadingMark(Normalizer):
    """Writes ``▁`` before a text, but not before what follows an added token."""

    def __init__(self) -> None:
        super().__init__("LeadingMark")

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the text with the mark; see `Normalizer.normalize`."""
        if not text.leads:
            return text
        writer = NormalizedWriter(text, "The normalizer LeadingMark")
        writer.replace(0, 0, _MARK)
        writer.copy(0, text.size)
        return writer.finish()

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        return _MARK + data


@final
class AfterUnknown(Normalizer):
    """Normalizes each part of a text by ``inner`` as it does after the unknown token, which it removes again."""

    def __init__(self, inner: Normalizer) -> None:
        super().__init__(inner.name)
        self.inner = inner

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text; see `Normalizer.normalize`."""
        if text.size == 0:
            return text
        writer = NormalizedWriter(text, "The normalizer AfterUnknown")
        writer.replace(0, 0, _UNKNOWN)
        writer.copy(0, text.size)
        after = self.inner.normalize(writer.finish())
        if after.data[: len(_UNKNOWN)] != _UNKNOWN:  # its end became part of another character
            return self.inner.normalize(text)
        return part_of(after, len(_UNKNOWN), after.size)

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the bytes of `normalize`."""
        after = self.inner.normalize_plain(_UNKNOWN + data)
        if after[: len(_UNKNOWN)] != _UNKNOWN:
            return self.inner.normalize_plain(data)
        return after[len(_UNKNOWN) :]


def code_end(data: bytes, start: i64, stop: i64) -> i64:
    """Returns the end of a language code that begins at ``start``; ``start`` itself if there is none."""
    if data[start : start + 2] != _OPEN:
        return start
    at: i64 = data.find(_CLOSE, start, stop)
    return at + 2 if at >= 0 else start


@final
class NamedPieces(Model):
    """The ids of ``vocabulary`` for the pieces of another model, ``inner``.

    ``table``: the id by the id of a piece in that model. ``unknown`` is the id for anything else, ``inner_unknown``
    that of unknown characters in the model. ``others``: the ids of spellings, in space form, that are not pieces of the
    model. ``codes``: a word may begin with a language code, which is looked up whole, see `LanguageCodes`.

    With ``others`` or ``codes``, the words of a call are the one word of a section.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        inner: Model,
        table: vec[i32],
        unknown: i64,
        inner_unknown: i64,
        others: dict[bytes, int],
        codes: dict[bytes, int] | None,
    ) -> None:
        super().__init__(vocabulary, False, inner.room)
        self.inner = inner
        self.ids_per_byte = inner.ids_per_byte
        self.reads_rules = inner.reads_rules
        self.unknown: i64 = unknown
        self._table = table
        self._inner_unknown: i64 = inner_unknown
        self._others = others
        self._codes = codes
        # The region that was encoded last, for `locate`: the ids of the model, after those of a language code.
        self._kept = vec[i32]()
        self._kept_from: i64 = 0
        self._kept_to: i64 = -1
        self._code_to: i64 = 0
        self._kept_data = b""
        # Where a word continues.
        self._paused_data = b""
        self._paused_at: i64 = -1

    def expect(self, size: i64) -> None:
        """Prepares for a text of about ``size`` bytes."""
        self.inner.expect(size)

    def encode_words(self, words: WordBatch, out: vec[i32], count: i64) -> i64:
        """Writes the ids of the word; see `Model.encode_words`."""
        data = words.data
        start = words.start
        first = words.first
        end: i64 = i64(words.ends[first])
        goes_on = self._paused_at == start and self._paused_data is data
        before = count
        count = start if goes_on else self._code_to_end(data, start, end)
        self._code_to = count
        if count > start:
            words.start = count
            out[before] = i32(self._code_id(data, start, count))
            before += 1
        count = before
        if words.start < end:
            count = self.inner.encode_words(words, out, before)
        else:
            words.first = first + 1
        self._paused_data = data
        self._paused_at = words.start if words.first == first else -1
        self._keep(data, start, words.start, out, before, count)
        self._rename(data, self._code_to, words.start, out, before, count)
        return count

    def take_pending(self) -> PendingWord | None:
        """Returns the region at which `encode_words` stopped, once; None if it did not stop."""
        pending = self.inner.take_pending()
        if pending is None:
            return None
        self._paused_at = pending.stop
        return NamedRegion(self, pending, self._paused_data)

    def write_pending(self, pending: PendingWord, data: bytes, out: vec[i32], count: i64) -> i64:
        """Writes the ids of a region of ``data``."""
        after = pending.write(out, count)
        self._code_to = pending.start
        self._keep(data, pending.start, pending.stop, out, count, after)
        self._rename(data, pending.start, pending.stop, out, count, after)
        return after

    def encode_traced(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace
    ) -> i64:
        """Writes the ids of one word and adds its events, with these ids; see `Model.encode_traced`."""
        begin = self._code_to_end(data, start, stop)
        self._code_to = begin
        if begin > start:
            token = self._code_id(data, start, begin)
            out[count] = i32(token)
            trace.add(PIECE if token != self.unknown else UNKNOWN, start, begin, -1, token, -1)
            count += 1
        before: i64 = len(trace)
        after = self.inner.encode_traced(data, begin, stop, out, count, trace)
        for row in range(before, len(trace)):
            kind: i64 = i64(trace.kinds[row])
            if kind == UNKNOWN:
                token = self._spelled(
                    data, i64(trace.positions[row]), i64(trace.lefts[row]), self.unknown
                )
                trace.results[row] = i32(token)
                continue
            if kind == MERGE or kind == UNMERGE:
                trace.lefts[row] = i32(self._named(i64(trace.lefts[row])))
                trace.rights[row] = i32(self._named(i64(trace.rights[row])))
            trace.results[row] = i32(self._named(i64(trace.results[row])))
        self._keep(data, start, stop, out, count, after)
        self._rename(data, begin, stop, out, count, after)
        return after

    def locate(
        self,
        data: bytes,
        start: i64,
        stop: i64,
        ids: vec[i32],
        first: i64,
        last: i64,
        spans: vec[i32],
    ) -> None:
        """Writes the places of ids; see `Model.locate`."""
        known = self._kept_data is data and self._kept_from == start and self._kept_to == stop
        if not known:
            room = vec[i32]([0] * ((stop - start) * 3 + 1))
            self.encode_traced(data, start, stop, room, 0, Trace())
        if self._code_to > start:
            spans[first * 2] = i32(start)
            spans[first * 2 + 1] = i32(self._code_to)
            first += 1
        count: i64 = len(self._kept)
        places = vec[i32]([0] * (count * 2))
        self.inner.locate(data, self._code_to, stop, self._kept, 0, count, places)
        for index in range(min(count, last - first) * 2):
            spans[first * 2 + index] = places[index]

    def _code_to_end(self, data: bytes, start: i64, stop: i64) -> i64:
        return start if self._codes is None else code_end(data, start, stop)

    def _code_id(self, data: bytes, start: i64, stop: i64) -> i64:
        codes = self._codes
        assert codes is not None
        return codes.get(data[start:stop], self.unknown)

    def _keep(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], before: i64, after: i64
    ) -> None:
        self._kept = out[before:after]
        self._kept_from = start
        self._kept_to = stop
        self._kept_data = data

    def _rename(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], before: i64, after: i64
    ) -> None:
        """Gives the ids from ``before`` on, which are those of the model for ``data[start:stop]``, their names' ids."""
        count = after - before
        places = vec[i32]()
        for index in range(before, after):
            token: i64 = i64(out[index])
            if token != self._inner_unknown or not self._others:
                out[index] = i32(self._named(token))
                continue
            if not places:
                places = vec[i32]([0] * (count * 2))
                self.inner.locate(data, start, stop, self._kept, 0, count, places)
            at = (index - before) * 2
            out[index] = i32(
                self._spelled(data, i64(places[at]), i64(places[at + 1]), self.unknown)
            )

    def _named(self, token: i64) -> i64:
        """Returns the id for that of the model; negative numbers stay."""
        if token < 0:
            return token
        return i64(self._table[token]) if token < len(self._table) else self.unknown

    def _spelled(self, data: bytes, start: i64, stop: i64, other: i64) -> i64:
        return self._others.get(data[start:stop], other)


@final
class NamedRegion(PendingWord):
    """A long region of the model inside `NamedPieces`."""

    def __init__(self, model: NamedPieces, inner: PendingWord, data: bytes) -> None:
        super().__init__(inner.start, inner.stop)
        self._model = model
        self._inner = inner
        self._data = data

    def step(self, budget: i64, trace: Trace | None) -> bool:
        """Continues as the model does; see `PendingWord.step`."""
        return self._inner.step(budget, trace)

    def write(self, out: vec[i32], count: i64) -> i64:
        """Writes the ids into ``out`` from index ``count`` on; returns the index after the last."""
        return self._model.write_pending(self._inner, self._data, out, count)
