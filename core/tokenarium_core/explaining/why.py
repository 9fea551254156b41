"""Why a string is one token, or is not: the first stage that prevents it, and the run that proves it.

why_not(tokenizer, "Tokenarium").kind  # "not in the vocabulary"
why_not(tokenizer, "slower", 1, 4)     # of "low" in this text
"""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.encoding import Encoding
from tokenarium_core.explaining.merge_path import Merge, MergePaths
from tokenarium_core.explaining.verdict import (
    ADDED,
    CHANGED,
    CUT,
    NEVER_TEXT,
    NOT_THERE,
    NOTHING,
    ONE,
    PREFIXED,
    Verdict,
)
from tokenarium_core.explaining.vocabulary_entries import entries_of
from tokenarium_core.explaining.why_model import judge_model, name_longest
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.named_pieces import NamedPieces
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import (
    BYTE_FALLBACK,
    EDGE,
    MERGE,
    PIECE,
    PRE_TOKEN,
    SPECIAL,
    TRY,
    UNKNOWN,
    Trace,
)
from tokenarium_core.vocabulary import BYTE, CONTROL, SPACE_MARK, UNUSED
from tokenarium_core.vocabulary import UNKNOWN as UNKNOWN_KIND


def why_not(
    tokenizer: Tokenizer, text: str, start: int = 0, stop: int = -1, special: str = "none"
) -> Verdict:
    """Returns why ``text``, or its bytes ``start`` to ``stop``, is or is not one token.

    The string is one token exactly when encoding gives it one id that is not the unknown token's: for a whole text
    the only id, otherwise one that covers exactly these bytes. ``special`` as in `Tokenizer.encode`.

    The stages are checked in order, and the first reason counts. Meant for words and lines: the whole text is
    traced, and for Unigram its lattice is built. Raises what `Tokenizer.encode` does.
    """
    trace = Trace()
    encoding = tokenizer.encode(text, special=special, trace=trace)
    typed = padded(text)[:-PADDING]
    if stop < 0:
        stop = len(typed)
    whole = start == 0 and stop == len(typed)
    data = encoding.text.data[: encoding.text.size]
    low, high = _place(encoding, start, stop)
    verdict = Verdict(
        typed[start:stop].decode("utf-8", "replace"), data, low, high, encoding, trace
    )
    verdict.whole = whole
    _judge(verdict, tokenizer, typed[start:stop])
    return verdict


def _judge(verdict: Verdict, tokenizer: Tokenizer, typed: bytes) -> None:
    data = verdict.data
    vocabulary = tokenizer.vocabulary
    own = data[verdict.low : verdict.high]
    verdict.changed = own != typed or (verdict.whole and data != typed)
    _find_ids(verdict)
    entries = entries_of(vocabulary, own)
    if verdict.whole and data != own:
        whole = entries_of(vocabulary, data)
        if whole or own != typed or not entries:
            entries = whole
            verdict.low = 0
            verdict.high = len(data)
    verdict.piece = entries[0] if entries else -1
    verdict.start = verdict.low
    verdict.stop = verdict.high
    if _is_one(verdict):
        verdict.kind = ONE
        verdict.token = verdict.ids[0]
        if verdict.token in entries:
            verdict.piece = verdict.token
        _find_maker(verdict, tokenizer)
        return
    if _is_never_text(verdict, tokenizer, typed) or _is_added(verdict, tokenizer):
        return
    if not verdict.ids:
        verdict.kind = NOTHING
        return
    if verdict.changed and verdict.whole and verdict.piece < 0:
        typed_entries = entries_of(vocabulary, typed)
        if typed_entries:
            verdict.kind = CHANGED
            verdict.token = typed_entries[0]
            return
    words = _cut_words(verdict) if tokenizer.model.joins else _words(verdict)
    for index in range(1, len(words)):
        before, end, rule = words[index - 1]
        begin, after, following = words[index]
        if not tokenizer.model.crosses(verdict.encoding.text.data, before, end, after):
            verdict.kind = CUT
            verdict.start = end
            verdict.stop = begin
            names = verdict.encoding.pre_tokens.names
            verdict.rules = (names[rule], names[following])
            return
    if not words:
        verdict.kind = NOTHING
        return
    start, stop = words[0][0], words[-1][1]
    if verdict.piece < 0:
        verdict.kind = NOT_THERE
        name_longest(verdict, vocabulary)
    judge_model(verdict, tokenizer.model, entries, start, stop)
    if verdict.whole and verdict.piece >= 0 and (verdict.low > 0 or verdict.high < len(data)):
        verdict.kind = PREFIXED
        verdict.token = verdict.piece


def _place(encoding: Encoding, start: int, stop: int) -> tuple[int, int]:
    """Returns the bytes of the normalized text that came from bytes of the text."""
    text = encoding.text
    if not text.aligned:
        low, high = start - text.origin, stop - text.origin
        return max(0, min(low, text.size)), max(0, min(high, text.size))
    low = 0
    while low < text.size and i64(text.stops[low]) <= start:
        low += 1
    high = text.size
    while high > low and i64(text.starts[high - 1]) >= stop:
        high -= 1
    return low, high


def _find_ids(verdict: Verdict) -> None:
    """Records the tokens that overlap the string, and what happened to characters that the vocabulary lacks."""
    encoding = verdict.encoding
    trace = verdict.trace
    last = len(encoding)
    if not verdict.whole:
        first = 0
        while first < last and i64(encoding.places[2 * first + 1]) <= verdict.low:
            first += 1
        last = first
        while last < len(encoding) and i64(encoding.places[2 * last]) < verdict.high:
            last += 1
        verdict.first = first
    verdict.ids = [i64(encoding.ids[index]) for index in range(verdict.first, last)]
    for event in range(len(trace)):
        kind: i64 = i64(trace.kinds[event])
        if kind == UNKNOWN or kind == BYTE_FALLBACK:
            if not verdict.whole and not _touches(
                verdict, i64(trace.positions[event]), i64(trace.lefts[event])
            ):
                continue
            if kind == BYTE_FALLBACK:
                verdict.fallbacks += 1
            elif i64(trace.results[event]) in verdict.ids:
                verdict.unknown = True


def _is_one(verdict: Verdict) -> bool:
    if len(verdict.ids) != 1 or verdict.unknown:
        return False
    if verdict.whole:
        return True
    places = verdict.encoding.places
    return (
        i64(places[2 * verdict.first]) == verdict.low
        and i64(places[2 * verdict.first + 1]) == verdict.high
    )


def _find_maker(verdict: Verdict, tokenizer: Tokenizer) -> None:
    """Records the event that made the one token: the last one with its id at its position."""
    trace = verdict.trace
    start = i64(verdict.encoding.places[2 * verdict.first])
    for event in range(len(trace)):
        kind: i64 = i64(trace.kinds[event])
        if i64(trace.positions[event]) != start or kind == TRY or kind == EDGE:
            continue
        # A pre-token begins as its single bytes, so one that is a byte has no event of its own.
        if kind == PRE_TOKEN or i64(trace.results[event]) == verdict.token:
            verdict.event = event
            verdict.how = kind
    if verdict.how == PRE_TOKEN:
        verdict.event = -1
    if verdict.how == MERGE and not isinstance(
        tokenizer.model, (PickyBpe, BoundlessBpe, NamedPieces)
    ):
        stop = i64(verdict.encoding.places[2 * verdict.first + 1])
        for path in MergePaths(tokenizer.model).paths(verdict.token, start):
            last = path.merges[len(path.merges) - 1] if path.merges else None
            if last is not None and last.stop == stop and _is_event(trace, verdict.event, last):
                verdict.path = path.merges
                verdict.merge = last
                break


def _is_event(trace: Trace, event: int, merge: Merge) -> bool:
    return i64(trace.lefts[event]) == merge.left and i64(trace.rights[event]) == merge.right


def _is_never_text(verdict: Verdict, tokenizer: Tokenizer, typed: bytes) -> bool:
    """Returns, and records, whether the string is an entry of a kind that no text produces."""
    text = typed.decode("utf-8", "replace")
    vocabulary = tokenizer.vocabulary
    token = tokenizer.added_tokens.special.get(text, -1)
    if token < 0:
        for entry in entries_of(vocabulary, typed):
            kind: i64 = i64(vocabulary.kinds[entry])
            if kind == CONTROL or kind == UNKNOWN_KIND or kind == UNUSED:
                token = entry
                break
    if token < 0 and vocabulary.spelling == SPACE_MARK and len(typed) == 6:
        if text.startswith("<0x") and text.endswith(">"):
            for entry in range(len(vocabulary)):
                if i64(vocabulary.kinds[entry]) == BYTE and vocabulary.surface(entry) == text:
                    token = entry
                    break
    if token < 0:
        return False
    verdict.kind = NEVER_TEXT
    verdict.token = token
    return True


def _is_added(verdict: Verdict, tokenizer: Tokenizer) -> bool:
    """Returns, and records, whether an added token is matched in the string."""
    trace = verdict.trace
    frozen = isinstance(tokenizer.model, CharacterBpe)  # takes user-defined pieces first
    for event in range(len(trace)):
        kind: i64 = i64(trace.kinds[event])
        if kind == SPECIAL or (frozen and kind == PIECE):
            start = i64(trace.positions[event])
            stop = i64(trace.lefts[event])
            if _touches(verdict, start, stop):
                verdict.kind = ADDED
                verdict.token = i64(trace.results[event])
                verdict.start = start
                verdict.stop = stop
                return True
    return False


def _words(verdict: Verdict) -> list[tuple[int, int, int]]:
    """Returns the words that overlap the string, as (start, stop, rule), without what is removed between them."""
    trace = verdict.trace
    words: list[tuple[int, int, int]] = []
    for event in range(len(trace)):
        if i64(trace.kinds[event]) == PRE_TOKEN:
            start = i64(trace.positions[event])
            stop = i64(trace.lefts[event])
            if _touches(verdict, start, stop):
                words.append((start, stop, i64(trace.rights[event])))
    return words


def _cut_words(verdict: Verdict) -> list[tuple[int, int, int]]:
    """Returns the same words as they were split, if a model joins some of them."""
    cuts = verdict.encoding.pre_tokens
    words: list[tuple[int, int, int]] = []
    start = 0
    for index in range(len(cuts)):
        stop = i64(cuts.ends[index])
        if _touches(verdict, start, stop):
            words.append((start, stop, i64(cuts.rules[index])))
        start = stop
    return words


def _touches(verdict: Verdict, start: int, stop: int) -> bool:
    return start < verdict.high and verdict.low < stop
