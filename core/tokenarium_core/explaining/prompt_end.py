"""The end of a prompt: which of its last tokens could change if more text follows, and what token healing would do.

``http:`` ends with a separate token, yet ``http://`` contains the single token ``://``: a prompt that ends there
prevents the model from using it. tiktoken's ``encode_with_unstable`` returns what is stable, and what the rest could
become; Guidance calls the remedy token healing.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.arguments import ids_of, whole_number, whole_numbers
from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE, Encoding
from tokenarium_core.errors import ArgumentError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.model import Model
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import Trace
from tokenarium_core.unicode.utf8 import is_text
from tokenarium_core.vocabulary import (
    CONTINUING,
    CONTROL,
    UNKNOWN,
    UNUSED,
    Vocabulary,
    same_bytes,
)

_LONGEST_END: Final = 64
"""The most bytes at the end of a text for which continuations are tried, if there is no earlier boundary."""

_CONTEXT: Final = 16  # bytes before what is unstable that are encoded with each continuation
_LOOK: Final = 64  # entries between two looks at the clock


@final
class UnstableEnd:
    """The last tokens of a text that more text could change.

    ``ids``: of the text. ``stable``: how many of them stay the same, whatever follows. ``changed``: the first token
    that one of the tried continuations actually changed; ``len(ids)`` if none did. ``continuation``: the text that
    changed it, after the text; ``continued``: the ids from ``changed`` on with it. ``completions``: what the ids from
    ``ruled`` on can become, as tiktoken returns it: sequences that cover at least the text. ``ruled`` is tiktoken's
    rule alone: all but the last pre-token, and white space before it; `stable` is smaller if a continuation has shown
    that rule to be wrong.
    """

    def __init__(self, ids: list[int], ruled: int) -> None:
        self.ids = ids
        self.ruled = ruled
        self.changed = len(ids)
        self.continuation = ""
        self.continued: list[int] = []
        self.completions: set[tuple[int, ...]] = set()

    @property
    def stable(self) -> int:
        """How many tokens from the start stay the same, whatever follows."""
        return min(self.ruled, self.changed)

    def __repr__(self) -> str:
        return f"<UnstableEnd: {self.stable} of {len(self.ids)} tokens stay>"


def unstable_end(tokenizer: Tokenizer, text: str) -> UnstableEnd:
    """Returns which of the last tokens of a text more text could change; see `UnstableEnd`.

    Entries that begin with a suffix of the text continue it; each is tried. This is what tiktoken 0.14 does in
    ``encode_with_unstable``; for byte-level BPE the stable tokens and completions are the same. Special tokens are
    plain text. Takes up to a second after white space, with which many entries begin; `UnstableEndJob` works in
    steps.
    """
    job = UnstableEndJob(tokenizer, text)
    while not job.finished:
        job.step(1e9)
    return job.end


@final
class UnstableEndJob:
    """Tries continuations of a text; call `step` until `finished`.

    `end` is valid at any time for what was tried so far.
    """

    def __init__(self, tokenizer: Tokenizer, text: str) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = tokenizer.vocabulary
        encoding = tokenizer.encode(text)
        self._typed = padded(text)[:-PADDING]
        ids: list[int] = [i64(token) for token in encoding.ids]
        ruled = _ruled(tokenizer, encoding)
        self.end = UnstableEnd(ids, ruled)
        self._start: i64 = len(self._typed)  # of what is unstable by the rule, in the text
        if ruled < len(ids):
            self._start = i64(encoding.spans[ruled * 2])
        self._by_bytes = (
            isinstance(tokenizer.model, (BytePairEncoder, PickyBpe))
            and tokenizer.normalizer is None
        )
        self._unstable = self._typed[self._start :]
        # Where nothing is cut, words far from the end are not tried.
        self._position: i64 = max(0, len(self._unstable) - _LONGEST_END)
        self._first_position = self._position
        self._token: i64 = 0
        self.finished = ruled == len(ids) or not self._unstable
        # Continuations are encoded from here on: token `_base`, which begins at byte `_window`.
        self._base = 0
        self._window: i64 = 0
        if not self.finished:
            self._narrow(encoding)
            self._add_split()

    def step(self, budget_ms: float) -> Progress:
        """Tries more for about this many milliseconds."""
        end = perf_counter() + budget_ms / 1000
        data = self._unstable + ZEROS
        size: i64 = len(self._unstable)
        while not self.finished and perf_counter() < end:
            self._try_some(data, size)
            if self._token == self._vocabulary.count:
                self._token = 0
                self._position += 1
                self.finished = self._position == size
        done = (self._position - self._first_position) * self._vocabulary.count + self._token
        return Progress(
            "Trying continuations",
            done,
            (size - self._first_position) * self._vocabulary.count,
            self.finished,
        )

    def _try_some(self, data: bytes, size: i64) -> None:
        """Tries the next entries that begin with the text from the current position to the end."""
        vocabulary = self._vocabulary
        arena = vocabulary.arena
        offsets = vocabulary.offsets
        kinds = vocabulary.kinds
        length = size - self._position
        stop = min(vocabulary.count, self._token + 8192)
        tried: i64 = 0
        lead: i64 = data[self._position]
        while self._token < stop and tried < _LOOK:
            token = self._token
            self._token += 1
            begin: i64 = i64(offsets[token])
            end: i64 = i64(offsets[token + 1])
            if end - begin < length or arena[begin] != lead:
                continue
            if not same_bytes(arena, begin, data, self._position, length):
                continue
            kind: i64 = i64(kinds[token])
            if kind == CONTROL or kind == UNKNOWN or kind == UNUSED:
                continue
            tried += 1
            self._try(token, arena[begin:end], length)

    def _try(self, token: i64, piece: bytes, length: i64) -> None:
        """Tries an entry that begins with the last ``length`` bytes of the text."""
        possible = self._unstable[: self._position] + piece
        whole = is_text(possible + ZEROS, 0, len(possible))
        if self._position == 0 and self._by_bytes:
            self.end.completions.add((token,))
        elif self._by_bytes:
            ids = (
                self._tokenizer.encode_ids(possible.decode())
                if whole
                else _merged(self._tokenizer, possible)
            )
            self.end.completions.add(self._covering(ids))
        if whole and len(piece) > length:
            self._compare(piece[length:])

    def _covering(self, ids: list[int]) -> tuple[int, ...]:
        """Returns the first ids that cover the unstable part."""
        covered: i64 = 0
        count = 0
        for token in ids:
            covered += i64(self._vocabulary.offsets[token + 1]) - i64(
                self._vocabulary.offsets[token]
            )
            count += 1
            if covered >= len(self._unstable):
                break
        return tuple(ids[:count])

    def _narrow(self, encoding: Encoding) -> None:
        """Finds a position not far before the end from which the text has the same tokens on its own."""
        ids = self.end.ids
        token = self.end.ruled
        least = max(0, token - 64)
        while token > least:
            token -= 1
            start: i64 = i64(encoding.spans[token * 2])
            if self._start - start < _CONTEXT or not is_text(self._typed, start, self._start):
                continue
            spaced = self._typed[start : start + 1] == b" "
            for window in (start, start + 1) if spaced else (start,):
                rest = self._typed[window:].decode("utf-8", "replace")
                if self._tokenizer.encode_ids(rest) == ids[token:]:
                    self._base = token
                    self._window = window
                    return

    def _compare(self, added: bytes) -> None:
        """Records the first token that a continuation changes, if it is earlier than the known one."""
        data = self._typed[self._window :] + added
        if not is_text(data + ZEROS, 0, len(data)):
            return
        at = self._same(self._tokenizer.encode_ids(data.decode()), self._base)
        if at >= self.end.changed:
            return
        ids = self._tokenizer.encode_ids((self._typed + added).decode())  # to be sure
        at = self._same(ids, 0)
        if at < self.end.changed:
            self.end.changed = at
            self.end.continuation = added.decode()
            self.end.continued = ids[at:]

    def _same(self, ids: list[int], base: int) -> int:
        """Returns up to which token ids are those of the text; the first one is token ``base`` of it."""
        known = self.end.ids
        at = base
        while at < len(known) and at - base < len(ids) and ids[at - base] == known[at]:
            at += 1
        return at

    def _add_split(self) -> None:
        """Adds what white space at the end becomes if the pattern splits it off, as tiktoken does."""
        unstable = self._unstable
        if not self._by_bytes or len(unstable) < 2:
            return
        text = unstable.decode("utf-8", "replace")
        last = text[-1]
        size = len(last.encode())
        if last == "\ufffd" or not last.isspace() or len(unstable) == size:
            return
        split = _merged(self._tokenizer, unstable[:-size]) + _merged(
            self._tokenizer, unstable[-size:]
        )
        self.end.completions.add(tuple(split))


def _merged(tokenizer: Tokenizer, data: bytes) -> list[int]:
    """Returns the ids of bytes as one word of byte-level BPE."""
    out = vec[i32]([0] * (len(data) + 1))
    count = tokenizer.model.encode_traced(data + ZEROS, 0, len(data), out, 0, Trace())
    return [i64(out[index]) for index in range(count)]


def _ruled(tokenizer: Tokenizer, encoding: Encoding) -> int:
    """Returns how many tokens precede what more text could change, judging by the pre-tokens alone.

    That is the last pre-token, with white space before it if it begins with some: tiktoken's rule, in
    ``_increase_last_piece_token_len``. If a text is not split, it is the last position that no entry crosses.
    """
    count: i64 = len(encoding)
    cuts = encoding.pre_tokens
    words: i64 = len(cuts.ends)
    while words > 0 and i64(cuts.rules[words - 1]) == cuts.removed:
        words -= 1
    if words == 0 or count == 0:
        return 0
    rule = cuts.names[i64(cuts.rules[words - 1])]
    if rule == ADDED_RULE or rule == SPECIAL_RULE:
        return count
    model = tokenizer.model
    if words > 1 and model.joins:
        words = _row_start(model, encoding, words)
    begin: i64 = i64(cuts.ends[words - 2]) if words > 1 else 0
    if (
        model.divides
        and tokenizer.splitter is None
        and isinstance(tokenizer.pre_tokenizer, WholeText)
    ):
        size = encoding.text.size
        begin += model.divide(encoding.text.data[begin:size] + ZEROS, size - begin)
    stable = count
    while stable > 0 and i64(encoding.places[(stable - 1) * 2 + 1]) > begin:
        stable -= 1
    if stable < count and _is_blank(tokenizer.vocabulary, i64(encoding.ids[stable])):
        while stable > 0 and _is_blank(tokenizer.vocabulary, i64(encoding.ids[stable - 1])):
            stable -= 1
    return stable


def _row_start(model: Model, encoding: Encoding, words: i64) -> i64:
    """Returns how many words are up to the first that the last of ``words`` may be joined with, that one included.

    The last word may change, and may then be joined with the one before it.
    """
    cuts = encoding.pre_tokens
    ends = cuts.ends
    if cuts.names[i64(cuts.rules[words - 2])] in (ADDED_RULE, SPECIAL_RULE):
        return words
    words -= 1
    while words > 1 and cuts.names[i64(cuts.rules[words - 2])] not in (ADDED_RULE, SPECIAL_RULE):
        start: i64 = i64(ends[words - 3]) if words > 2 else 0
        middle: i64 = i64(ends[words - 2])
        if not model.crosses(encoding.text.data, start, middle, i64(ends[words - 1])):
            break
        words -= 1
    return words


def _is_blank(vocabulary: Vocabulary, token: i64) -> bool:
    """Returns whether a piece is spaces, line feeds and tabs only."""
    piece = vocabulary.piece(token)
    return not piece.strip(b" \n\t")


@final
class Healing:
    """What token healing does with a prompt: it drops tokens and makes the next ones begin with their bytes.

    ``kept``: the remaining ids. ``dropped``: the dropped ids, ``prefix`` their bytes. ``allowed``: the entries
    that begin with those bytes, including the same one, by id. ``parts``: the shorter entries that are prefixes
    of the bytes, after which the rest must follow.
    """

    def __init__(self, kept: list[int], dropped: list[int], prefix: bytes) -> None:
        self.kept = kept
        self.dropped = dropped
        self.prefix = prefix
        self.allowed: list[int] = []
        self.parts: list[int] = []

    def __repr__(self) -> str:
        return f"<Healing {self.prefix!r}: {len(self.allowed)} entries begin with it>"


def healing(tokenizer: Tokenizer, ids: Iterable[int] | Any, drop: int | Any = 1) -> Healing:
    """Returns what token healing does if it drops the last ``drop`` ids.

    An entry that only continues a word (``##ing``) is not allowed where a word begins, nor the other way round.
    Control, unknown and special tokens are never allowed. Looks at every entry: about a millisecond for 200,000.
    Raises ArgumentError if there are fewer ids than that, IdError for one that does not exist.

    Source: the token healing of guidance-ai/guidance.
    """
    ids = whole_numbers(ids_of(ids))
    drop = whole_number(drop)
    if drop < 0 or drop > len(ids):
        raise ArgumentError(
            f"{drop} of {len(ids)} ids cannot be dropped: give a number from 0 to {len(ids)}."
        )
    vocabulary = tokenizer.vocabulary
    remaining = ids[: len(ids) - drop]
    dropped = ids[len(ids) - drop :]
    result = Healing(remaining, dropped, b"".join([vocabulary.piece(token) for token in dropped]))
    size: i64 = len(result.prefix)
    if size == 0:
        return result
    data = result.prefix + ZEROS
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    special = tokenizer.added_tokens.special_ids
    continues = i64(vocabulary.kinds[i64(dropped[0])]) == CONTINUING
    first: i64 = data[0]
    begin: i64 = 0
    for token in range(vocabulary.count):
        start = begin
        begin = i64(offsets[token + 1])
        if begin == start or arena[start] != first:
            continue
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == CONTROL or kind == UNKNOWN or kind == UNUSED or token in special:
            continue
        if (kind == CONTINUING) != continues:
            continue
        if begin - start >= size:
            if same_bytes(arena, start, data, 0, size):
                result.allowed.append(token)
        elif same_bytes(arena, start, data, 0, begin - start):
            result.parts.append(token)
    return result
